import { create, parse } from "content-disposition";
import { asName } from "../../contract/name-key.ts";
import { isStorable } from "../../contract/storable.ts";
import { invalid } from "../../platform/core/errors.ts";

// Names of files, in headers and as they are stored (RFC 6266, RFC 8187).

const MAX_NAME = 255;

/** Control characters, and those that turn the direction of writing: with them `exe.gpj` looks like `jpg.exe`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** A name as it is stored: its last part, without what is hidden, at most 255 characters with its ending. */
export function fileName(sent: string): string {
  const last = sent.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const shown = (isStorable(last) ? last : last.toWellFormed()).replace(HIDDEN, "").replace(/\s+/g, " ");
  const name = asName(shown);
  if (/^\.*$/.test(name)) return "Untitled";
  if (name.length <= MAX_NAME) return name;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, MAX_NAME - ending.length).toWellFormed()}${ending}`;
}

/** The name in the header of an upload. */
export const nameIn = (header: string | undefined): string =>
  fileName(header ? (parse(header).parameters.filename ?? "") : "");

/** The header of a download. */
export const dispositionOf = (name: string, isShown: boolean): string =>
  create(name, { type: isShown ? "inline" : "attachment" });

const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

const hexOf = (base64: string) =>
  Array.from(atob(base64), (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/**
 * The SHA-256, in hexadecimal digits, of Repr-Digest (RFC 9530) or Digest (RFC 3230); undefined if neither has one. Throws
 * 422 for one that cannot be a SHA-256.
 */
export function digestIn(repr: string | undefined, digest: string | undefined): string | undefined {
  const found =
    /(?:^|,)\s*sha-256=:([^:]*):/i.exec(repr ?? "")?.[1] ??
    /(?:^|,)\s*sha-256=([^,\s]+)/i.exec(digest ?? "")?.[1];
  if (found === undefined) return undefined;
  if (!BASE64.test(found)) throw invalid("digest: must be the 32 bytes of a SHA-256 in base64");
  return hexOf(found);
}
