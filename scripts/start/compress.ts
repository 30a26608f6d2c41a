import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { parseAccept } from "hono/utils/accept";
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from "hono/utils/compress";

// Compresses answers for clients that accept it, as Cloudflare does in front of a deployment.

/** Shorter answers fit into one packet anyway. */
const MIN_BYTES = 1024;

/** The better one first. A higher quality of Brotli takes many times as long for a few per cent. */
const CODERS = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
};
type Coding = keyof typeof CODERS;
const CODINGS = Object.keys(CODERS) as Coding[];

/** The coding that a client likes best; undefined if it prefers none, see RFC 9110 section 12.5.3. */
function codingFor(accepted: string): Coding | undefined {
  const weights = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = CODINGS.toSorted((one, other) => weightOf(other) - weightOf(one));
  return best && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/** An export; the others are those of the library. Events (text/event-stream) are sent as they come. */
const isCompressible = (type: string) =>
  /^application\/x-ndjson\b/i.test(type) || COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type);

/** Whether an answer is compressed for those who accept it. Part of one, or one that is encoded already, is not. */
function isWorthIt({ statusCode, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
  const isWhole = statusCode !== 204 && statusCode !== 206 && statusCode !== 304;
  const mayChange = !/\bno-transform\b/i.test(headers["cache-control"] ?? "");
  const isPlain = headers["content-encoding"] === undefined;
  return (
    isWhole && isPlain && mayChange && length >= MIN_BYTES && isCompressible(headers["content-type"] ?? "")
  );
}

const OF_A_CODING = /-(?:br|gzip|zstd)"/g;

/**
 * A list of ETags as the Worker knows them. The same text in another coding has an ETag of its own (RFC 9110 section
 * 8.8.3.3), for which we, and proxies, add the coding.
 */
export const plainTags = (tags: string): string => tags.replace(OF_A_CODING, '"');

/** The ETag of an answer in a coding. A weak one stands for all of them. */
const tagIn = (tag: string, coding: Coding) => (tag.startsWith('"') ? `${tag.slice(0, -1)}-${coding}"` : tag);

/** The ETag of a 304: the one by which the client asked. */
const knownTag = (tag: string, asked = "") =>
  asked.match(/"[^"]*"/g)?.find((one) => plainTags(one) === tag) ?? tag;

/** Answers with the headers of a delivery, with this ETag and these headers. */
const changed = (headers: string[], changes: Record<string, string | undefined>) =>
  headers.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const key = name.toLowerCase();
    const value = key in changes ? changes[key] : headers[index + 1];
    return value === undefined ? [] : [name, value];
  });

/** How an answer is delivered: its headers, and what its body passes through, if that is compressed. */
export type Delivery = { headers: string[]; coder?: Transform };

/**
 * Compresses an answer, if its client accepts that.
 *
 * @param headers the answer's headers, names and values in turn
 */
export function deliver(asked: IncomingMessage, answer: IncomingMessage, headers: string[]): Delivery {
  const { etag } = answer.headers;
  if (answer.statusCode === 304)
    return { headers: changed(headers, { etag: etag && knownTag(etag, asked.headers["if-none-match"]) }) };
  const isChosen = isWorthIt(answer);
  if (!isChosen && answer.headers["content-encoding"] === undefined) return { headers };
  const varying = [...headers, "Vary", "Accept-Encoding"];
  const coding =
    isChosen && asked.method !== "HEAD"
      ? codingFor(String(asked.headers["accept-encoding"] ?? ""))
      : undefined;
  if (!coding) return { headers: varying };
  const coded = changed(varying, { "content-length": undefined, etag: etag && tagIn(etag, coding) });
  return { headers: [...coded, "Content-Encoding", coding], coder: CODERS[coding]() };
}
