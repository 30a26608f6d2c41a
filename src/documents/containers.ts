import type { Line } from "./line.ts";

// Block quotes and lists: what starts one, and which lines continue it (CommonMark 0.31, section 5).

export type Quotation = { kind: "quotation" };
export type List = {
  kind: "list";
  /** The bullet, or the delimiter after the number. */
  marker: string;
  /** Columns by which the lines of an item are indented. */
  indent: number;
  /** Whether the item began with a blank line, and whether another one followed. */
  beginsBlank: boolean;
  isEnded: boolean;
};
export type Container = Quotation | List;

const MAX_DIGITS = 9;
const BULLETS = "*+-";

/** Consumes up to three columns of white space and then what `read` consumes; nothing at all if that is undefined. */
function attempt<Result>(line: Line, read: (indent: number) => Result | undefined): Result | undefined {
  const before = line.save();
  const result = read(line.takeSpace(3));
  if (result === undefined) line.restore(before);
  return result;
}

function readQuotation(line: Line): Quotation | undefined {
  if (line.character !== ">") return undefined;
  line.take();
  line.takeSpace(1);
  return { kind: "quotation" };
}

/** Consumes the number of a list item; returns its width. Only a list that starts with 1 can interrupt a paragraph. */
function readNumber(line: Line, interrupts: boolean): number | undefined {
  let digits = 0;
  const isOne = line.character === "1";
  while (digits < MAX_DIGITS && /^\d$/.test(line.character)) {
    line.take();
    digits++;
  }
  const isAllowed = !interrupts || (isOne && digits === 1);
  return digits > 0 && isAllowed && /^[.)]$/.test(line.character) ? digits : undefined;
}

/** The columns of white space after a marker that belong to it. */
function readGap(line: Line): number | undefined {
  const before = line.save();
  const gap = line.takeSpace(4);
  if (gap > 0 && !line.isAtSpace) return gap;
  line.restore(before);
  return line.takeSpace(1) || undefined;
}

/** Consumes the marker of a list item, of the same list if there is one. */
function readItem(line: Line, indent: number, list: List | undefined, interrupts: boolean): List | undefined {
  const isBullet = line.character !== "" && BULLETS.includes(line.character);
  if (isBullet && line.character !== "+" && line.isThematicBreak(line.character)) return undefined;
  const digits = isBullet ? 0 : readNumber(line, interrupts);
  const marker = line.character;
  if (digits === undefined || (list && list.marker !== marker)) return undefined;
  line.take();
  const beginsBlank = line.isBlank;
  const gap = beginsBlank ? 1 : readGap(line);
  if (gap === undefined || (beginsBlank && interrupts)) return undefined;
  return { kind: "list", marker, indent: indent + digits + 1 + gap, beginsBlank, isEnded: false };
}

/** Consumes the start of a new container. `interrupts` says whether that would interrupt a paragraph. */
export const readContainer = (line: Line, interrupts: boolean): Container | undefined =>
  attempt(line, (indent) => readQuotation(line) ?? readItem(line, indent, undefined, interrupts));

/** Consumes the marker of a line within a block quote. */
export const continuesQuotation = (line: Line): boolean =>
  attempt(line, () => readQuotation(line)) !== undefined;

/** Consumes the start of a line within a list: returns whether it continues the item, or the next item. */
export function continueList(line: Line, list: List): boolean | List {
  const { isEnded } = list;
  list.isEnded = false;
  list.beginsBlank = false;
  const before = line.save();
  if (!isEnded && line.takeSpace(list.indent) === list.indent) return true;
  line.restore(before);
  return attempt(line, (indent) => readItem(line, indent, list, false)) ?? false;
}

/** Records a blank line: it ends an item that started with one. */
export function noteBlank(container: Container | undefined): void {
  if (container?.kind === "list" && container.beginsBlank) container.isEnded = true;
}
