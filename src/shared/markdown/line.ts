/** A line of Markdown and how far it has been read. Tabs extend to the next multiple of four columns. */
export type Line = {
  readonly text: string;
  start: number;
  end: number;
  next: number;
  /** Current position. The column may be inside a tab, whose remaining columns are then still unread. */
  at: number;
  column: number;
  /** A thematic break can start at any position from `from` to `last`. Not computed while `from` is -1. */
  breaks: { from: number; last: number };
};

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB_WIDTH = 4;
const BREAKS = "*-_";

const isSpace = (code: number) => code === SPACE || code === TAB;

/** The lines of a text from a position. Call `nextLine` to go to the first one. */
export const linesFrom = (text: string, next: number): Line => ({
  text,
  start: next,
  end: next,
  next,
  at: next,
  column: 0,
  breaks: { from: -1, last: -1 },
});

export function nextLine(line: Line): boolean {
  const { text, next: start } = line;
  if (start >= text.length) return false;
  let end = start;
  let code = text.charCodeAt(end);
  while (end < text.length && code !== LINE_FEED && code !== CARRIAGE_RETURN) code = text.charCodeAt(++end);
  const isPair = code === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED;
  line.next = Math.min(text.length, end + (isPair ? 2 : 1));
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  line.start = start;
  line.end = end;
  line.breaks.from = -1;
  seekTo(line, start, 0);
  return true;
}

export function seekTo(line: Line, at: number, column: number): void {
  line.at = at;
  line.column = column;
}

export const currentCharacter = ({ text, at, end }: Line): string => (at < end ? text.charAt(at) : "");

export const restOfLine = ({ text, at, end }: Line): string => text.slice(at, end);

export const isBlank = ({ at, end }: Line): boolean => at >= end;

export const isAtSpace = ({ text, at }: Line): boolean => isSpace(text.charCodeAt(at));

export const skipCharacter = (line: Line): void => seekTo(line, line.at + 1, line.column + 1);

/** Consumes white space of at most `max` columns and returns how many. */
export function skipSpace(line: Line, max = Number.POSITIVE_INFINITY): number {
  const { text } = line;
  let taken = 0;
  for (; taken < max && isAtSpace(line); taken++) {
    line.column++;
    if (text.charCodeAt(line.at) === SPACE || line.column % TAB_WIDTH === 0) line.at++;
  }
  return taken;
}

export function runLength({ text, at, end }: Line): number {
  const code = text.charCodeAt(at);
  let after = at;
  while (after < end && text.charCodeAt(after) === code) after++;
  return after - at;
}

/** Whether a thematic break starts here: at least three markers and otherwise only white space. */
export function isThematicBreak(line: Line): boolean {
  if (line.breaks.from < 0) findBreaks(line);
  return line.at >= line.breaks.from && line.at <= line.breaks.last;
}

/** Reads a line once from its end, because any number of nested lists may check it for a break. */
function findBreaks({ text, start, end, breaks }: Line): void {
  const marker = text.charAt(end - 1);
  breaks.from = end;
  breaks.last = -1;
  if (!BREAKS.includes(marker)) return;
  let markers = 0;
  for (let at = end - 1; at >= start && (text[at] === marker || isSpace(text.charCodeAt(at))); at--) {
    breaks.from = at;
    if (text[at] === marker && ++markers === 3) breaks.last = at;
  }
}
