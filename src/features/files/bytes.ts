import { PART_BYTES } from "../../contract/file.ts";
import { hex } from "../../platform/core/bytes.ts";
import { AppError, badRequest, unavailable } from "../../platform/core/errors.ts";
import { SNIFFED_BYTES } from "./sniff.ts";

// Streams between requests and the bucket. No file is held in memory.

/** Where the bytes of an account's file are. The account's id never changes, so that a move to another home renames nothing. */
export const keyOf = (userId: string, fileId: string): string => `${userId}/${fileId}`;

export const thumbnailKey = (key: string, width: number | string): string => `${key}/${width}`;

type Passing = { stream: ReadableStream<Uint8Array>; came: () => number; start: () => Uint8Array };

/** A stream of exactly so many bytes, which R2 needs. `came` counts them, `start` is the beginning. */
function passing(
  body: ReadableStream<Uint8Array> | null,
  bytes: number,
  hear: (chunk: Uint8Array) => Promise<void>,
): Passing {
  let came = 0;
  let start = new Uint8Array(0);
  const heard = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, out) {
      if (start.length < SNIFFED_BYTES)
        start = joined(start, chunk.subarray(0, SNIFFED_BYTES - start.length));
      came += chunk.length;
      await hear(chunk);
      out.enqueue(chunk);
    },
  });
  const source = body ?? new Blob([]).stream();
  const stream = source.pipeThrough(heard).pipeThrough(new FixedLengthStream(bytes));
  return { stream, came: () => came, start: () => start };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** A body that ends early is the client's, or the network's, and everything else the bucket's. */
const failed = (problem: unknown, isWhole: boolean, bytes: number): AppError =>
  problem instanceof AppError
    ? problem
    : !isWhole
      ? badRequest(`The body ended before all of its ${bytes} bytes had come: send it again`, "incomplete")
      : unavailable(
          "The place of the files did not answer, and nothing was stored: try again in a moment",
          2,
        );

/**
 * Stores a part of an upload, or anything else of a known length. `put` sends the stream to the bucket. No script sees the
 * bytes: on a copy of one's own that takes 30 MB less memory while a large file comes than one that counts them.
 */
export async function sendBytes<Result>(
  body: ReadableStream<Uint8Array> | null,
  bytes: number,
  put: (stream: ReadableStream<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const { readable, writable } = new FixedLengthStream(bytes);
  let isWhole = false;
  const passed = (body ?? new Blob([]).stream()).pipeTo(writable).then(() => {
    isWhole = true;
  });
  passed.catch(() => undefined);
  return put(readable).catch((problem: unknown) => {
    throw failed(problem, isWhole, bytes);
  });
}

/** The first and the last byte. */
export type Span = { start: number; end: number };

/**
 * The bytes of a file from one to another; undefined when it is not there. They are asked for in pieces as they are taken:
 * the R2 of a copy of one's own (Miniflare 5.20261023) reads a file that came in parts as fast as it can, and would keep in memory
 * what nobody has taken yet.
 */
export async function readBytes(
  bucket: R2Bucket,
  key: string,
  { start, end }: Span,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const get = async (from: number) => {
    const length = Math.min(PART_BYTES, end - from + 1);
    return (await bucket.get(key, { range: { offset: from, length } }))?.body;
  };
  const first = end < start ? (await bucket.get(key))?.body : await get(start);
  if (!first || end - start < PART_BYTES) return first;
  const { readable, writable } = new FixedLengthStream(end - start + 1);
  const send = async () => {
    await first.pipeTo(writable, { preventClose: true });
    for (let from = start + PART_BYTES; from <= end; from += PART_BYTES) {
      const piece = await get(from);
      if (!piece) throw new Error("The file was deleted while it was read");
      await piece.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // Whoever reads it has gone away, or the file has: the answer ends early.
  send().catch((problem: unknown) => writable.abort(problem).catch(() => undefined));
  return readable;
}

/** What the bytes of a file are: their SHA-256 in hexadecimal digits, and the first of them. */
export type Seen = { sha256: string; start: Uint8Array };

/** Stores a whole file under a key, and hashes it on the way. Throws 400 when the body ends early, 503. */
export async function storeBytes(
  bucket: R2Bucket,
  key: string,
  { body, bytes }: { body: ReadableStream<Uint8Array> | null; bytes: number },
): Promise<Seen> {
  const hash = new crypto.DigestStream("SHA-256");
  const writer = hash.getWriter();
  const { stream, came, start } = passing(body, bytes, (chunk) => writer.write(chunk));
  await bucket.put(key, stream).catch((problem: unknown) => {
    // Nobody waits for the hash of half a file.
    writer.abort().catch(() => undefined);
    hash.digest.catch(() => undefined);
    throw failed(problem, came() === bytes, bytes);
  });
  await writer.close();
  return { sha256: hex(new Uint8Array(await hash.digest)), start: start() };
}

/** Reads a file that came in parts once more: no part's hash goes on in the next one. Undefined when it is not there. */
export async function seeBytes(bucket: R2Bucket, key: string, bytes: number): Promise<Seen | undefined> {
  const beginning = await bucket.get(key, { range: { offset: 0, length: SNIFFED_BYTES } });
  const whole = await readBytes(bucket, key, { start: 0, end: bytes - 1 });
  if (!beginning || !whole) return undefined;
  const hash = new crypto.DigestStream("SHA-256");
  await whole.pipeTo(hash);
  return {
    sha256: hex(new Uint8Array(await hash.digest)),
    start: new Uint8Array(await beginning.arrayBuffer()),
  };
}
