import type { Line } from "./line.ts";

// Quotations and lists: what begins one, and which lines go on within it (CommonMark 0.31, section 5).

export type Quotation = { kind: "quotation" };
export type List = {
  kind: "list";
  /** The bullet, or what stands behind the number. */
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

/** Takes up to three columns of white space and then what `read` takes; nothing at all where that is undefined. */
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

/** Takes the number of a list item; answers its columns. Only a list that begins with 1 interrupts other text. */
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

/** The columns of the white space behind a marker that belong to it. */
function readGap(line: Line): number | undefined {
  const before = line.save();
  const gap = line.takeSpace(4);
  if (gap > 0 && !line.isAtSpace) return gap;
  line.restore(before);
  return line.takeSpace(1) || undefined;
}

/** Takes the marker of a list item: one of the same list, where there is one. */
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

/** Takes what begins a new container here. `interrupts` says whether other text would be interrupted. */
export const readContainer = (line: Line, interrupts: boolean): Container | undefined =>
  attempt(line, (indent) => readQuotation(line) ?? readItem(line, indent, undefined, interrupts));

/** Takes what a line within a quotation begins with. */
export const continuesQuotation = (line: Line): boolean =>
  attempt(line, () => readQuotation(line)) !== undefined;

/** Takes what a line within a list begins with: says whether it is one of the same item, or answers the next item. */
export function continueList(line: Line, list: List): boolean | List {
  const { isEnded } = list;
  list.isEnded = false;
  list.beginsBlank = false;
  const before = line.save();
  if (!isEnded && line.takeSpace(list.indent) === list.indent) return true;
  line.restore(before);
  return attempt(line, (indent) => readItem(line, indent, list, false)) ?? false;
}

/** Notes a blank line: an item that began with one has ended. */
export function noteBlank(container: Container | undefined): void {
  if (container?.kind === "list" && container.beginsBlank) container.isEnded = true;
}
