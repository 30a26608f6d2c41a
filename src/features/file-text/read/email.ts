import { Buffer } from "node:buffer";
import type { Steps } from "../../../shared/text/steps.ts";
import { decodeText } from "./decode-text.ts";
import { htmlText } from "./html.ts";
import { addParts, type Meter } from "./meter.ts";

// An email (RFC 5322, MIME: RFC 2045 to 2047): its main headers, its text, and the names of attachments.

const MAX_DEPTH = 10;
const MAX_PARTS = 200;
const SHOWN_HEADERS = ["from", "to", "cc", "date", "subject"];

type Part = { headers: Map<string, string>; body: string };

/** Headers and body of a part. Each character of the text is one byte. */
function parsePart(text: string): Part {
  const end = /\r?\n\r?\n/.exec(text);
  const head = end ? text.slice(0, end.index) : text;
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, body: end ? text.slice(end.index + end[0].length) : "" };
}

const bytesOf = (text: string) => Buffer.from(text, "latin1");

function decodeQuotedPrintable(text: string): Uint8Array {
  const plain = text
    .replace(/=\r?\n/g, "")
    .replace(/=([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytesOf(plain);
}

/** Decodes encoded words in a header (RFC 2047). */
const decodeHeader = (header: string) =>
  decodeText(bytesOf(header))
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?([\w-]{1,40})(?:\*[\w-]{1,40})?\?([bBqQ])\?([^?]{0,1000})\?=/g, (_, charset, how, text) =>
      decodeText(
        how.toLowerCase() === "b"
          ? Buffer.from(text, "base64")
          : decodeQuotedPrintable(text.replaceAll("_", " ")),
        charset,
      ),
    );

const parameter = (header: string, name: string) => {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]{0,200})"|([^;\\s]{1,200}))`, "i").exec(header);
  return found?.[1] ?? found?.[2];
};

function decodeBody({ headers, body }: Part): Uint8Array {
  const how = headers.get("content-transfer-encoding")?.toLowerCase();
  if (how === "base64") return Buffer.from(body, "base64");
  return how === "quoted-printable" ? decodeQuotedPrintable(body) : bytesOf(body);
}

function splitParts(body: string, boundary: string): Part[] {
  const pieces = body.split(`--${boundary}`).slice(1, MAX_PARTS);
  return pieces
    .filter((piece) => !piece.startsWith("--"))
    .map((piece) => parsePart(piece.replace(/^[ \t]*\r?\n/, "")));
}

/** The name of an attachment or of a part that is not text; undefined for text. */
function attachmentName(type: string, disposition: string): string | undefined {
  const name = parameter(disposition, "filename") ?? parameter(type, "name");
  const isText = /^\s*text\//i.test(type) && !/^\s*attachment/i.test(disposition);
  return isText ? undefined : name === undefined ? "" : decodeHeader(name);
}

function* partText(meter: Meter, part: Part, depth: number): Steps<string> {
  const type = part.headers.get("content-type") ?? "text/plain";
  yield* meter.spendAndPause(part.body.length);
  const boundary = /^\s*multipart\//i.test(type) ? parameter(type, "boundary") : undefined;
  if (boundary && depth < MAX_DEPTH) {
    const parts = splitParts(part.body, boundary);
    const texts: string[] = [];
    for (const one of /^\s*multipart\/alternative/i.test(type) ? parts.slice(0, 1) : parts)
      texts.push(yield* partText(meter, one, depth + 1));
    return texts.join("\n\n");
  }
  const name = attachmentName(type, part.headers.get("content-disposition") ?? "");
  if (name !== undefined) return name;
  const text = decodeText(decodeBody(part), parameter(type, "charset"));
  return /^\s*text\/html/i.test(type) ? yield* htmlText(meter, text) : text;
}

export function* readEmail(meter: Meter, bytes: Uint8Array): Steps<undefined> {
  const email = parsePart(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"));
  yield;
  const head = SHOWN_HEADERS.flatMap((name) => {
    const value = email.headers.get(name);
    return value ? [`${name[0]?.toUpperCase()}${name.slice(1)}: ${decodeHeader(value)}`] : [];
  });
  addParts(meter, `${head.join("\n")}\n\n${yield* partText(meter, email, 0)}`);
}
