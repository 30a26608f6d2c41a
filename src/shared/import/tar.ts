import type { FileEntries, FileSource } from "./entries.ts";
import { safePath } from "./zip-names.ts";

// The files of a tar (POSIX.1-2017, pax) by path, each read on demand. Libraries either stream them in order or hold all of
// them in memory, which is impossible for archives with many images.

const BLOCK = 512;
/** Bytes read at a time: headers of small files are close together. */
const WINDOW = 256 * 1024;
const MAX_ENTRIES = 500_000;
/** Bytes read of an extended header. A path has a few hundred bytes, and little else is in it. */
const MAX_EXTENDED_BYTES = 64 * 1024;

const DAMAGED = "is incomplete or damaged, so nothing in it was read";

const decoder = new TextDecoder();
const upToNul = (text: string) => text.split("\0", 1)[0] ?? "";
const textAt = (block: Uint8Array, start: number, length: number): string =>
  upToNul(decoder.decode(block.subarray(start, start + length)));

/** A number in octal digits, or in binary if its first bit is set. */
function numberAt(block: Uint8Array, start: number, length: number): number {
  const bytes = block.subarray(start, start + length);
  if (((bytes[0] ?? 0) & 0x80) === 0) return Number.parseInt(textAt(block, start, length).trim() || "0", 8);
  return bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Checks the header checksum, whose own bytes count as spaces. */
function isHeader(block: Uint8Array): boolean {
  const sum = block.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  return block.length === BLOCK && sum === numberAt(block, 148, 8);
}

type ReadRange = (at: number, length: number) => Promise<Uint8Array>;

/** Reads ranges of a file through a buffer, so that nearby reads are combined. */
function bufferedReader(file: Blob): ReadRange {
  let [start, bytes] = [0, new Uint8Array()];
  return async (at, length) => {
    if (at < start || at + length > start + bytes.length) {
      start = at;
      bytes = new Uint8Array(await file.slice(at, at + Math.max(WINDOW, length)).arrayBuffer());
    }
    return bytes.subarray(at - start, at - start + length);
  };
}

/** The path in an extended header, whose lines are `length name=value`. */
const pathInHeader = (header: string): string | undefined => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(header)?.[1];

const pathAt = (block: Uint8Array): string => {
  const isUstar = textAt(block, 257, 5) === "ustar";
  const prefix = isUstar ? textAt(block, 345, 155) : "";
  return (prefix ? `${prefix}/` : "") + textAt(block, 0, 100);
};

const fileSource = (file: Blob, start: number, size: number): FileSource => ({
  size,
  stream: () => file.slice(start, start + size).stream(),
});

type Header = { block: Uint8Array; kind: string; start: number; size: number };

async function* readHeaders(file: Blob, read: ReadRange): AsyncGenerator<Header> {
  for (let at = 0; at < file.size; ) {
    const block = await read(at, BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const [size, start] = [numberAt(block, 124, 12), at + BLOCK];
    if (!isHeader(block) || !(start + size <= file.size)) throw new Error(DAMAGED);
    yield { block, kind: textAt(block, 156, 1), start, size };
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  // Without this, a tar that breaks off between two files would look complete.
  throw new Error(DAMAGED);
}

/** The path of the next file, from an extended header or a GNU long name. */
async function extendedPath({ kind, start, size }: Header, read: ReadRange): Promise<string | undefined> {
  if (kind !== "x" && kind !== "L") return undefined;
  const text = decoder.decode(await read(start, Math.min(size, MAX_EXTENDED_BYTES)));
  return kind === "x" ? pathInHeader(text) : upToNul(text);
}

const isFile = ({ kind }: Header) => kind === "0" || kind === "";

/** The files of a tar. Throws on a file that is not a tar or is incomplete. */
export async function readTarEntries(file: Blob): Promise<FileEntries> {
  const read = bufferedReader(file);
  const entries = new Map<string, FileSource>();
  let extended: string | undefined;
  for await (const header of readHeaders(file, read)) {
    const path = isFile(header) ? safePath(extended ?? pathAt(header.block)) : undefined;
    if (path) entries.set(path, fileSource(file, header.start, header.size));
    if (entries.size > MAX_ENTRIES) throw new Error(`has more than ${MAX_ENTRIES} files`);
    extended = await extendedPath(header, read);
  }
  return entries;
}
