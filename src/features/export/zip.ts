import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { collectGarbage } from "../../platform/queue/garbage.ts";
import { createYieldingRunner, withRest } from "../../platform/queue/yielding.ts";

// Writes a zip (PKWARE's APPNOTE 6.3.10) of any number of files as a stream. Each file header contains the sizes, so readers need
// not search for the next header. Only the directory entry of each file is kept in memory; it is written at the end, without
// which a zip is recognized as incomplete. Libraries fail at 100,000 files in 128 MB: client-zip and fflate cannot count beyond
// 65,535, zip.js keeps 5 kB per file.

type FileEntry = {
  /** Relative, with slashes and without `..`. */
  path: string;
  modified: Date;
};

export type ZipFile = FileEntry & { bytes: Uint8Array };

/** A file that is not held in memory. It is read twice, because its header contains the checksum. */
export type StreamedZipFile = FileEntry & {
  /** Opens its bytes, which must be the same each time. A file that is gone (undefined) is left out. */
  open: () => Promise<AsyncIterable<Uint8Array> | undefined>;
};

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;

const VERSION = 20;
const VERSION_64 = 45;
/** Flag for UTF-8 names. */
const UTF_8 = 0x0800;
const DEFLATED = 8;
const STORED = 0;
const UNIX = 3 << 8;
/** A regular file with mode 0644. */
const MODE = 0o100644 * 0x10000;
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;
const TIMES_TAG = 0x5455;
const TAG_64 = 1;

/** Number of directory entries that are joined into one buffer. */
const JOINED_ENTRIES = 500;

/** Numbers in little-endian order. `lengths` has one digit per number: its size in bytes. */
function packNumbers(lengths: string, ...numbers: number[]): Buffer {
  const sizes = Array.from(lengths, Number);
  const buffer = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [index, size] of sizes.entries()) {
    const number = numbers[index] ?? 0;
    if (size === 8) buffer.writeBigUInt64LE(BigInt(number), at);
    else buffer.writeUIntLE(number, at, size);
    at += size;
  }
  return buffer;
}

/** A UTC time in MS-DOS format: accurate to two seconds, from 1980 to 2107. */
function dosTime(time: Date): number {
  const year = time.getUTCFullYear();
  if (year < 1980) return 0x00210000;
  if (year > 2107) return 0xff9fbf7d;
  const day = ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const second = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return day * 0x10000 + second;
}

/** The extra field with Unix time, which is unambiguous and accurate to the second, until 2038. */
function unixTime(time: Date): Buffer {
  const seconds = Math.min(Math.max(Math.floor(time.getTime() / 1000), 0), 0x7fffffff);
  return packNumbers("2214", TIMES_TAG, 5, 1, seconds);
}

/** Bytes compressed without a pause, which takes about 8 ms. */
const COMPRESSED_AT_ONCE = 64 * 1024;

/** Compresses large texts in parts with pauses: a megabyte would block other requests for 100 ms. */
async function compress(
  bytes: Uint8Array,
  turn: ReturnType<typeof createYieldingRunner>,
): Promise<Uint8Array> {
  if (bytes.length <= COMPRESSED_AT_ONCE) return turn(() => deflateRawSync(bytes));
  const { readable, writable } = new CompressionStream("deflate-raw");
  const data = new Response(readable).bytes();
  const writer = writable.getWriter();
  for (let at = 0; at < bytes.length; at += COMPRESSED_AT_ONCE)
    await withRest(() => writer.write(bytes.subarray(at, at + COMPRESSED_AT_ONCE)));
  await writer.close();
  return data;
}

async function compressIfSmaller(bytes: Uint8Array, turn: ReturnType<typeof createYieldingRunner>) {
  const data = await compress(bytes, turn);
  return data.length < bytes.length ? { method: DEFLATED, data } : { method: STORED, data: bytes };
}

/** The end records for a directory of `bytes` bytes that begins at `start`. */
function endRecords(files: number, bytes: number, start: number): Buffer {
  const most = Math.min(files, MAX_UINT16);
  const last = packNumbers(
    "42222442",
    ...[END, 0, 0, most, most, Math.min(bytes, MAX_UINT32), Math.min(start, MAX_UINT32), 0],
  );
  if (files < MAX_UINT16 && bytes < MAX_UINT32 && start < MAX_UINT32) return last;
  const made = UNIX | VERSION_64;
  return Buffer.concat([
    packNumbers("4822448888", END_64, 44, made, VERSION_64, 0, 0, files, files, bytes, start),
    packNumbers("4484", LOCATOR_64, 0, start + bytes, 1),
    last,
  ]);
}

type DataHeader = { method: number; crc: number; packed: number; size: number };

/**
 * Writes a zip: `add` returns the bytes of a whole file, `begin` the header of an uncompressed file whose bytes follow, `end`
 * the directory. `start`: number of bytes before the zip.
 */
export function zipWriter(start = 0) {
  const directory: Buffer[] = [];
  let lines: Buffer[] = [];
  const turn = createYieldingRunner();
  let offset = start;
  let files = 0;
  const addToDirectory = (line: Buffer[]) => {
    lines.push(...line);
    files += 1;
    if (files % JOINED_ENTRIES !== 0) return;
    directory.push(Buffer.concat(lines));
    lines = [];
  };
  const begin = (
    { path, modified }: FileEntry,
    { method, crc, packed: data, size }: DataHeader,
  ): Uint8Array => {
    const name = Buffer.from(path);
    const time = unixTime(modified);
    const common = (extra: number) =>
      packNumbers("22444422", UTF_8, method, dosTime(modified), crc, data, size, name.length, extra);
    const isFar = offset >= MAX_UINT32;
    const needed = isFar ? VERSION_64 : VERSION;
    const far = isFar ? packNumbers("228", TAG_64, 8, offset) : Buffer.alloc(0);
    addToDirectory([
      packNumbers("422", CENTRAL_HEADER, UNIX | needed, needed),
      common(time.length + far.length),
      packNumbers("22244", 0, 0, 0, MODE, Math.min(offset, MAX_UINT32)),
      ...[name, time, far],
    ]);
    const header = Buffer.concat([packNumbers("42", LOCAL_HEADER, VERSION), common(time.length), name, time]);
    offset += header.length + data;
    return header;
  };
  return {
    begin: (file: FileEntry, { crc, size }: Pick<DataHeader, "crc" | "size">): Uint8Array =>
      begin(file, { method: STORED, crc, packed: size, size }),
    async add({ bytes, ...file }: ZipFile): Promise<Uint8Array[]> {
      const { method, data } = await compressIfSmaller(bytes, turn);
      return [begin(file, { method, crc: crc32(bytes), packed: data.length, size: bytes.length }), data];
    },
    end(): Uint8Array[] {
      directory.push(...lines);
      const bytes = directory.reduce((sum, { length }) => sum + length, 0);
      return [...directory, endRecords(files, bytes, offset)];
    },
  };
}

/** Bytes read for a checksum between two garbage collections. */
const GARBAGE_BYTES = 16 * 1024 * 1024;

type Zip = ReturnType<typeof zipWriter>;

/** Writes a file by reading it twice. Throws if its size changed in between. */
async function* writeStreamed(writer: Zip, { open, ...file }: StreamedZipFile): AsyncGenerator<Uint8Array> {
  let [crc, size, collected] = [0, 0, 0];
  const first = await open();
  if (!first) return;
  for await (const piece of first) {
    crc = crc32(piece, crc);
    size += piece.length;
    if (size - collected < GARBAGE_BYTES) continue;
    collected = size;
    collectGarbage();
  }
  const again = await open();
  if (!again) return;
  yield writer.begin(file, { crc, size });
  for await (const piece of again) {
    size -= piece.length;
    yield piece;
  }
  if (size !== 0) throw new Error(`${file.path} changed while it was read`);
}

/** A zip of these files. Only their directory entries are kept in memory. */
export async function* zipFiles(files: AsyncIterable<ZipFile | StreamedZipFile>): AsyncGenerator<Uint8Array> {
  const writer = zipWriter();
  for await (const file of files)
    if ("open" in file) yield* writeStreamed(writer, file);
    else yield* await writer.add(file);
  yield* writer.end();
}
