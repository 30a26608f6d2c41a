import { createHash } from "node:crypto";

/** One document as the source has it, ready to be written. */
export type Item = {
  /** How a person finds it again: a path, or a line number. */
  where: string;
  /** What stays the same when the text changes: the file's full path, and the id in it. */
  origin: string;
  title: string;
  content: Record<string, unknown>;
  tags: string[];
  /** Names of the folders above it, from the top. */
  folders: string[];
};

/** Something in the source that cannot become a document, and why. */
export type Refusal = { where: string; why: string };

/** What a source gives: items in its own order, and what it cannot read. */
export type Found = Item | Refusal;

export const isRefusal = (found: Found): found is Refusal => "why" in found;

/** Settings that hold for every document of an import. */
export type Target = { folders: string[]; tags: string[] };

/** Prose as a document's content. */
export const prose = (text: string) => ({ format: "markdown", text });

/** SHA-256 in hexadecimal. */
export const digest = (text: string) => createHash("sha256").update(text).digest("hex");

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
