import { destinationEnd, titleEnd, unescapedFinder } from "./unescaped.ts";

// A paragraph may start with link reference definitions (CommonMark 0.31, section 4.7), which are not part of its text.

const MAX_LABEL = 999;
const LABEL = new RegExp(`\\[(?=[^\\]]*[^\\s\\]])(?:\\\\[\\s\\S]|[^\\\\[\\]]){1,${MAX_LABEL}}\\]:`, "y");
const SPACE = /[ \t]*/y;
const SPACE_AND_LINES = /[ \t\n]*/y;

const skip = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** The end of the line, if only white space follows the position; otherwise -1. */
function lineEnd(text: string, from: number): number {
  const end = skip(SPACE, text, from);
  return end === text.length || text[end] === "\n" ? end : -1;
}

function definitionEnd(text: string, from: number, find: ReturnType<typeof unescapedFinder>): number {
  const labelEnd = skip(LABEL, text, from);
  if (labelEnd < 0) return -1;
  const destination = destinationEnd(text, skip(SPACE_AND_LINES, text, labelEnd));
  if (destination < 0) return -1;
  const titleStart = skip(SPACE_AND_LINES, text, destination);
  const title = titleStart > destination ? titleEnd(text, titleStart, find) : -1;
  const end = title < 0 ? -1 : lineEnd(text, title);
  return end < 0 ? lineEnd(text, destination) : end;
}

/** The start of a paragraph's text (lines joined by U+000A) after its definitions; its length if nothing follows. */
export function skipDefinitions(text: string): number {
  if (!text.startsWith("[")) return 0;
  const find = unescapedFinder(text);
  let start = 0;
  for (;;) {
    const from = skip(SPACE, text, start);
    const end = text[from] === "[" ? definitionEnd(text, from, find) : -1;
    if (end < 0) return start;
    if (end === text.length) return end;
    start = end + 1;
  }
}
