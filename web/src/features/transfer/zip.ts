import { type AsyncFlateStreamHandler, Inflate, Unzip, type UnzipFile } from "fflate";
import type { Found } from "../../../../src/contract/import/item.ts";
import { hiddenPart, whyLeftOut } from "../../../../src/contract/import/names.ts";
import { basename, stem } from "../../../../src/contract/import/paths.ts";
import { MAX_BODY_BYTES, tooLarge } from "../../../../src/contract/import/size.ts";
import { readTextFile } from "../../../../src/contract/import/text-file.ts";
import { chunksOf } from "./chunks.ts";

// Reads a zip from its beginning to its end, without its directory: so nothing is unpacked twice, and no more than a
// document may have of each text.

/** Deflate expands up to a thousand times: a small piece keeps what one step unpacks small. */
const PIECE = 4 * 1024;
const MAX_ENTRIES = 50_000;

const STORED = 0;
const DEFLATED = 8;

type Entry = { path: string } & (
  | { chunks: Uint8Array[]; size: number }
  | { why: string }
  | { leftOut: string }
);

/** A decoder that stops at a limit. fflate wants a constructor. */
const inflateUpTo = (limit: number) =>
  class {
    static compression = DEFLATED;
    ondata: AsyncFlateStreamHandler = () => {};
    private size = 0;
    private readonly inflate = new Inflate((chunk, final) => {
      this.size += chunk.length;
      this.ondata(null, chunk, final);
    });

    push(chunk: Uint8Array, final: boolean): void {
      if (this.size < limit) this.inflate.push(chunk, final);
    }
  };

/** A name as UTF-8, which some programs write without saying so. */
function nameOf(name: string): string {
  const codes = Array.from(name, (character) => character.charCodeAt(0));
  if (codes.some((code) => code > 0xff)) return name;
  try {
    const bytes = Uint8Array.from(codes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return name;
  }
}

/** The path of an entry, or undefined if it leads out of the zip. */
export function safePath(name: string): string | undefined {
  const whole = name.replaceAll("\\", "/");
  const path = whole
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const leadsOut = whole.startsWith("/") || /^[a-z]:/i.test(path) || path.split("/").includes("..");
  return leadsOut ? undefined : path;
}

const LEADS_OUT = "its path leads out of the zip";
const MACINTOSH = "__MACOSX";

/** What becomes of an entry, judged by its name and how it is packed. */
function entryFor({ name, compression, originalSize = 0 }: UnzipFile): Entry {
  const path = safePath(nameOf(name));
  if (path === undefined) return { path: name, why: LEADS_OUT };
  const hidden = path.startsWith(`${MACINTOSH}/`) ? MACINTOSH : hiddenPart(path);
  if (hidden !== undefined) return { path: hidden, leftOut: "hidden" };
  const leftOut = whyLeftOut(basename(path));
  if (leftOut) return { path, leftOut };
  if (compression !== STORED && compression !== DEFLATED)
    return { path, why: `is packed in a way that browsers cannot read (method ${compression})` };
  if (originalSize > MAX_BODY_BYTES) return { path, why: tooLarge(originalSize) };
  return { path, chunks: [], size: 0 };
}

const isWanted = (entry: Entry) => "chunks" in entry;

function receive(entries: Entry[], index: number, [problem, chunk]: [Error | null, Uint8Array]): void {
  const entry = entries[index];
  if (!entry || !("chunks" in entry)) return;
  if (problem) {
    entries[index] = { path: entry.path, why: `cannot be unpacked: ${problem.message}` };
    return;
  }
  entry.size += chunk.length;
  entry.chunks.push(chunk);
  if (entry.size > MAX_BODY_BYTES) entries[index] = { path: entry.path, why: tooLarge(entry.size) };
}

const CUT_OFF = "is cut off or damaged, so nothing in it was read";

/** A directory's end may be followed by a comment of 64 kB. */
const LONGEST_END = 22 + 0xffff;

/** Refuses a zip without the end of its directory: one that breaks off between two files looks whole otherwise. */
async function requireEnd(file: File): Promise<void> {
  const tail = new Uint8Array(await file.slice(-LONGEST_END).arrayBuffer());
  const isEnd = (at: number) =>
    tail[at] === 0x50 && tail[at + 1] === 0x4b && tail[at + 2] === 5 && tail[at + 3] === 6;
  for (let at = tail.length - 22; at >= 0; at--) if (isEnd(at)) return;
  throw new Error(CUT_OFF);
}

function finish(unzip: Unzip): void {
  try {
    unzip.push(new Uint8Array(), true);
  } catch {
    throw new Error(CUT_OFF);
  }
}

/** The texts of a zip and what else is in it. `count` is told how many bytes of text were unpacked, and may throw. */
async function entriesOf(file: File, count: (bytes: number) => void): Promise<Entry[]> {
  const entries: Entry[] = [];
  const unzip = new Unzip((found) => {
    if (found.name.endsWith("/")) return;
    if (entries.length === MAX_ENTRIES) throw new Error(`has more than ${MAX_ENTRIES} files`);
    const index = entries.push(entryFor(found)) - 1;
    const wanted = isWanted(entries[index] as Entry);
    found.ondata = (problem, chunk) => {
      if (wanted) count(chunk?.length ?? 0);
      receive(entries, index, [problem, chunk]);
    };
    // What is not started would be kept in memory, so what is not wanted is started too and unpacked not at all.
    unzip.register(inflateUpTo(wanted ? MAX_BODY_BYTES + 1 : 0));
    if (found.compression === STORED || found.compression === DEFLATED) found.start();
  });
  let isFirst = true;
  for await (const chunk of chunksOf(file)) {
    if (isFirst && !(chunk[0] === 0x50 && chunk[1] === 0x4b)) throw new Error("is not a zip file");
    isFirst = false;
    for (let start = 0; start < chunk.length; start += PIECE)
      unzip.push(chunk.subarray(start, start + PIECE));
  }
  finish(unzip);
  await requireEnd(file);
  return entries;
}

/** The zip's name is a folder, unless everything in it is in one folder anyway. */
function folderFor(file: File, entries: Entry[]): string {
  const paths = entries.filter(isWanted).map(({ path }) => path);
  const tops = new Set(paths.map((path) => path.split("/", 1)[0]));
  return tops.size === 1 && paths.every((path) => path.includes("/")) ? "" : `${stem(file.name)}/`;
}

function join(chunks: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/**
 * Reads the texts in a zip. Throws on a file that is not a zip or is cut off.
 *
 * @param count is told how many bytes were unpacked, and throws when it is enough
 */
export async function readZip(file: File, count: (bytes: number) => void): Promise<Found[]> {
  const entries = await entriesOf(file, count);
  const folder = folderFor(file, entries);
  const leftOut = new Set<string>();
  return entries.flatMap((entry): Found[] => {
    const path = "why" in entry && entry.why === LEADS_OUT ? entry.path : folder + entry.path;
    if ("why" in entry) return [{ where: path, path, why: entry.why }];
    if ("chunks" in entry)
      return [readTextFile({ source: "", path, bytes: join(entry.chunks, entry.size) }, [])];
    if (leftOut.has(path)) return [];
    leftOut.add(path);
    return [{ where: path, leftOut: entry.leftOut }];
  });
}
