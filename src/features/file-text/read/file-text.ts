import { Buffer } from "node:buffer";
import type { Steps } from "../../../shared/text/steps.ts";
import { decodeText } from "./decode-text.ts";
import { readEmail } from "./email.ts";
import { readBook } from "./epub.ts";
import { htmlText } from "./html.ts";
import { addParts, LIMITS, LimitReached, Meter, UnreadableFile } from "./meter.ts";
import { readOpenDocument, readSheets, readSlides, readWord } from "./office.ts";
import { readPdf } from "./pdf.ts";
import { type Archive, openArchive } from "./zip.ts";

export type FileText = {
  /** `none`: a type of file without text */
  state: "none" | "done" | "cut" | "failed";
  /** why it failed or was cut, for its owner */
  note: string | null;
  /** the pages, or for files without pages parts of about 8,000 characters */
  texts: string[];
  /** number of pages; null for files without pages */
  pages: number | null;
};

type FileInfo = { type: string; name: string };
/** Returns the number of pages: undefined for a file without pages, 0 for one that is not a text. */
type TextReader = (meter: Meter, bytes: Uint8Array) => Steps<number | undefined>;

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Types of archives by an entry that each has. */
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
  addParts(meter, yield* htmlText(meter, decodeText(bytes)));
}

function* readPlain(meter: Meter, bytes: Uint8Array): Steps<undefined> {
  const text = decodeText(bytes);
  yield* meter.spendAndPause(text.length / 10);
  addParts(meter, text);
}

/** Bytes of plain text to read; more cannot fit into the character limit, even in UTF-16. */
const PLAIN_BYTES = 4 * LIMITS.characters;

const OFFICE_TYPE = /\b(?:pdf|officedocument|opendocument|epub|msword|ms-excel|ms-powerpoint)\b/;

const rejectWith = (why: string) =>
  function* (): Steps<undefined> {
    yield;
    throw new UnreadableFile(why);
  };

const isUtf16 = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const isPlain = (bytes: Uint8Array) => isUtf16(bytes) || !bytes.subarray(0, 8000).includes(0);

const firstBytesHex = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString("hex");
/** `PK` followed by a local header, or by the end of an empty archive. */
const ARCHIVE_STARTS = ["504b0304", "504b0506"];
/** Office formats from before 2007, and encrypted newer files. */
const OLE_START = "d0cf11e0";

type FileKind = { is: (bytes: Uint8Array, file: FileInfo) => boolean; read: TextReader };

/** Readers by the first bytes of a file, or for types without a signature by type and name. */
const KINDS: FileKind[] = [
  { is: (bytes) => latin1(bytes.subarray(0, 1024)).includes("%PDF-"), read: readPdf },
  { is: (bytes) => ARCHIVE_STARTS.includes(firstBytesHex(bytes)), read: readArchive },
  {
    is: (bytes) => firstBytesHex(bytes) === OLE_START,
    read: rejectWith("It is in an older Office format or protected by a password"),
  },
  {
    is: (_, { type }) => OFFICE_TYPE.test(type),
    read: rejectWith("It is damaged, or its content does not match its file type"),
  },
  { is: (_, { type, name }) => type === "message/rfc822" || /\.eml$/i.test(name), read: readEmail },
  { is: (_, { type }) => /^(?:text\/html|application\/xhtml\+xml)$/.test(type), read: readHtml },
  {
    is: (bytes, { type }) => /^text\/|\b(?:json|xml|yaml|toml|javascript|sql)$/.test(type) && isPlain(bytes),
    read: readPlain,
  },
];

const isPlainReader = (read: TextReader) => read === readPlain || read === readHtml || read === readEmail;

export const bytesToRead = ({ type, bytes }: { type: string; bytes: number }): number =>
  /^(?:text|message)\//.test(type) ? Math.min(bytes, PLAIN_BYTES) : Math.min(bytes, LIMITS.bytes);

/** The result of reading: the number of pages, or the error that ended it. */
type ReadResult = { pages?: number | undefined; problem?: unknown };

function* runReader(meter: Meter, read: TextReader, bytes: Uint8Array): Steps<ReadResult> {
  try {
    return { pages: yield* read(meter, bytes) };
  } catch (problem) {
    return { problem };
  }
}

function outcomeOf(
  { pages, problem }: ReadResult,
  { missing, pages: { length: read } }: Meter,
  isBeginning: boolean,
): Omit<FileText, "texts"> {
  if (problem instanceof LimitReached) return { state: "cut", note: problem.message, pages: null };
  if (problem) {
    // Other errors are caused by unforeseen bytes.
    const note =
      problem instanceof UnreadableFile
        ? problem.message
        : "It is damaged, or its content does not match its file type";
    return { state: "failed", note, pages: null };
  }
  if (pages === 0) return { state: "none", note: null, pages: null };
  if (isBeginning) return { state: "cut", note: "Only its beginning was read", pages: null };
  if (pages !== undefined && pages > read)
    return { state: "cut", note: `Only the first ${read} of ${pages} pages were read`, pages };
  return { state: missing === undefined ? "done" : "cut", note: missing ?? null, pages: pages ?? null };
}

/**
 * Reads the text of a file, in steps of a few milliseconds. Always ends with a state, whatever the bytes are. `size`: size of
 * the whole file, of which `bytes` may be the beginning.
 */
export function* fileText(bytes: Uint8Array, file: FileInfo, size = bytes.length): Steps<FileText> {
  const read = KINDS.find(({ is }) => is(bytes, file))?.read;
  if (!read) return { state: "none", note: null, texts: [], pages: null };
  const isBeginning = size > bytes.length;
  const tooLarge = "Its text was not read, because it is larger than 32 MB";
  if (isBeginning && !isPlainReader(read)) return { state: "failed", note: tooLarge, texts: [], pages: null };
  const meter = new Meter();
  const result = yield* runReader(meter, read, bytes);
  const outcome = outcomeOf(result, meter, isBeginning);
  if (outcome.state === "failed" || outcome.state === "none") return { ...outcome, texts: [] };
  const pages = outcome.pages ?? (read === readPdf ? meter.pages.length : null);
  return { ...outcome, texts: meter.pages, pages };
}
