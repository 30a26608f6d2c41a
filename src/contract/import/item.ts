import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export type Item = {
  /** Where it is, for messages: a path, or a line number. */
  where: string;
  source: string;
  /** Its identity within the source: its path in the folder with slashes, or its id in the file. */
  path: string;
  /** Its identity when its folder is renamed: the file's own name, or its id. */
  name: string;
  title: string;
  content: Record<string, unknown>;
  tags: string[];
  folders: string[];
  created_at?: Date | undefined;
  updated_at?: Date | undefined;
  notes: string[];
  /** The first heading of a note that says no title. */
  heading?: string;
  /** Written by an export of ours, with links to the files attached to it. */
  isOwn?: boolean;
  attached?: string[];
  files?: ItemFiles;
};

/** The files of its source that a note needs: those that its text names, by the name; and those attached to it. */
export type ItemFiles = {
  named: Map<string, string>;
  attached: string[];
  /** How many bytes each has, by its path. */
  sizes: Map<string, number>;
};

/** The ids of files by their paths. */
export type FileIds = ReadonlyMap<string, string>;

/** Something in the source that cannot become a document although it should, and why. */
export type Refusal = { where: string; why: string; path?: string };

export type LeftOut = { where: string; leftOut: string };

export type Found = Item | Refusal | LeftOut;

export type Target = { folders: string[]; tags: string[] };

export const prose = (text: string, format = "markdown") => ({ format, text });

export const digest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** A digest of 52 bits, which JSON keeps exactly. */
export const shortDigest = (text: string) => Number.parseInt(digest(text).slice(0, 13), 16);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Reads UTF-8 without its byte order mark. Throws on bytes that are not UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Error("is not UTF-8");
  }
}

export const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem));

const MAX_TITLE = 500;

const LONG_TITLE = "its title has";

/** A title as the service takes it, in NFC, with a note if it is cut. */
export function fitTitle(given: string): { title: string; notes: string[] } {
  const title = given.normalize("NFC");
  if (title.length <= MAX_TITLE) return { title, notes: [] };
  // Does not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(title.charAt(MAX_TITLE - 1)) ? MAX_TITLE - 1 : MAX_TITLE;
  return {
    title: title.slice(0, end),
    notes: [`${LONG_TITLE} ${title.length} characters and was cut to ${MAX_TITLE}`],
  };
}

/** Notes without that on a title, for what gets another one. */
export const notOnTitle = (notes: readonly string[]): string[] =>
  notes.filter((note) => !note.startsWith(LONG_TITLE));
