import type { FoundEntry } from "./item.ts";
import { assertNoZipBomb } from "./size-limits.ts";
import { decodeZipName, safePath } from "./zip-names.ts";

// The files of a folder or zip by path, each read on demand. Zip entries are located through the central directory
// (PKWARE's APPNOTE 6.3.10), because a sequential reader cannot return to an earlier file.

/**
 * A file that can be read, such as a Blob. `size` is the declared size and may be wrong; `name` is set if the path does
 * not contain it.
 */
export type FileSource = {
  readonly size: number;
  readonly name?: string;
  stream: () => ReadableStream<Uint8Array>;
};
export type FileEntries = ReadonlyMap<string, FileSource>;

export const readBytes = async (file: FileSource): Promise<Uint8Array> =>
  new Uint8Array(await new Response(file.stream()).arrayBuffer());

/** A file of tasks for `readTasks`. `isPart`: it comes from an archive, so messages need its name as well as the line. */
export type TaskFileSource = { name: string; bytes: Uint8Array; isPart?: true };

/** An opened folder or archive: what was found in its texts, all its files, and its files of tasks. */
export type OpenedFiles = { found: FoundEntry[]; entries: FileEntries; tasks?: readonly TaskFileSource[] };

const END = 0x06054b50;
const END_64 = 0x06064b50;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
/** A comment of 64 kB may follow the end. */
const LONGEST_END = END_BYTES + 0xffff + LOCATOR_BYTES;
const MAX_UINT32 = 0xffffffff;
const TAG_64 = 1;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = -1;
/** A directory of this size lists about 500,000 files. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

export const DAMAGED_ARCHIVE = "is incomplete or damaged, so nothing in it was read";

const dataView = async (blob: Blob) => new DataView(await blob.arrayBuffer());
const readUint64 = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

async function locateDirectory(zip: Blob): Promise<{ start: number; bytes: number }> {
  const from = Math.max(0, zip.size - LONGEST_END);
  const tail = await dataView(zip.slice(from));
  let at = tail.byteLength - END_BYTES;
  while (at >= 0 && tail.getUint32(at, true) !== END) at--;
  if (at < 0) throw new Error(DAMAGED_ARCHIVE);
  const short = { bytes: tail.getUint32(at + 12, true), start: tail.getUint32(at + 16, true) };
  if (short.start !== MAX_UINT32 || at < LOCATOR_BYTES) return short;
  const place = readUint64(tail, at - LOCATOR_BYTES + 8);
  const end = await dataView(zip.slice(place, place + 56));
  if (end.byteLength < 56 || end.getUint32(0, true) !== END_64) throw new Error(DAMAGED_ARCHIVE);
  return { bytes: readUint64(end, 40), start: readUint64(end, 48) };
}

type ZipEntry = { method: number; packed: number; size: number; offset: number };

/** The sizes and offset of an entry. Values above 32 bits are in its extra fields. */
function readEntry(view: DataView, at: number, extra: { start: number; end: number }): ZipEntry {
  const numbers = [24, 20, 42].map((offset) => view.getUint32(at + offset, true));
  for (let field = extra.start; field + 4 <= extra.end; ) {
    const length = view.getUint16(field + 2, true);
    if (view.getUint16(field, true) === TAG_64) {
      let next = field + 4;
      for (const [index, number] of numbers.entries())
        if (number === MAX_UINT32 && next + 8 <= Math.min(field + 4 + length, extra.end)) {
          numbers[index] = readUint64(view, next);
          next += 8;
        }
    }
    field += 4 + length;
  }
  const [size = 0, packed = 0, offset = 0] = numbers;
  const isEncrypted = (view.getUint16(at + 8, true) & 1) === 1;
  return { method: isEncrypted ? ENCRYPTED : view.getUint16(at + 10, true), packed, size, offset };
}

function* directoryEntries(view: DataView): Generator<ZipEntry & { name: string }> {
  const isHeader = (at: number) =>
    at + CENTRAL_HEADER_BYTES <= view.byteLength && view.getUint32(at, true) === CENTRAL_HEADER;
  for (let at = 0; isHeader(at); ) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    );
    const start = at + CENTRAL_HEADER_BYTES + name;
    const next = start + extra + comment;
    if (next > view.byteLength) return;
    const bytes = new Uint8Array(view.buffer, at + CENTRAL_HEADER_BYTES, name);
    const characters = Array.from(bytes, (byte) => String.fromCharCode(byte));
    yield { ...readEntry(view, at, { start, end: start + extra }), name: characters.join("") };
    at = next;
  }
}

/** The stored bytes of an entry, which follow its local header. */
async function storedBytes(zip: Blob, { offset, packed }: ZipEntry): Promise<Blob> {
  const header = await dataView(zip.slice(offset, offset + LOCAL_HEADER_BYTES));
  if (header.byteLength < LOCAL_HEADER_BYTES || header.getUint32(0, true) !== LOCAL_HEADER)
    throw new Error(DAMAGED_ARCHIVE);
  const start = offset + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  return zip.slice(start, start + packed);
}

function entrySource(zip: Blob, entry: ZipEntry): FileSource {
  const { method, size } = entry;
  const read = async () => {
    const stored = (await storedBytes(zip, entry)).stream();
    return method === STORED ? stored : stored.pipeThrough(new DecompressionStream("deflate-raw"));
  };
  const stream = () => {
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    let received = 0;
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        reader ??= (await read()).getReader() as ReadableStreamDefaultReader<Uint8Array>;
        const { value, done } = await reader.read();
        received += value?.length ?? 0;
        if (received > size) throw new Error("is larger than its zip says");
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader?.cancel(reason),
    });
  };
  return { size, stream };
}

/** All files of a zip. Throws on a file that is not a zip, is incomplete or is a zip bomb. */
export async function readZipEntries(zip: Blob): Promise<FileEntries> {
  const { start, bytes } = await locateDirectory(zip);
  if (bytes > MAX_DIRECTORY_BYTES || start + bytes > zip.size) throw new Error(DAMAGED_ARCHIVE);
  const view = await dataView(zip.slice(start, start + bytes));
  const entries = new Map<string, FileSource>();
  let unpacked = 0;
  for (const { name, ...entry } of directoryEntries(view)) {
    unpacked += entry.size;
    const path = name.endsWith("/") ? undefined : safePath(decodeZipName(name));
    const isReadable = entry.method === STORED || entry.method === DEFLATED;
    if (path !== undefined && isReadable) entries.set(path, entrySource(zip, entry));
  }
  assertNoZipBomb(zip.size, unpacked);
  return entries;
}
