import { Buffer } from "node:buffer";
import type { Steps } from "../../../contract/text/steps.ts";
import { decoded } from "./decoded.ts";
import { readBook } from "./epub.ts";
import { htmlText } from "./html.ts";
import { readMail } from "./mail.ts";
import { addParts, Enough, LIMITS, Meter, Unreadable } from "./meter.ts";
import { readOpenDocument, readSheets, readSlides, readWord } from "./office.ts";
import { readPdf } from "./pdf.ts";
import { type Archive, openArchive } from "./zip.ts";

export type FileText = {
  /** `none`: a kind of file that has no text */
  state: "none" | "done" | "cut" | "failed";
  /** why it failed or was cut, for its owner */
  note: string | null;
  /** of a file without pages, parts of about 8,000 characters */
  texts: string[];
  /** how many pages it has; null for files without pages */
  pages: number | null;
};

type Asked = { type: string; name: string };
type Read = (meter: Meter, bytes: Uint8Array) => Steps<number | undefined>;

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Archives by an entry that each of their kind has. */
const ARCHIVES: [entry: string, read: (meter: Meter, archive: Archive) => Steps<void>, hasPages?: true][] = [
  ["word/document.xml", readWord],
  ["xl/workbook.xml", readSheets],
  ["ppt/presentation.xml", readSlides, true],
  ["META-INF/container.xml", readBook],
  ["content.xml", readOpenDocument],
];

function* readArchive(meter: Meter, bytes: Uint8Array): Steps<number | undefined> {
  const archive = openArchive(meter, bytes);
  const known = ARCHIVES.find(([entry]) => archive.names.includes(entry));
  if (!known) return 0;
  const [, read, hasPages] = known;
  yield* read(meter, archive);
  return hasPages ? meter.pages.length : undefined;
}

function* readHtml(meter: Meter, bytes: Uint8Array): Steps<undefined> {
  addParts(meter, yield* htmlText(meter, decoded(bytes)));
  return undefined;
}

function* readPlain(meter: Meter, bytes: Uint8Array): Steps<undefined> {
  const text = decoded(bytes);
  yield* meter.paid(text.length / 10);
  addParts(meter, text);
  return undefined;
}

function* readLetter(meter: Meter, bytes: Uint8Array): Steps<undefined> {
  yield* readMail(meter, bytes);
  return undefined;
}

/** UTF-16 and some more: at most this much of a plain text can fit. */
const PLAIN_BYTES = 4 * LIMITS.characters;

const OFFICE = /\b(?:pdf|officedocument|opendocument|epub|msword|ms-excel|ms-powerpoint)\b/;

const refuse = (why: string) =>
  function* (): Steps<undefined> {
    yield;
    throw new Unreadable(why);
  };

const isUtf16 = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const isPlain = (bytes: Uint8Array) => isUtf16(bytes) || !bytes.subarray(0, 8000).includes(0);

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString("hex");
/** `PK`, and a file or the end of an empty archive. */
const ARCHIVE_STARTS = ["504b0304", "504b0506"];
/** What the programs of before 2007 write, and newer ones around what they encrypt. */
const OLE_START = "d0cf11e0";

type Kind = { is: (bytes: Uint8Array, asked: Asked) => boolean; read: Read };

/** How a file is read: as its bytes say, or, where they can be anything, as its type and name. */
const KINDS: Kind[] = [
  { is: (bytes) => latin(bytes.subarray(0, 1024)).includes("%PDF-"), read: readPdf },
  { is: (bytes) => ARCHIVE_STARTS.includes(hexOf(bytes)), read: readArchive },
  {
    is: (bytes) => hexOf(bytes) === OLE_START,
    read: refuse("It is in an older format of an office program, or protected by a password"),
  },
  { is: (_, { type }) => OFFICE.test(type), read: refuse("It is damaged, or not what its name says") },
  { is: (_, { type, name }) => type === "message/rfc822" || /\.eml$/i.test(name), read: readLetter },
  { is: (_, { type }) => /^(?:text\/html|application\/xhtml\+xml)$/.test(type), read: readHtml },
  {
    is: (bytes, { type }) => /^text\/|\b(?:json|xml|yaml|toml|javascript|sql)$/.test(type) && isPlain(bytes),
    read: readPlain,
  },
];

const isPlainReader = (read: Read) => read === readPlain || read === readHtml || read === readLetter;

/** How many of a file's bytes are read. */
export const bytesToRead = ({ type, bytes }: { type: string; bytes: number }): number =>
  /^(?:text|message)\//.test(type) ? Math.min(bytes, PLAIN_BYTES) : Math.min(bytes, LIMITS.bytes);

/** What became of reading: how many pages it has (undefined: none, 0: it is no text), or what ended it. */
type Ending = { pages?: number | undefined; problem?: unknown; lack?: string | undefined };

function* ending(meter: Meter, read: Read, bytes: Uint8Array): Steps<Ending> {
  try {
    const pages = yield* read(meter, bytes);
    return { pages, lack: meter.lack };
  } catch (problem) {
    return { problem };
  }
}

function outcomeOf(
  { pages, problem, lack }: Ending,
  read: number,
  isBeginning: boolean,
): Omit<FileText, "texts"> {
  if (problem instanceof Enough) return { state: "cut", note: problem.message, pages: null };
  if (problem) {
    // Others than Unreadable are of bytes that nobody thought of.
    const note = problem instanceof Unreadable ? problem.message : "It is damaged, or not what its name says";
    return { state: "failed", note, pages: null };
  }
  if (pages === 0) return { state: "none", note: null, pages: null };
  if (isBeginning) return { state: "cut", note: "Only its beginning is read", pages: null };
  if (pages !== undefined && pages > read)
    return { state: "cut", note: `Only the first ${read} of ${pages} pages are read`, pages };
  return { state: lack === undefined ? "done" : "cut", note: lack ?? null, pages: pages ?? null };
}

/**
 * The text of a file, in steps of a few milliseconds; whatever the bytes are, it ends, and with a state. `size`: of the whole
 * file, of which `bytes` may be the beginning.
 */
export function* fileText(bytes: Uint8Array, asked: Asked, size = bytes.length): Steps<FileText> {
  const read = KINDS.find(({ is }) => is(bytes, asked))?.read;
  if (!read) return { state: "none", note: null, texts: [], pages: null };
  const isBeginning = size > bytes.length;
  if (isBeginning && !isPlainReader(read))
    return { state: "failed", note: "It is larger than 32 MB: its text is not read", texts: [], pages: null };
  const meter = new Meter();
  const ended = yield* ending(meter, read, bytes);
  const outcome = outcomeOf(ended, meter.pages.length, isBeginning);
  if (outcome.state === "failed" || outcome.state === "none") return { ...outcome, texts: [] };
  const pages = outcome.pages ?? (read === readPdf ? meter.pages.length : null);
  return { ...outcome, texts: meter.pages, pages };
}
