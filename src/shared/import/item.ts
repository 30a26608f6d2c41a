import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export type ImportItem = {
  /** Location for messages: a path or a line number. */
  where: string;
  source: string;
  /** Identity within the source: the path with slashes, or the id in the file. */
  path: string;
  /** Identity when the folder is renamed: the file name or the id. */
  name: string;
  title: string;
  content: Record<string, unknown>;
  tags: string[];
  folders: string[];
  created_at?: Date | undefined;
  updated_at?: Date | undefined;
  notes: string[];
  /** The first heading of a note without a title of its own. */
  heading?: string;
  isOwn?: boolean;
  attached?: string[];
  files?: ItemFiles;
};

export type ItemFiles = {
  /** Path by the reference in the text. */
  named: Map<string, string>;
  attached: string[];
  /** Size in bytes by path. */
  sizes: Map<string, number>;
};

/** File ids by path. */
export type FileIds = ReadonlyMap<string, string>;

/** An entry that should have become a document but cannot, and why. */
export type ImportProblem = { where: string; why: string; path?: string };

export type SkippedEntry = { where: string; leftOut: string };

export type FoundEntry = ImportItem | ImportProblem | SkippedEntry;

export type ImportTarget = { folders: string[]; tags: string[] };

export type OnProgress = (done: number, total: number) => void;

export const textContent = (text: string, format = "markdown") => ({ format, text });

export const hexDigest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** A digest of 52 bits, which JSON keeps exactly. */
export const shortDigest = (text: string) => Number.parseInt(hexDigest(text).slice(0, 13), 16);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Reads UTF-8 without its byte order mark. Throws on bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Error("is not UTF-8");
  }
}

export const errorMessage = (problem: unknown) =>
  problem instanceof Error ? problem.message : String(problem);

const MAX_TITLE = 500;

const LONG_TITLE = "its title has";

/** A title that the service accepts, in NFC, with a note if it was cut. */
export function fitTitle(given: string): { title: string; notes: string[] } {
  const title = given.normalize("NFC");
  if (title.length <= MAX_TITLE) return { title, notes: [] };
  // Do not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(title.charAt(MAX_TITLE - 1)) ? MAX_TITLE - 1 : MAX_TITLE;
  return {
    title: title.slice(0, end),
    notes: [`${LONG_TITLE} ${title.length} characters and was cut to ${MAX_TITLE}`],
  };
}

/** The notes without the one about a long title, for items that get another title. */
export const withoutTitleNotes = (notes: readonly string[]): string[] =>
  notes.filter((note) => !note.startsWith(LONG_TITLE));
