import type { Insertion } from "../files/reference.ts";

// What Enter does in Markdown, from the text of the lines alone: used until the editor is loaded or has parsed that far.

const QUOTED = /^\s*>/;
/** A line with nothing but the marker of an item, task or quotation at the outermost level. */
const EMPTY = /^(?:(?:[-+*]|\d{1,9}[.)])(?: \[[ xX]\])?\s*|\s*>[\s>]*)$/;
const ITEM = /^\s*(?:[-+*]|\d{1,9}[.)])\s/;

/** Whether Enter on a line ends the list or the quotation that the line above belongs to. */
export function endsBlock(line: string, above: string): boolean {
  if (!EMPTY.test(line)) return false;
  return QUOTED.test(line) ? QUOTED.test(above) : ITEM.test(above) || /^\s+\S/.test(above);
}

const ITEM_MARK = /^([\s>]*)([-+*]|\d{1,9}[.)])([ \t]{1,4})(\[[ xX]\] )?/;
const QUOTE_MARK = /^[\s>]*>\s?/;

/** The length of a line's marker, and the marker of the next line; undefined outside lists and quotations. */
function lineMarker(line: string): { length: number; next: string } | undefined {
  const item = ITEM_MARK.exec(line);
  if (item) {
    const [whole, before = "", mark = "", space = "", task] = item;
    const number = Number.parseInt(mark, 10);
    const nextMark = Number.isNaN(number) ? mark : `${number + 1}${mark.at(-1)}`;
    return { length: whole.length, next: `${before}${nextMark}${space}${task ? "[ ] " : ""}` };
  }
  const quote = QUOTE_MARK.exec(line)?.[0];
  return quote === undefined ? undefined : { length: quote.length, next: quote };
}

const lineStart = (text: string, at: number) => (at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** The change that Enter makes at an offset. */
export function enterChange(text: string, at: number): Insertion {
  const start = lineStart(text, at);
  const next = text.indexOf("\n", at);
  const line = text.slice(start, next < 0 ? text.length : next);
  const above = start > 0 && text.slice(lineStart(text, start - 1), start - 1);
  if (above !== false && endsBlock(line, above))
    return { from: start, to: start + line.length, insert: "\n", cursor: start + 1 };
  const mark = lineMarker(line);
  if (!mark || at - start < mark.length) return { from: at, to: at, insert: "\n", cursor: at + 1 };
  // Before the text of an item, Enter inserts another item above it.
  if (at === start + mark.length && line.slice(mark.length).trim() !== "") {
    const insert = `${line.slice(0, mark.length).replace(/\[[xX]\] $/, "[ ] ")}\n`;
    return { from: start, to: start, insert, cursor: at + insert.length };
  }
  let from = at;
  while (from > start + mark.length && /\s/.test(text.charAt(from - 1))) from -= 1;
  const insert = `\n${mark.next}`;
  return { from, to: at, insert, cursor: from + insert.length };
}

/** The start of the line above the one with this offset. */
const previousLineStart = (text: string, at: number) => lineStart(text, lineStart(text, at) - 1);

/** The change that typed keys make; each U+000A is an Enter. A line with its own marker, such as a pasted one, gets no other. */
export function typedChange(text: string, at: number, keys: string): Insertion {
  const [first = "", ...lines] = keys.split("\n");
  const from = previousLineStart(text, at);
  const done: string[] = [];
  /** The current line and the one above it, on which Enter depends. */
  let last = text.slice(from, at) + first;
  for (const line of lines) {
    const put = enterChange(last, last.length);
    const next = last.slice(0, put.from) + (lineMarker(line) ? "\n" : put.insert) + line;
    const above = previousLineStart(next, next.length);
    done.push(next.slice(0, above));
    last = next.slice(above);
  }
  const insert = done.join("") + last;
  return { from, to: at, insert, cursor: from + insert.length };
}
