import { outsideCode, type Range } from "./code-ranges.ts";

// Obsidian's comments, `%%…%%`, which only the editor shows.

const MARK = /%%/g;
const BLANK_LINE = /\n[ \t>]*\r?\n/;
/** How far before a mark its line is read: the markers of quotations and indentation. */
const MAX_PREFIX = 100;
const LINE_START = /\n[ \t>]*$/;
const NOTHING = /^[ \t]*\r?(?:\n|$)/;
const CHARACTER = /[^\r\n]/g;

/** Stands for a comment within a line. Unicode keeps this character free for the use of programs. */
export const COMMENT_FILLER = "\ufdd0";

const lineBefore = (text: string, at: number) =>
  at > MAX_PREFIX ? text.slice(at - MAX_PREFIX, at) : `\n${text.slice(0, at)}`;

/**
 * The comments outside code. One that begins its line ends at the next mark, any other within its paragraph; a mark without
 * a second one is text, so that nothing disappears because of a forgotten mark.
 */
export function commentRanges(text: string): Range[] {
  if (!text.includes("%%")) return [];
  const marks = [...text.matchAll(MARK)].map(({ index }) => ({ start: index, end: index + 2 }));
  const ranges: Range[] = [];
  let open: Range | undefined;
  for (const mark of outsideCode(text, marks)) {
    const ends =
      open &&
      (LINE_START.test(lineBefore(text, open.start)) || !BLANK_LINE.test(text.slice(open.end, mark.start)));
    if (open && ends) ranges.push({ start: open.start, end: mark.end });
    open = ends ? undefined : mark;
  }
  return ranges;
}

/** A comment as blank lines where it takes whole lines, and elsewhere as filler that is part of the line. */
function blank(text: string, { start, end }: Range): string {
  const lines = text.slice(start, end).split("\n");
  const isFirstWhole = /\n[ \t]*$/.test(lineBefore(text, start));
  const isLastWhole = NOTHING.test(text.slice(end, end + MAX_PREFIX));
  return lines
    .map((line, index) => {
      const isWhole = (index > 0 || isFirstWhole) && (index < lines.length - 1 || isLastWhole);
      return line.replace(CHARACTER, isWhole ? " " : COMMENT_FILLER);
    })
    .join("\n");
}

/** The text with its comments blanked out. Its length stays the same, so that offsets remain valid. */
export function blankComments(text: string): string {
  let at = 0;
  const pieces = commentRanges(text).map((range) => {
    const piece = text.slice(at, range.start) + blank(text, range);
    at = range.end;
    return piece;
  });
  return pieces.length === 0 ? text : pieces.join("") + text.slice(at);
}
