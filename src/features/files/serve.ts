import { combineRanges, parse, type Range } from "range-parser";
import { INLINE_TYPES, type StoredFile } from "../../contract/file.ts";
import { notFound, notSatisfiable } from "../../platform/core/errors.ts";
import { matchesEtag } from "../../platform/http/etag.ts";
import { readBytes } from "./bytes.ts";
import { contentDisposition } from "./disposition.ts";

// Answers with a file's bytes: whole, in part, or 304. Uploaded content must never act as a page of this service: it gets an
// opaque origin (`sandbox`), loads nothing, and only a short list of types is shown inline.

const BASE_POLICY = "default-src 'none'; frame-ancestors 'self'";

/**
 * Browsers show images, video and audio in a built-in page that loads them again and has inline styles. PDF viewers do not
 * work in a sandbox.
 */
const contentPolicy = (type: string) =>
  type === "application/pdf"
    ? `${BASE_POLICY}; object-src 'self'; style-src 'unsafe-inline'`
    : `${BASE_POLICY}; sandbox; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'`;

/** The bytes of an id never change. */
const IMMUTABLE = { "Cache-Control": "private, max-age=31536000, immutable, no-transform" };

/** A cached file must not be shown to the browser's next user, who has another cookie. */
export const VARY = "Cookie, Authorization";

const isShown = ({ type }: StoredFile, download: boolean) => !download && INLINE_TYPES.includes(type);

/** The Content-Type. Files are detected as text only if they are UTF-8. */
const contentType = ({ type, kind }: StoredFile) =>
  kind === "text" || type.startsWith("text/") || type === "image/svg+xml" ? `${type}; charset=utf-8` : type;

const etag = ({ sha256 }: StoredFile) => `"${sha256}"`;

const fileHeaders = (file: StoredFile, download: boolean): Record<string, string> => ({
  ...IMMUTABLE,
  "Accept-Ranges": "bytes",
  "Content-Disposition": contentDisposition(file.name, isShown(file, download)),
  "Content-Security-Policy": contentPolicy(isShown(file, download) ? file.type : ""),
  "Content-Type": contentType(file),
  ETag: etag(file),
  "X-Content-Type-Options": "nosniff",
});

/** With more ranges than this, the whole file is sent (RFC 9110 section 14.2 allows that). */
const MAX_RANGES = 20;

type RangeHeaders = { range: string | undefined; ifRange: string | undefined };

/**
 * The requested ranges. Undefined for the whole file: if Range is missing, malformed, in another unit or has too many ranges,
 * or If-Range does not match. Throws 416 if no range is satisfiable.
 */
function requestedRanges(file: StoredFile, { range, ifRange }: RangeHeaders): Range[] | undefined {
  // Dates and weak tags in If-Range never match (RFC 9110 section 13.1.5).
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag(file))) return undefined;
  const { type, code, ranges } = parse(file.bytes, range);
  if (type !== "bytes" || (code & 1) !== 0) return undefined;
  if (ranges.length === 0) throw notSatisfiable(file.bytes);
  const joined = combineRanges(ranges);
  return joined.length > MAX_RANGES ? undefined : joined.map(({ start, end }) => ({ start, end }));
}

const contentRange = ({ start, end }: Range, { bytes }: StoredFile) => `bytes ${start}-${end}/${bytes}`;

type Stored = { file: StoredFile; key: string; bucket: R2Bucket };

async function read({ bucket, key, file }: Stored, range?: Range): Promise<ReadableStream<Uint8Array>> {
  const found = await readBytes(bucket, key, range ?? { start: 0, end: file.bytes - 1 });
  if (!found) throw notFound();
  return found;
}

const encoder = new TextEncoder();

/** Several ranges as multipart/byteranges (RFC 9110 section 14.6). */
function multipartBody(
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
  // The client disconnected or the file was deleted: the answer ends early.
  send().catch((problem: unknown) => writable.abort(problem).catch(() => undefined));
  return { body: readable, bytes };
}

type ServeOptions = RangeHeaders & { download: boolean; ifNoneMatch: string | undefined };

/** Answers with a file's bytes. Throws 416, and 404 when the bucket does not have them. */
export async function serveFile(
  stored: Stored,
  { download, ifNoneMatch, ...range }: ServeOptions,
): Promise<Response> {
  const { file } = stored;
  const headers = fileHeaders(file, download);
  // With all headers, because browsers update their cached ones (RFC 9111 section 4.3.4).
  if (matchesEtag(ifNoneMatch, etag(file))) return new Response(null, { status: 304, headers });
  const ranges = requestedRanges(file, range);
  const [first, ...others] = ranges ?? [];
  const answer = (body: ReadableStream, bytes: number, more: Record<string, string> = {}) =>
    new Response(body, {
      status: first ? 206 : 200,
      headers: { ...headers, ...more, "Content-Length": String(bytes) },
    });
  if (!first) return answer(await read(stored), file.bytes);
  if (others.length === 0) {
    const more = { "Content-Range": contentRange(first, file) };
    return answer(await read(stored, first), first.end - first.start + 1, more);
  }
  const boundary = crypto.randomUUID();
  const { body, bytes } = multipartBody(stored, [first, ...others], boundary);
  return answer(body, bytes, { "Content-Type": `multipart/byteranges; boundary=${boundary}` });
}

/** Headers of a thumbnail. It may be replaced, so it is cached for only an hour. */
export const THUMBNAIL_HEADERS = {
  ...IMMUTABLE,
  "Cache-Control": "private, max-age=3600, no-transform",
  "Content-Security-Policy": contentPolicy(""),
  "Content-Type": "image/webp",
};
