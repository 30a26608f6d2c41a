import { combineRanges, parse, type Range } from "range-parser";
import { INLINE_TYPES, type StoredFile } from "../../contract/file.ts";
import { notFound, notSatisfiable } from "../../platform/core/errors.ts";
import { isKnown } from "../../platform/http/etag.ts";
import { readBytes } from "./bytes.ts";
import { dispositionOf } from "./disposition.ts";

// How the bytes of a file are answered: whole, in part, or not again. What people upload is never a page of this service:
// it has an origin of its own (`sandbox`), loads nothing, and only a short list of types is shown at all.

const SHOWN = "default-src 'none'; frame-ancestors 'self'";

/**
 * Browsers show a picture, a video or a sound in a page of their own, which loads it once more and has a style. A PDF is
 * shown by a viewer that no browser starts in a sandbox.
 */
const policyOf = (type: string) =>
  type === "application/pdf"
    ? `${SHOWN}; object-src 'self'; style-src 'unsafe-inline'`
    : `${SHOWN}; sandbox; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'`;

/** An id stands for the same bytes for ever. */
const KEPT = { "Cache-Control": "private, max-age=31536000, immutable, no-transform" };

/** What a browser has kept is not for whoever uses it next: their cookie is another one. */
export const VARY = "Cookie, Authorization";

const isShown = ({ type }: StoredFile, download: boolean) => !download && INLINE_TYPES.includes(type);

/** The media type in an answer: texts are UTF-8, or they would be none. */
const contentType = ({ type, kind }: StoredFile) =>
  kind === "text" || type.startsWith("text/") || type === "image/svg+xml" ? `${type}; charset=utf-8` : type;

const tagOf = ({ sha256 }: StoredFile) => `"${sha256}"`;

/** The headers of every answer with a file's bytes. */
const headersOf = (file: StoredFile, download: boolean): Record<string, string> => ({
  ...KEPT,
  "Accept-Ranges": "bytes",
  "Content-Disposition": dispositionOf(file.name, isShown(file, download)),
  "Content-Security-Policy": policyOf(isShown(file, download) ? file.type : ""),
  "Content-Type": contentType(file),
  ETag: tagOf(file),
  "X-Content-Type-Options": "nosniff",
});

/** More than this are no use to anybody (RFC 9110 section 14.2 lets a server ignore them), and the file comes whole. */
const MAX_RANGES = 20;

/**
 * The parts that are asked for; undefined for the whole file: without Range, with one that is malformed or of another unit,
 * with an If-Range that is not this file's, or with too many. Throws 416 when the file has none of them.
 */
export function rangesOf(
  file: StoredFile,
  { range, ifRange }: { range?: string; ifRange?: string },
): Range[] | undefined {
  // A date in If-Range is that of no file here, and a weak tag stands for no bytes (RFC 9110 section 13.1.5).
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== tagOf(file))) return undefined;
  const { type, code, ranges } = parse(file.bytes, range);
  if (type !== "bytes" || (code & 1) !== 0) return undefined;
  if (ranges.length === 0) throw notSatisfiable(file.bytes);
  const joined = combineRanges(ranges);
  return joined.length > MAX_RANGES ? undefined : joined.map(({ start, end }) => ({ start, end }));
}

const contentRange = ({ start, end }: Range, { bytes }: StoredFile) => `bytes ${start}-${end}/${bytes}`;

type Stored = { file: StoredFile; place: string; bucket: R2Bucket };

async function read({ bucket, place, file }: Stored, range?: Range): Promise<ReadableStream<Uint8Array>> {
  const found = await readBytes(bucket, place, range ?? { start: 0, end: file.bytes - 1 });
  if (!found) throw notFound();
  return found;
}

const encoder = new TextEncoder();

/** Several parts in one body, one after the other (RFC 9110 section 14.6). */
function several(
  stored: Stored,
  ranges: Range[],
  boundary: string,
): { body: ReadableStream<Uint8Array>; bytes: number } {
  const type = contentType(stored.file);
  const heads = ranges.map((range) =>
    encoder.encode(
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range, stored.file)}\r\n\r\n`,
    ),
  );
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);
  const sizes = ranges.map(({ start, end }, at) => end - start + 1 + (heads[at]?.length ?? 0));
  const bytes = sizes.reduce((sum, size) => sum + size, end.length);
  const { readable, writable } = new FixedLengthStream(bytes);
  const write = async (chunk: Uint8Array) => {
    const writer = writable.getWriter();
    await writer.write(chunk);
    writer.releaseLock();
  };
  const send = async () => {
    for (const [at, range] of ranges.entries()) {
      await write(heads[at] as Uint8Array);
      await (await read(stored, range)).pipeTo(writable, { preventClose: true });
    }
    await write(end);
    await writable.close();
  };
  // A client that has gone away, or a part that is gone, ends the answer early.
  send().catch((problem: unknown) => writable.abort(problem).catch(() => undefined));
  return { body: readable, bytes };
}

type Asked = { download: boolean; range?: string; ifRange?: string; ifNoneMatch?: string };

/** Answers with a file's bytes. Throws 416, and 404 when the bucket does not have them. */
export async function serveFile(
  stored: Stored,
  { download, ifNoneMatch, ...asked }: Asked,
): Promise<Response> {
  const { file } = stored;
  const headers = headersOf(file, download);
  // With all headers: a browser takes them over into what it has kept (RFC 9111 section 4.3.4).
  if (isKnown(ifNoneMatch, tagOf(file))) return new Response(null, { status: 304, headers });
  const ranges = rangesOf(file, asked);
  const [first, ...others] = ranges ?? [];
  if (!first)
    return new Response(await read(stored), {
      headers: { ...headers, "Content-Length": String(file.bytes) },
    });
  if (others.length === 0)
    return new Response(await read(stored, first), {
      status: 206,
      headers: {
        ...headers,
        "Content-Range": contentRange(first, file),
        "Content-Length": String(first.end - first.start + 1),
      },
    });
  const boundary = crypto.randomUUID();
  const { body, bytes } = several(stored, [first, ...others], boundary);
  return new Response(body, {
    status: 206,
    headers: {
      ...headers,
      "Content-Type": `multipart/byteranges; boundary=${boundary}`,
      "Content-Length": String(bytes),
    },
  });
}

/** The headers of a thumbnail. Another one may take its place, so that it is asked for again after an hour. */
export const THUMBNAIL_HEADERS = {
  ...KEPT,
  "Cache-Control": "private, max-age=3600, no-transform",
  "Content-Security-Policy": policyOf(""),
  "Content-Type": "image/webp",
};
