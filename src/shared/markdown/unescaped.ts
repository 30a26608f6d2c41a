/** Finds the next unescaped character from a position, or -1. Linear in total if called from left to right. */
export function unescapedFinder(text: string): (character: string, from: number) => number {
  const known = new Map<string, { from: number; found: number }>();
  return (character, from) => {
    const last = known.get(character);
    if (last && last.from <= from && (last.found === -1 || last.found >= from)) return last.found;
    let at = from;
    while (at < text.length && text[at] !== character) at += text[at] === "\\" ? 2 : 1;
    const found = at < text.length ? at : -1;
    known.set(character, { from, found });
    return found;
  };
}

const MAX_PARENTHESES = 32;

function enclosedEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !"<>\n\r".includes(text.charAt(at))) at += text[at] === "\\" ? 2 : 1;
  return text[at] === ">" ? at + 1 : -1;
}

function bareEnd(text: string, from: number): number {
  let open = 0;
  let at = from;
  for (; open <= MAX_PARENTHESES && text.charAt(at) > " " && text[at] !== "\u007f"; at++) {
    const character = text[at];
    if (character === "\\" && /[()\\]/.test(text.charAt(at + 1))) at++;
    else if (character === "(") open++;
    else if (character === ")" && --open < 0) break;
  }
  return open > 0 || at === from ? -1 : at;
}

/** The end of the link destination at a position, or -1 if there is none (CommonMark 0.31, section 6.3). */
export const destinationEnd = (text: string, from: number): number =>
  text[from] === "<" ? enclosedEnd(text, from) : bareEnd(text, from);

/** The end of the link title at a position, or -1 if there is none. `find` must be for the same text. */
export function titleEnd(text: string, from: number, find: ReturnType<typeof unescapedFinder>): number {
  const opening = text[from] ?? "";
  if (opening === "" || !`"'(`.includes(opening)) return -1;
  return find(opening === "(" ? ")" : opening, from + 1) + 1 || -1;
}
