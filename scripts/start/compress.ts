import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip } from "node:zlib";
import { parseAccept } from "hono/utils/accept";
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from "hono/utils/compress";

// Compresses answers for clients that accept it. Cloudflare does this for a deployment.

/** Shorter answers fit into one packet anyway. */
const MIN_BYTES = 1024;

/** In order of preference. The highest quality of Brotli takes 50 times as long and saves 15 per cent. */
const ENCODERS = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
};
type ContentCoding = keyof typeof ENCODERS;
const CODINGS = Object.keys(ENCODERS) as ContentCoding[];

/** The coding that the client prefers; undefined if it prefers no coding (RFC 9110 section 12.5.3). */
function codingFor(accepted: string): ContentCoding | undefined {
  const weights = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = CODINGS.toSorted((one, other) => weightOf(other) - weightOf(one));
  return best && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/** The library's content types, and exports. Event streams (text/event-stream) are not compressed. */
const isCompressible = (type: string) =>
  /^application\/x-ndjson\b/i.test(type) || COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type);

/** Whether an answer is worth compressing. Partial and already encoded answers are not. */
function isWorthCompressing({ statusCode, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const isWhole = statusCode !== 204 && statusCode !== 206 && statusCode !== 304;
  const mayChange = !/\bno-transform\b/i.test(headers["cache-control"] ?? "");
  const isPlain = headers["content-encoding"] === undefined;
  return (
    isWhole && isPlain && mayChange && length >= MIN_BYTES && isCompressible(headers["content-type"] ?? "")
  );
}

/** Files that never change, compressed as well as possible, by ETag; undefined while one is not compressed yet. */
const smallest = new Map<string, Buffer | undefined>();
/** One file at a time, so that other work finds a thread. */
let compressing: Promise<unknown> = Promise.resolve();

/** An answer that never changes, compressed as well as possible; undefined until it was sent once. */
function smallestOf(answer: IncomingMessage): Buffer | undefined {
  const { etag: tag, "cache-control": caching = "" } = answer.headers;
  if (!tag || !/\bimmutable\b/i.test(caching)) return undefined;
  // Only the first of many requests collects the file.
  if (smallest.has(tag)) return smallest.get(tag);
  smallest.set(tag, undefined);
  const chunks: Buffer[] = [];
  answer.on("data", (chunk: Buffer) => chunks.push(chunk));
  answer.on("end", () => {
    const compress = async () => smallest.set(tag, await promisify(brotliCompress)(Buffer.concat(chunks)));
    compressing = compressing.then(compress).catch(() => undefined);
  });
  answer.on("close", () => {
    if (!answer.complete) smallest.delete(tag);
  });
  return undefined;
}

const CODING_SUFFIX = /-(?:br|gzip|zstd)"/g;

/**
 * A list of ETags as the Worker knows them. Each coding of an answer needs its own ETag (RFC 9110 section 8.8.3.3), so
 * the front and proxies append the coding.
 */
export const stripCodingFromTags = (tags: string): string => tags.replace(CODING_SUFFIX, '"');

/** The ETag of an answer in a coding. A weak ETag covers all codings. */
const tagForCoding = (tag: string, coding: ContentCoding) =>
  tag.startsWith('"') ? `${tag.slice(0, -1)}-${coding}"` : tag;

/** The ETag of a 304: the one that the client sent. */
const clientTag = (tag: string, sentTags = "") =>
  sentTags.match(/"[^"]*"/g)?.find((one) => stripCodingFromTags(one) === tag) ?? tag;

/** Replaces the values of headers; `undefined` removes one. */
const withHeaders = (headers: string[], changes: Record<string, string | undefined>) =>
  headers.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const key = name.toLowerCase();
    const value = key in changes ? changes[key] : headers[index + 1];
    return value === undefined ? [] : [name, value];
  });

/** How an answer is delivered: its headers, and the compressed body or the compressor for it, if any. */
export type Delivery = { headers: string[]; body?: Buffer; coder?: Transform };

/**
 * Compresses an answer if the client accepts it.
 *
 * @param headers the answer's headers: names and values alternate
 */
export function prepareDelivery(
  request: IncomingMessage,
  answer: IncomingMessage,
  headers: string[],
): Delivery {
  const { etag } = answer.headers;
  if (answer.statusCode === 304)
    return {
      headers: withHeaders(headers, { etag: etag && clientTag(etag, request.headers["if-none-match"]) }),
    };
  const mayCompress = isWorthCompressing(answer);
  if (!mayCompress && answer.headers["content-encoding"] === undefined) return { headers };
  const headersWithVary = [...headers, "Vary", "Accept-Encoding"];
  const coding =
    mayCompress && request.method !== "HEAD"
      ? codingFor(String(request.headers["accept-encoding"] ?? ""))
      : undefined;
  if (!coding) return { headers: headersWithVary };
  const body = coding === "br" ? smallestOf(answer) : undefined;
  const codedHeaders = withHeaders(headersWithVary, {
    "content-length": body && String(body.length),
    etag: etag && tagForCoding(etag, coding),
  });
  const all = [...codedHeaders, "Content-Encoding", coding];
  return body ? { headers: all, body } : { headers: all, coder: ENCODERS[coding]() };
}
