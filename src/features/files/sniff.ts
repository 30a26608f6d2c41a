import type { FileKind } from "../../contract/file.ts";

// Detects the type of a file from its first bytes, by the signatures of the WHATWG's MIME Sniffing standard (section 6) and
// of further formats. The type that an upload claims is not trusted, because some types are shown inline.

/** Enough bytes to detect the type: a zip archive starts with the names of its first files. */
export const SNIFFED_BYTES = 4096;

type Signature = { type: string; at?: number; bytes: string; and?: { at: number; bytes: string } };

const SIGNATURES: Signature[] = [
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", bytes: "\xff\xd8\xff" },
  { type: "image/gif", bytes: "GIF87a" },
  { type: "image/gif", bytes: "GIF89a" },
  { type: "image/webp", bytes: "RIFF", and: { at: 8, bytes: "WEBPVP" } },
  { type: "audio/wav", bytes: "RIFF", and: { at: 8, bytes: "WAVE" } },
  { type: "image/bmp", bytes: "BM", and: { at: 6, bytes: "\0\0\0\0" } },
  { type: "image/tiff", bytes: "II*\0" },
  { type: "image/tiff", bytes: "MM\0*" },
  { type: "application/pdf", bytes: "%PDF-" },
  { type: "audio/mpeg", bytes: "ID3" },
  { type: "audio/flac", bytes: "fLaC" },
  { type: "application/zip", bytes: "PK\x03\x04" },
  { type: "application/zip", bytes: "PK\x05\x06" },
  { type: "application/gzip", bytes: "\x1f\x8b\x08" },
  { type: "application/x-7z-compressed", bytes: "7z\xbc\xaf\x27\x1c" },
  { type: "application/vnd.rar", bytes: "Rar!\x1a\x07" },
  { type: "application/x-cfb", bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
  { type: "application/rtf", bytes: "{\\rtf" },
];

/** Brands of the ISO base media format, by their first letters (ISO/IEC 14496-12, `ftyp`). */
const BRANDS: [start: string, type: string][] = [
  ["avif", "image/avif"],
  ["avis", "image/avif"],
  ["heic", "image/heic"],
  ["heix", "image/heic"],
  ["mif1", "image/heif"],
  ["M4A", "audio/mp4"],
  ["qt", "video/quicktime"],
];

/** Formats that are zip archives, by extension. */
const ZIPPED: Record<string, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  epub: "application/epub+zip",
};

const COMPOUND: Record<string, string> = {
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  msg: "application/vnd.ms-outlook",
};

/** Text formats by extension. Other text that is not markup is text/plain. */
const TEXTS: Record<string, string> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  xml: "text/xml",
  eml: "message/rfc822",
  ics: "text/calendar",
  vcf: "text/vcard",
};

const extensionOf = (name: string) => /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? "";

const typeByExtension = (known: Record<string, string>, name: string) =>
  Object.hasOwn(known, extensionOf(name)) ? known[extensionOf(name)] : undefined;

const latin1Of = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

function isoMediaType(letters: string): string | undefined {
  if (letters.slice(4, 8) !== "ftyp") return undefined;
  const brand = letters.slice(8, 12);
  return BRANDS.find(([start]) => brand.startsWith(start))?.[1] ?? "video/mp4";
}

/** Ogg contains audio or video, which the name of the first stream's codec tells (RFC 5334). */
const oggType = (letters: string) =>
  letters.startsWith("OggS\0")
    ? /theora|video/i.test(letters.slice(0, 200))
      ? "video/ogg"
      : "audio/ogg"
    : undefined;

/** WebM is a subset of Matroska, and its header says which it is. */
const matroskaType = (letters: string) =>
  letters.startsWith("\x1aE\xdf\xa3")
    ? letters.slice(0, 64).includes("webm")
      ? "video/webm"
      : "video/x-matroska"
    : undefined;

/** A frame of MPEG audio without an ID3 tag: sync word, layer III and a valid bit rate. */
function mp3Type(bytes: Uint8Array): string | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  const isFrame =
    first === 0xff && (second & 0xe6) === 0xe2 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
  return isFrame ? "audio/mpeg" : undefined;
}

/** The bytes as UTF-8 text, or undefined if they are not text. The last character may be cut off. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function textType(text: string, name: string): string {
  const start = text.trimStart().slice(0, 1024).toLowerCase();
  if (/<svg[\s>]/.test(start)) return "image/svg+xml";
  if (/^(<!doctype html|<html|<head|<body|<script|<iframe|<!--)/.test(start)) return "text/html";
  if (start.startsWith("<?xml")) return "text/xml";
  if (/\.(html?|xhtml)$/i.test(name)) return "text/html";
  return typeByExtension(TEXTS, name) ?? "text/plain";
}

const CONTAINERS: Record<string, Record<string, string>> = {
  "application/zip": ZIPPED,
  "application/x-cfb": COMPOUND,
};

/** The media type by the first bytes. The name only distinguishes formats with the same container, and kinds of text. */
export function detectMediaType(start: Uint8Array, name: string): string {
  const bytes = start.subarray(0, SNIFFED_BYTES);
  const letters = latin1Of(bytes.subarray(0, 512));
  const has = (at: number, signature: string) => letters.startsWith(signature, at);
  const found = SIGNATURES.find(
    ({ at = 0, bytes, and }) => has(at, bytes) && (!and || has(and.at, and.bytes)),
  );
  if (found) return typeByExtension(CONTAINERS[found.type] ?? {}, name) ?? found.type;
  const media = isoMediaType(letters) ?? oggType(letters) ?? matroskaType(letters) ?? mp3Type(bytes);
  if (media) return media;
  const text = decodeText(bytes);
  return text === undefined ? "application/octet-stream" : textType(text, name);
}

const TEXT_TYPES = new Set(Object.values(TEXTS));

/** The kind as which a type is shown. SVG and HTML count as neither images nor text, because they may contain scripts. */
export function fileKindOf(type: string): FileKind {
  if (type === "application/pdf") return "pdf";
  if (type === "image/svg+xml" || type === "text/html") return "other";
  const [group] = type.split("/");
  if (group === "image" || group === "audio" || group === "video") return group;
  return group === "text" || TEXT_TYPES.has(type) ? "text" : "other";
}

export const isWebp = (start: Uint8Array): boolean => detectMediaType(start, "") === "image/webp";
