import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { turns, withRest } from "../../platform/turns/fair.ts";
import { collectGarbage } from "../../platform/turns/garbage.ts";

// A zip (PKWARE's APPNOTE 6.3.10) of any number of files, piece by piece. Each file's header has its sizes, so that its text is
// never searched for the header of the next. What there is to remember of a file is its line in the directory at the end,
// without which nothing takes what has come for a whole zip. Libraries fail at 100,000 files in 128 MB: client-zip and fflate
// cannot count beyond 65,535, zip.js keeps 5 kB of each.

type Named = {
  /** With slashes; neither absolute nor with `..`. */
  path: string;
  modified: Date;
};

export type ZipFile = Named & { bytes: Uint8Array };

/** A file that is not held in memory: it is read twice, because its header says what its checksum is. */
export type ZipStream = Named & {
  /** Its bytes, always the same; undefined when it is gone, and then it is left out. */
  open: () => Promise<AsyncIterable<Uint8Array> | undefined>;
};

const LOCAL = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;

const VERSION = 20;
const VERSION_64 = 45;
/** The names are UTF-8. */
const UTF_8 = 0x0800;
const DEFLATED = 8;
const STORED = 0;
const UNIX = 3 << 8;
/** A file that its owner may write and everybody read. */
const MODE = 0o100644 * 0x10000;
const MOST_16 = 0xffff;
const MOST_32 = 0xffffffff;
const TIMES_TAG = 0x5455;
const TAG_64 = 1;

/** So many lines of the directory become one buffer. */
const JOINED = 500;

/** Numbers in little-endian order. `lengths` has a digit for each: its bytes. */
function packed(lengths: string, ...numbers: number[]): Buffer {
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

/** A time in UTC as MS-DOS wrote it: two seconds exact, from 1980 to 2107. */
function dosTime(time: Date): number {
  const year = time.getUTCFullYear();
  if (year < 1980) return 0x00210000;
  if (year > 2107) return 0xff9fbf7d;
  const day = ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const second = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return day * 0x10000 + second;
}

/** The same to the second and with its zone, for those who read it: Unix time, until 2038. */
function unixTime(time: Date): Buffer {
  const seconds = Math.min(Math.max(Math.floor(time.getTime() / 1000), 0), 0x7fffffff);
  return packed("2214", TIMES_TAG, 5, 1, seconds);
}

/** Compressing so much takes about 8 ms. */
const COMPRESSED_AT_ONCE = 64 * 1024;

/** A text of a megabyte would keep everybody waiting for a tenth of a second, so its parts take turns. */
async function deflated(bytes: Uint8Array, turn: ReturnType<typeof turns>): Promise<Uint8Array> {
  if (bytes.length <= COMPRESSED_AT_ONCE) return turn(() => deflateRawSync(bytes));
  const { readable, writable } = new CompressionStream("deflate-raw");
  const data = new Response(readable).bytes();
  const writer = writable.getWriter();
  for (let at = 0; at < bytes.length; at += COMPRESSED_AT_ONCE)
    await withRest(() => writer.write(bytes.subarray(at, at + COMPRESSED_AT_ONCE)));
  await writer.close();
  return data;
}

/** A file's bytes as they are stored. */
async function stored(bytes: Uint8Array, turn: ReturnType<typeof turns>) {
  const data = await deflated(bytes, turn);
  return data.length < bytes.length ? { method: DEFLATED, data } : { method: STORED, data: bytes };
}

/** What follows a directory of so many files and bytes that begins at `start`. */
function ending(files: number, bytes: number, start: number): Buffer {
  const most = Math.min(files, MOST_16);
  const last = packed(
    "42222442",
    ...[END, 0, 0, most, most, Math.min(bytes, MOST_32), Math.min(start, MOST_32), 0],
  );
  if (files < MOST_16 && bytes < MOST_32 && start < MOST_32) return last;
  const made = UNIX | VERSION_64;
  return Buffer.concat([
    packed("4822448888", END_64, 44, made, VERSION_64, 0, 0, files, files, bytes, start),
    packed("4484", LOCATOR_64, 0, start + bytes, 1),
    last,
  ]);
}

/** What a header says of a file's bytes. */
type Packed = { method: number; crc: number; packed: number; size: number };

/**
 * A zip that is written: `add` returns the bytes of a file, `begin` those before the bytes of one that follow as they are,
 * `end` those after all of them. `start`: bytes before it.
 */
export function zip(start = 0) {
  const directory: Buffer[] = [];
  let lines: Buffer[] = [];
  const turn = turns();
  let offset = start;
  let files = 0;
  const list = (line: Buffer[]) => {
    lines.push(...line);
    files += 1;
    if (files % JOINED !== 0) return;
    directory.push(Buffer.concat(lines));
    lines = [];
  };
  const begin = ({ path, modified }: Named, { method, crc, packed: data, size }: Packed): Uint8Array => {
    const name = Buffer.from(path);
    const time = unixTime(modified);
    const common = (extra: number) =>
      packed("22444422", UTF_8, method, dosTime(modified), crc, data, size, name.length, extra);
    const isFar = offset >= MOST_32;
    const needed = isFar ? VERSION_64 : VERSION;
    const far = isFar ? packed("228", TAG_64, 8, offset) : Buffer.alloc(0);
    list([
      packed("422", LISTED, UNIX | needed, needed),
      common(time.length + far.length),
      packed("22244", 0, 0, 0, MODE, Math.min(offset, MOST_32)),
      ...[name, time, far],
    ]);
    const header = Buffer.concat([packed("42", LOCAL, VERSION), common(time.length), name, time]);
    offset += header.length + data;
    return header;
  };
  return {
    begin: (file: Named, { crc, size }: Pick<Packed, "crc" | "size">): Uint8Array =>
      begin(file, { method: STORED, crc, packed: size, size }),
    async add({ bytes, ...file }: ZipFile): Promise<Uint8Array[]> {
      const { method, data } = await stored(bytes, turn);
      return [begin(file, { method, crc: crc32(bytes), packed: data.length, size: bytes.length }), data];
    },
    end(): Uint8Array[] {
      directory.push(...lines);
      const bytes = directory.reduce((sum, { length }) => sum + length, 0);
      return [...directory, ending(files, bytes, offset)];
    },
  };
}

/** What is read without being sent leaves garbage: so much of it at a time. */
const GARBAGE = 16 * 1024 * 1024;

type Zip = ReturnType<typeof zip>;

/** Throws when the bytes are not those that came before. */
async function* streamed(writing: Zip, { open, ...file }: ZipStream): AsyncGenerator<Uint8Array> {
  let [crc, size, collected] = [0, 0, 0];
  const first = await open();
  if (!first) return;
  for await (const piece of first) {
    crc = crc32(piece, crc);
    size += piece.length;
    if (size - collected < GARBAGE) continue;
    collected = size;
    collectGarbage();
  }
  const again = await open();
  if (!again) return;
  yield writing.begin(file, { crc, size });
  for await (const piece of again) {
    size -= piece.length;
    yield piece;
  }
  if (size !== 0) throw new Error(`${file.path} changed while it was read`);
}

/** A zip of these files. Each is forgotten when its bytes are taken, but for its line in the directory. */
export async function* zipped(files: AsyncIterable<ZipFile | ZipStream>): AsyncGenerator<Uint8Array> {
  const writing = zip();
  for await (const file of files)
    if ("open" in file) yield* streamed(writing, file);
    else yield* await writing.add(file);
  yield* writing.end();
}
