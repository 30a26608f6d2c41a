import { Buffer } from "node:buffer";
import { UPLOAD_PART_BYTES } from "../../contract/file.ts";
import { hex } from "../../platform/core/bytes.ts";
import { AppError, badRequest, unavailable } from "../../platform/core/errors.ts";
import { SNIFFED_BYTES } from "./sniff.ts";

// Streams between requests and the bucket. Files are never held in memory.

/** The key of a file in the bucket. It has the account's id, which does not change when the account moves to another shard. */
export const fileKey = (userId: string, fileId: string): string => `${userId}/${fileId}`;

export const thumbnailKey = (key: string, width: number | string): string => `${key}/${width}`;

type ObservedStream = { stream: ReadableStream<Uint8Array>; received: () => number; start: () => Uint8Array };

/** A stream of exactly `bytes` bytes, as R2 requires. `received`: how many have come; `start`: the first ones. */
function observe(
  body: ReadableStream<Uint8Array> | null,
  bytes: number,
  onChunk: (chunk: Uint8Array) => Promise<void>,
): ObservedStream {
  let received = 0;
  let start: Uint8Array = new Uint8Array(0);
  const observer = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, out) {
      if (start.length < SNIFFED_BYTES)
        start = Buffer.concat([start, chunk.subarray(0, SNIFFED_BYTES - start.length)]);
      received += chunk.length;
      await onChunk(chunk);
      out.enqueue(chunk);
    },
  });
  const source = body ?? new Blob([]).stream();
  const stream = source.pipeThrough(observer).pipeThrough(new FixedLengthStream(bytes));
  return { stream, received: () => received, start: () => start };
}

/** A body that ends early is the client's or the network's fault, everything else the bucket's. */
const uploadError = (problem: unknown, isWhole: boolean, bytes: number): AppError =>
  problem instanceof AppError
    ? problem
    : !isWhole
      ? badRequest(`The body ended before all of its ${bytes} bytes arrived: send it again`, "incomplete")
      : unavailable("The file storage is not responding, and nothing was stored: try again in a moment", 2);

/**
 * Stores a part of an upload, or anything else of a known length. `put` sends the stream to the bucket. The bytes do not pass
 * through JavaScript: self-hosted, this takes 30 MB less memory for a large file than counting them.
 */
export async function putBytes<Result>(
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
    throw uploadError(problem, isWhole, bytes);
  });
}

/** First and last byte, both inclusive. */
export type ByteRange = { start: number; end: number };

/**
 * A range of a file's bytes; undefined if the file does not exist. Read piece by piece as they are consumed: self-hosted, R2
 * (Miniflare 5.20261023) would read a file that was uploaded in parts as fast as it can and buffer it in memory.
 */
export async function readBytes(
  bucket: R2Bucket,
  key: string,
  { start, end }: ByteRange,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const get = async (from: number) => {
    const length = Math.min(UPLOAD_PART_BYTES, end - from + 1);
    return (await bucket.get(key, { range: { offset: from, length } }))?.body;
  };
  const first = end < start ? (await bucket.get(key))?.body : await get(start);
  if (!first || end - start < UPLOAD_PART_BYTES) return first;
  const { readable, writable } = new FixedLengthStream(end - start + 1);
  const send = async () => {
    await first.pipeTo(writable, { preventClose: true });
    for (let from = start + UPLOAD_PART_BYTES; from <= end; from += UPLOAD_PART_BYTES) {
      const piece = await get(from);
      if (!piece) throw new Error("The file was deleted while it was read");
      await piece.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // The client disconnected or the file was deleted: the answer ends early.
  send().catch((problem: unknown) => writable.abort(problem).catch(() => undefined));
  return readable;
}

/** The SHA-256 of a file in hexadecimal, and its first bytes. */
export type FileDigest = { sha256: string; start: Uint8Array };

/** Stores a whole file under a key and hashes it. Throws 400 when the body ends early, 503. */
export async function storeBytes(
  bucket: R2Bucket,
  key: string,
  { body, bytes }: { body: ReadableStream<Uint8Array> | null; bytes: number },
): Promise<FileDigest> {
  const hash = new crypto.DigestStream("SHA-256");
  const writer = hash.getWriter();
  const { stream, received, start } = observe(body, bytes, (chunk) => writer.write(chunk));
  await bucket.put(key, stream).catch((problem: unknown) => {
    // The hash of an incomplete file is not needed.
    writer.abort().catch(() => undefined);
    hash.digest.catch(() => undefined);
    throw uploadError(problem, received() === bytes, bytes);
  });
  await writer.close();
  return { sha256: hex(new Uint8Array(await hash.digest)), start: start() };
}

/** Hashes a file that was uploaded in parts by reading it again. Undefined if it does not exist. */
export async function digestStoredFile(
  bucket: R2Bucket,
  key: string,
  bytes: number,
): Promise<FileDigest | undefined> {
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
