// Reads the HTML of a clipboard: without comments, and with the styles of its style sheets.

/** The first match from an offset of an expression with the flag `g`. */
function findFrom(pattern: RegExp, text: string, at: number): { from: number; to: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? { from: found.index, to: pattern.lastIndex } : undefined;
}

/** Replaces every part from a start to the next end by what `replaced` returns for its inside. Linear. */
function replaceBetween(text: string, [start, end]: [RegExp, RegExp], replaced: (inside: string) => string) {
  const parts: string[] = [];
  let done = 0;
  for (let opening = findFrom(start, text, 0); opening; opening = findFrom(start, text, done)) {
    const closing = findFrom(end, text, opening.to);
    if (!closing) break;
    parts.push(text.slice(done, opening.from), replaced(text.slice(opening.to, closing.from)));
    done = closing.to;
  }
  return parts.join("") + text.slice(done);
}

/** Declarations by property. */
export type Style = Map<string, string>;

export function parseStyle(source: string): Style {
  const style: Style = new Map();
  for (const declaration of source.split(";")) {
    const colon = declaration.indexOf(":");
    const value = declaration.slice(colon + 1).trim();
    if (colon > 0) style.set(declaration.slice(0, colon).trim().toLowerCase(), value.toLowerCase());
  }
  return style;
}

/** The styles of simple selectors such as `p.p1` and `.xl65`. */
export type StyleSheet = Map<string, Style>;

const SIMPLE = /^[a-z0-9]*\.[\w-]+$/i;
/** Style sheets of programs have fewer rules. */
const MAX_RULES = 2000;

/** The simple selectors of a rule, below comments and `<!--`. */
const selectorsOf = (rule: string): string[] =>
  (rule.split(/\*\/|<!--/).at(-1) ?? "")
    .split(",")
    .map((selector) => selector.trim())
    .filter((selector) => SIMPLE.test(selector));

function addRules(sheet: StyleSheet, source: string): void {
  for (const rule of source.split("}").slice(0, MAX_RULES)) {
    const brace = rule.indexOf("{");
    if (brace < 0) continue;
    const style = parseStyle(rule.slice(brace + 1));
    for (const name of selectorsOf(rule.slice(0, brace)))
      sheet.set(name, new Map([...(sheet.get(name) ?? []), ...style]));
  }
}

/** Prefix of the attribute that takes the place of `style`, which the Content-Security-Policy of the page would report. */
const KEPT = "data-kept-";
/** The property of an element with its inline style. */
export const STYLE_PROPERTY = "dataKeptStyle";

/** A text of the parsed HTML as it was in the source. */
export const asInSource = (text: string): string => (text.includes(KEPT) ? text.replaceAll(KEPT, "") : text);

/** Conditional comments and processing instructions of Office. */
const MARKS = /<![[e][^<>]*>|<\?[^<>]*>/gi;

/** HTML that a parser reads without reporting anything, and its style sheets. */
export function readSource(html: string): { html: string; sheet: StyleSheet } {
  const sheet: StyleSheet = new Map();
  const withoutSheets = replaceBetween(html, [/<style/gi, /<\/style>/gi], (inside) => {
    addRules(sheet, inside.slice(inside.indexOf(">") + 1));
    return "";
  });
  const bare = replaceBetween(withoutSheets, [/<!--/g, /-->/g], () => "")
    .replace(MARKS, "")
    .replace(/(?<=[\s"'/])(?=style\s?=)/gi, KEPT);
  return { html: bare, sheet };
}
