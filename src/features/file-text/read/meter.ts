import type { Steps } from "../../../shared/text/steps.ts";

// Limits for reading the text of a file, so that any upload ends in bounded time and other requests run in between.

export const LIMITS = {
  /** size of a file in bytes; larger ones are not read, except for the beginning of plain text */
  bytes: 32 * 1024 * 1024,
  pages: 500,
  /** total of all pages, in UTF-16 units */
  characters: 1_000_000,
  /** bytes of one inflated entry or stream, and their total */
  entry: 8 * 1024 * 1024,
  inflated: 64 * 1024 * 1024,
  /** entries of an archive */
  entries: 10_000,
  /** units of work, each about the time of reading a character: a few seconds */
  work: 40_000_000,
};

/** Work between two pauses: a few milliseconds. */
const WORK_BETWEEN_PAUSES = 20_000;

const TOO_COMPLEX = "It is too complex to be read completely";
const TOO_LONG = "Only the first 1,000,000 characters were read";

/** The text of the file cannot be read. The message tells its owner why. */
export class UnreadableFile extends Error {}

/** A limit was reached, and the pages so far are the text. The message says which limit. */
export class LimitReached extends Error {}

/** Collects the pages of a file within the limits. */
export class Meter {
  readonly pages: string[] = [];
  /** why a part is missing, if one is */
  missing: string | undefined;
  #characters = 0;
  #inflated = 0;
  #work = 0;
  #turn = 0;

  /** Adds a page, which may be empty. Throws LimitReached if it does not fit. */
  add(page: string): void {
    if (this.pages.length >= LIMITS.pages)
      throw new LimitReached(`Only the first ${LIMITS.pages} pages were read`);
    const text = cleanUp(page);
    const room = LIMITS.characters - this.#characters;
    this.pages.push(text.length > room ? text.slice(0, room).toWellFormed() : text);
    this.#characters += text.length;
    if (text.length > room) throw new LimitReached(TOO_LONG);
  }

  /** Notes that a part is missing; reading continues. */
  noteMissing(why: string): void {
    this.missing ??= why;
  }

  /** Whether a page of this length no longer fits, which is then noted. Callers can stop collecting. */
  isTooLong(characters: number): boolean {
    const isFull = characters > LIMITS.characters - this.#characters;
    if (isFull) this.noteMissing(TOO_LONG);
    return isFull;
  }

  /** Counts work and returns whether it is time for a pause. Throws LimitReached above the limit. */
  spend(work: number): boolean {
    this.charge(work);
    if (this.#turn < WORK_BETWEEN_PAUSES) return false;
    this.#turn = 0;
    return true;
  }

  /** Counts work where no pause is possible, so that the next pause comes sooner. Throws LimitReached. */
  charge(work: number): void {
    this.#turn += work;
    this.#work += work;
    if (this.#work > LIMITS.work) throw new LimitReached(TOO_COMPLEX);
  }

  /** Counts work, and pauses if it is time to. */
  *spendAndPause(work: number): Steps<void> {
    if (this.spend(work)) yield;
  }

  /** Counts inflated bytes. Throws LimitReached above the limit. */
  inflate(bytes: number): void {
    this.#inflated += bytes;
    if (this.#inflated > LIMITS.inflated) throw new LimitReached("It is too large when unpacked");
  }
}

const LINE_ENDS = /\r\n?/g;
/** Control characters except tab and line feed, and soft hyphens. */
const INVISIBLE = /[^\P{Cc}\t\n]|\u00ad/gu;
const LIGATURES = /[\ufb00-\ufb06]/g;

/** Removes invisible characters, trailing spaces and repeated empty lines, and resolves ligatures. */
function cleanUp(text: string): string {
  const lines: string[] = [];
  let empty = 0;
  for (const line of text.replace(LINE_ENDS, "\n").replace(INVISIBLE, "").split("\n")) {
    const trimmed = line.trimEnd();
    empty = trimmed === "" ? empty + 1 : 0;
    if (empty < 2) lines.push(trimmed);
  }
  const tidied = lines.join("\n").trim();
  return tidied.replace(LIGATURES, (ligature) => ligature.normalize("NFKC")).toWellFormed();
}

const PART_LENGTH = 8000;
const BREAKS = ["\n\n", "\n", " "];

/** Adds a text without pages in parts of about 8,000 characters, cut at the end of a paragraph, line or word. */
export function addParts(meter: Meter, text: string): void {
  for (let from = 0; from < text.length; ) {
    const isLast = text.length - from <= PART_LENGTH;
    const until = isLast ? text.length : from + findBreak(text.slice(from, from + PART_LENGTH));
    const part = text.slice(from, until);
    if (part.trim() !== "") meter.add(part);
    from = until;
  }
}

function findBreak(part: string): number {
  const border = BREAKS.map((sign) => part.lastIndexOf(sign)).find((place) => place > PART_LENGTH / 2);
  if (border !== undefined) return border + 1;
  const last = part.charCodeAt(PART_LENGTH - 1);
  return last >= 0xd800 && last < 0xdc00 ? PART_LENGTH - 1 : PART_LENGTH;
}
