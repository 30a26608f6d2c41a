import {
  currentCharacter,
  isAtSpace,
  isBlank,
  isThematicBreak,
  type Line,
  seekTo,
  skipCharacter,
  skipSpace,
} from "./line.ts";

// CommonMark 0.31, section 5.

export type Quotation = { kind: "quotation" };
export type List = {
  kind: "list";
  marker: string;
  /** Position of the item's marker in the text. */
  start: number;
  /** Columns by which the content of the item is indented. */
  indent: number;
  /** Whether nothing follows the marker on its line. */
  beginsBlank: boolean;
  /** Whether a blank line ended an item that began blank. */
  isEnded: boolean;
};
export type Container = Quotation | List;

const MAX_DIGITS = 9;
const BULLETS = "*+-";
const STARTS = `>${BULLETS}0123456789`;

const QUOTATION: Quotation = { kind: "quotation" };

function readQuotation(line: Line): Quotation | undefined {
  if (currentCharacter(line) !== ">") return undefined;
  skipCharacter(line);
  skipSpace(line, 1);
  return QUOTATION;
}

const isDigit = (character: string) => character >= "0" && character <= "9";

/** Consumes the number of a list item and returns its width. Only a list that starts with 1 can interrupt a paragraph. */
function readNumber(line: Line, interrupts: boolean): number | undefined {
  let digits = 0;
  const isOne = currentCharacter(line) === "1";
  for (; digits < MAX_DIGITS && isDigit(currentCharacter(line)); digits++) skipCharacter(line);
  const isAllowed = !interrupts || (isOne && digits === 1);
  const delimiter = currentCharacter(line);
  return digits > 0 && isAllowed && (delimiter === "." || delimiter === ")") ? digits : undefined;
}

function readGap(line: Line): number | undefined {
  const { at, column } = line;
  const gap = skipSpace(line, 4);
  if (gap > 0 && !isAtSpace(line)) return gap;
  seekTo(line, at, column);
  return skipSpace(line, 1) || undefined;
}

/** Consumes the marker of a list item. If `list` is given, it must be an item of that list. */
function readItem(line: Line, indent: number, list: List | undefined, interrupts: boolean): List | undefined {
  const { at: start } = line;
  const isBullet = BULLETS.includes(currentCharacter(line));
  if (isBullet && isThematicBreak(line)) return undefined;
  const digits = isBullet ? 0 : readNumber(line, interrupts);
  const marker = currentCharacter(line);
  if (digits === undefined || (list && list.marker !== marker)) return undefined;
  skipCharacter(line);
  const beginsBlank = isBlank(line);
  const gap = beginsBlank ? 1 : readGap(line);
  if (gap === undefined || (beginsBlank && interrupts)) return undefined;
  const width = indent + digits + 1 + gap;
  return { kind: "list", marker, start, indent: width, beginsBlank, isEnded: false };
}

/** Consumes the start of a new container. `interrupts`: whether it would interrupt a paragraph. */
export function readContainer(line: Line, interrupts: boolean): Container | undefined {
  const { at, column } = line;
  const indent = skipSpace(line, 3);
  const isStart = !isBlank(line) && STARTS.includes(currentCharacter(line));
  const container = isStart
    ? (readQuotation(line) ?? readItem(line, indent, undefined, interrupts))
    : undefined;
  if (!container) seekTo(line, at, column);
  return container;
}

export function continuesQuotation(line: Line): boolean {
  const { at, column } = line;
  skipSpace(line, 3);
  if (readQuotation(line)) return true;
  seekTo(line, at, column);
  return false;
}

/** Consumes the start of a line in a list. Returns whether it continues the item, or the next item. */
export function continueList(line: Line, list: List): boolean | List {
  const { at, column } = line;
  const { isEnded } = list;
  list.isEnded = false;
  list.beginsBlank = false;
  if (!isEnded && skipSpace(line, list.indent) === list.indent) return true;
  seekTo(line, at, column);
  const item = readItem(line, skipSpace(line, 3), list, false);
  if (!item) seekTo(line, at, column);
  return item ?? false;
}

export function noteBlankLine(container: Container | undefined): void {
  if (container?.kind === "list" && container.beginsBlank) container.isEnded = true;
}
