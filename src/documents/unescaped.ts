/**
 * Finds characters of a text that no backslash stands before. Questions are asked from left to right, for each
 * character: then all of them together take no longer than the text is.
 *
 * @returns the first place of a character from a position on, or -1
 */
export function unescapedIn(text: string): (character: string, from: number) => number {
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

/** The end of a destination in angle brackets: no line end and no other opening bracket stands in it. */
function enclosedEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !"<>\n\r".includes(text.charAt(at))) at += text[at] === "\\" ? 2 : 1;
  return text[at] === ">" ? at + 1 : -1;
}

/** The end of a link's destination that begins at a position, or -1 where there is none (CommonMark 0.31, section 6.3). */
export function destinationEnd(text: string, from: number): number {
  if (text[from] === "<") return enclosedEnd(text, from);
  let open = 0;
  let at = from;
  while (at < text.length && text.charAt(at) > " " && text[at] !== "\u007f") {
    if (text[at] === "(" && ++open > MAX_PARENTHESES) return -1;
    if (text[at] === ")" && --open < 0) break;
    at += text[at] === "\\" && /[()\\]/.test(text.charAt(at + 1)) ? 2 : 1;
  }
  return open > 0 || at === from ? -1 : at;
}

/** The end of a link's title that begins at a position, or -1 where there is none. `find` is of the same text. */
export function titleEnd(text: string, from: number, find: ReturnType<typeof unescapedIn>): number {
  const opening = text[from] ?? "";
  if (opening === "" || !`"'(`.includes(opening)) return -1;
  return find(opening === "(" ? ")" : opening, from + 1) + 1 || -1;
}
