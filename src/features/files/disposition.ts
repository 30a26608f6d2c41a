import { Buffer } from "node:buffer";
import { create, parse } from "content-disposition";
import { normalizeName } from "../../contract/name-key.ts";
import { isStorable } from "../../contract/storable.ts";
import { unprocessable } from "../../platform/core/errors.ts";

// File names, in headers and as stored (RFC 6266, RFC 8187), and digests in headers.

const MAX_NAME = 255;

/** Control characters, and those that change the text direction: with them, `exe.gpj` can look like `jpg.exe`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** A name as stored: the last path segment without hidden characters, at most 255 characters including the extension. */
export function sanitizeFileName(sent: string): string {
  const last = sent.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const visible = (isStorable(last) ? last : last.toWellFormed()).replace(HIDDEN, "").replace(/\s+/g, " ");
  const name = normalizeName(visible);
  if (/^\.*$/.test(name)) return "Untitled";
  if (name.length <= MAX_NAME) return name;
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, MAX_NAME - extension.length).toWellFormed()}${extension}`;
}

export const fileNameInHeader = (header: string | undefined): string =>
  sanitizeFileName(header ? (parse(header).parameters.filename ?? "") : "");

export const contentDisposition = (name: string, isShown: boolean): string =>
  create(name, { type: isShown ? "inline" : "attachment" });

const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** The SHA-256 in Repr-Digest (RFC 9530) or Digest (RFC 3230), in hexadecimal; undefined if neither has one. Throws 422. */
export function sha256InHeaders(repr: string | undefined, digest: string | undefined): string | undefined {
  const found =
    /(?:^|,)\s*sha-256=:([^:]*):/i.exec(repr ?? "")?.[1] ??
    /(?:^|,)\s*sha-256=([^,\s]+)/i.exec(digest ?? "")?.[1];
  if (found === undefined) return undefined;
  if (!BASE64.test(found)) throw unprocessable("digest: must be a SHA-256 (32 bytes) in base64");
  return Buffer.from(found, "base64").toString("hex");
}
