import type { Steps } from "../../../contract/text/steps.ts";

// What reading the text of a file may take. Whatever somebody uploads, it ends here, and others are served in between.

export const LIMITS = {
  /** of a file, in bytes; a longer one is not read, and of a plain text its beginning */
  bytes: 32 * 1024 * 1024,
  pages: 500,
  /** of all pages together, in UTF-16 units */
  characters: 1_000_000,
  /** bytes of one inflated entry or stream, and of all of them */
  entry: 8 * 1024 * 1024,
  inflated: 64 * 1024 * 1024,
  /** entries of an archive */
  entries: 10_000,
  /** units of work, each about as long as reading a character: a few seconds */
  work: 40_000_000,
};

/** Between two pauses: a few milliseconds. */
const TURN = 20_000;

const TOO_ELABORATE = "It is too elaborate: reading it was stopped";
const TOO_LONG = "Only the first 1,000,000 characters are read";

/** A file whose text cannot be read; the message says why, for its owner. */
export class Unreadable extends Error {}

/** A limit was reached: the pages until here are the text; the message says which limit. */
export class Enough extends Error {}

/** The pages of a file as they are read, within the limits. */
export class Meter {
  readonly pages: string[] = [];
  /** why something of it is missing, if it is */
  lack: string | undefined;
  #characters = 0;
  #inflated = 0;
  #work = 0;
  #turn = 0;

  /** Adds a page, which may be empty. Throws Enough when there is no room for more. */
  add(page: string): void {
    if (this.pages.length >= LIMITS.pages) throw new Enough(`Only the first ${LIMITS.pages} pages are read`);
    const text = tidy(page);
    const room = LIMITS.characters - this.#characters;
    this.pages.push(text.length > room ? text.slice(0, room).toWellFormed() : text);
    this.#characters += text.length;
    if (text.length > room) throw new Enough(TOO_LONG);
  }

  /** Notes that a part of it is missing, while the rest is read. */
  lacks(why: string): void {
    this.lack ??= why;
  }

  /** Whether so many characters no longer fit, which is noted: nobody needs to collect more for one page. */
  isFullBy(characters: number): boolean {
    const isFull = characters > LIMITS.characters - this.#characters;
    if (isFull) this.lacks(TOO_LONG);
    return isFull;
  }

  /** Counts work; true when it is time for a pause. Throws Enough when it was too much. */
  spend(work: number): boolean {
    this.charge(work);
    if (this.#turn < TURN) return false;
    this.#turn = 0;
    return true;
  }

  /** Counts work that has been done where no pause is possible: the next one comes sooner. Throws Enough. */
  charge(work: number): void {
    this.#turn += work;
    this.#work += work;
    if (this.#work > LIMITS.work) throw new Enough(TOO_ELABORATE);
  }

  /** Counts work, and pauses when it is time to. */
  *paid(work: number): Steps<void> {
    if (this.spend(work)) yield;
  }

  /** Counts inflated bytes. Throws Enough when it was too much. */
  inflate(bytes: number): void {
    this.#inflated += bytes;
    if (this.#inflated > LIMITS.inflated) throw new Enough("It is too large when it is unpacked");
  }
}

const LINE_ENDS = /\r\n?/g;
/** Control characters but tab and line feed, and the hyphens that are only shown where a line ends. */
const UNSEEN = /[^\P{Cc}\t\n]|\u00ad/gu;
const LIGATURES = /[\ufb00-\ufb06]/g;

/** As people read it: without what is not seen, spaces at the ends of lines and runs of empty lines. */
function tidy(text: string): string {
  const lines: string[] = [];
  let empty = 0;
  for (const line of text.replace(LINE_ENDS, "\n").replace(UNSEEN, "").split("\n")) {
    const trimmed = line.trimEnd();
    empty = trimmed === "" ? empty + 1 : 0;
    if (empty < 2) lines.push(trimmed);
  }
  const tidied = lines.join("\n").trim();
  return tidied.replace(LIGATURES, (ligature) => ligature.normalize("NFKC")).toWellFormed();
}

/** Characters of a part of a text that has no pages. */
const PART = 8000;
const BORDERS = ["\n\n", "\n", " "];

/** Adds a text that has no pages of its own, in parts of about 8,000 characters, cut where a paragraph, line or word ends. */
export function addParts(meter: Meter, text: string): void {
  for (let from = 0; from < text.length; ) {
    const until = text.length - from <= PART ? text.length : from + borderIn(text.slice(from, from + PART));
    const part = text.slice(from, until);
    if (part.trim() !== "") meter.add(part);
    from = until;
  }
}

function borderIn(part: string): number {
  const border = BORDERS.map((sign) => part.lastIndexOf(sign)).find((place) => place > PART / 2);
  if (border !== undefined) return border + 1;
  const last = part.charCodeAt(PART - 1);
  return last >= 0xd800 && last < 0xdc00 ? PART - 1 : PART;
}
