import { type AsyncFlateStreamHandler, Inflate, Unzip, type UnzipFile } from "fflate";
import { MAX_UPLOAD_BYTES } from "../../contract/file-limits.ts";
import { fileChunks } from "./chunks.ts";
import {
  DAMAGED_ARCHIVE,
  type FileEntries,
  type FileSource,
  type OpenedFiles,
  readZipEntries,
} from "./entries.ts";
import { hiddenPart, skipReason } from "./file-names.ts";
import type { FoundEntry } from "./item.ts";
import { basename, stem } from "./paths.ts";
import { MAX_BODY_BYTES, tooLargeMessage } from "./size-limits.ts";
import { readTextFile } from "./text-file.ts";
import { decodeZipName, safePath } from "./zip-names.ts";

// Reads a zip sequentially, without its directory, so that nothing is unpacked twice and at most the size limit of a
// document is unpacked of each text.

/** Deflate expands up to a thousand times, so pieces must be small. */
const PIECE_BYTES = 4 * 1024;
const MAX_ENTRIES = 50_000;

const STORED = 0;
const DEFLATED = 8;

type Entry = { path: string } & (
  | { chunks: Uint8Array[]; size: number }
  | { why: string }
  | { leftOut: string }
);

/** A decoder that stops at a limit. fflate expects a constructor. */
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

const LEADS_OUT = "its path points outside the zip";
const MACINTOSH = "__MACOSX";

function planEntry({ name, compression, originalSize = 0 }: UnzipFile): Entry {
  const path = safePath(decodeZipName(name));
  if (path === undefined) return { path: name, why: LEADS_OUT };
  const hidden = path.startsWith(`${MACINTOSH}/`) ? MACINTOSH : hiddenPart(path);
  if (hidden !== undefined) return { path: hidden, leftOut: "hidden" };
  const leftOut = skipReason(basename(path));
  if (leftOut) return { path, leftOut };
  if (compression !== STORED && compression !== DEFLATED)
    return { path, why: `uses a compression method that browsers cannot read (${compression})` };
  if (originalSize > MAX_BODY_BYTES) return { path, why: tooLargeMessage(originalSize) };
  return { path, chunks: [], size: 0 };
}

const isWanted = (entry: Entry) => "chunks" in entry;

function addChunk(entries: Entry[], index: number, [problem, chunk]: [Error | null, Uint8Array]): void {
  const entry = entries[index];
  if (!entry || !("chunks" in entry)) return;
  if (problem) {
    entries[index] = { path: entry.path, why: `cannot be unpacked: ${problem.message}` };
    return;
  }
  entry.size += chunk.length;
  entry.chunks.push(chunk);
  if (entry.size > MAX_BODY_BYTES) entries[index] = { path: entry.path, why: tooLargeMessage(entry.size) };
}

async function requireZip(file: File): Promise<void> {
  if ((await file.slice(0, 2).text()) !== "PK") throw new Error("is not a zip file");
}

function finish(unzip: Unzip): void {
  try {
    unzip.push(new Uint8Array(), true);
  } catch {
    throw new Error(DAMAGED_ARCHIVE);
  }
}

/** The texts and other entries of a zip. `count` is called with the number of text bytes unpacked and may throw. */
async function readTexts(file: File, count: (bytes: number) => void): Promise<Entry[]> {
  const entries: Entry[] = [];
  const unzip = new Unzip((found) => {
    if (found.name.endsWith("/")) return;
    if (entries.length === MAX_ENTRIES) throw new Error(`has more than ${MAX_ENTRIES} files`);
    const index = entries.push(planEntry(found)) - 1;
    const wanted = isWanted(entries[index] as Entry);
    found.ondata = (problem, chunk) => {
      if (wanted) count(chunk?.length ?? 0);
      addChunk(entries, index, [problem, chunk]);
    };
    // fflate keeps entries in memory that are not started, so unwanted ones are started with a limit of 0.
    unzip.register(inflateUpTo(wanted ? MAX_BODY_BYTES + 1 : 0));
    if (found.compression === STORED || found.compression === DEFLATED) found.start();
  });
  for await (const chunk of fileChunks(file))
    for (let start = 0; start < chunk.length; start += PIECE_BYTES)
      unzip.push(chunk.subarray(start, start + PIECE_BYTES));
  finish(unzip);
  return entries;
}

/** The zip's name becomes a folder, unless everything in it is already in one folder. */
function folderFor(file: File, entries: Entry[]): string {
  const paths = entries.filter(isWanted).map(({ path }) => path);
  const tops = new Set(paths.map((path) => path.split("/", 1)[0]));
  return tops.size === 1 && paths.every((path) => path.includes("/")) ? "" : `${stem(file.name)}/`;
}

function concat(chunks: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/**
 * Reads the texts of a zip, and lists all its files by path. Throws on a file that is not a zip, is incomplete or is a zip
 * bomb.
 *
 * @param count is called with the number of text bytes unpacked, and throws above a limit
 */
export async function openZip(file: File, count: (bytes: number) => void): Promise<OpenedFiles> {
  await requireZip(file);
  // Rejects a zip without a complete directory: one that breaks off between two files would look complete otherwise.
  const all = await readZipEntries(file);
  const parts = await innerZips(all);
  return parts.length > 0 ? openInnerZips(parts, count) : openSingle(file, all, count);
}

async function openSingle(
  file: File,
  all: FileEntries,
  count: (bytes: number) => void,
): Promise<OpenedFiles> {
  const texts = (await readTexts(file, count)).map((entry) => ({
    ...entry,
    path: withoutExportFolder(entry.path),
  }));
  const folder = folderFor(file, texts);
  const entries = new Map([...all].map(([path, bytes]) => [folder + withoutExportFolder(path), bytes]));
  return { found: foundEntries(texts, folder), entries };
}

const NOTION_FOLDER = /^Export-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\//;

/** Notion uses another folder name for each export, which would prevent recognizing notes in the next import. */
const withoutExportFolder = (path: string) => path.replace(NOTION_FOLDER, "Notion/");

/** The inner zips of a zip that contains nothing else: Notion packs the parts of an export into an outer zip. */
async function innerZips(entries: FileEntries): Promise<File[]> {
  const parts = [...entries].filter(([path]) => !path.startsWith(`${MACINTOSH}/`));
  if (!parts.every(([path, { size }]) => /\.zip$/i.test(path) && size <= MAX_UPLOAD_BYTES)) return [];
  const files: File[] = [];
  for (const [path, { stream }] of parts)
    files.push(new File([await new Response(stream()).blob()], basename(path)));
  return files;
}

async function openInnerZips(parts: readonly File[], count: (bytes: number) => void): Promise<OpenedFiles> {
  const found: FoundEntry[] = [];
  const entries = new Map<string, FileSource>();
  for (const part of parts) {
    await requireZip(part);
    const opened = await openSingle(part, await readZipEntries(part), count);
    found.push(...opened.found);
    for (const [path, bytes] of opened.entries) entries.set(path, bytes);
  }
  return { found, entries };
}

function foundEntries(entries: Entry[], folder: string): FoundEntry[] {
  const leftOut = new Set<string>();
  return entries.flatMap((entry): FoundEntry[] => {
    const path = "why" in entry && entry.why === LEADS_OUT ? entry.path : folder + entry.path;
    if ("why" in entry) return [{ where: path, path, why: entry.why }];
    if ("chunks" in entry)
      return [readTextFile({ source: "", path, bytes: concat(entry.chunks, entry.size) }, [])];
    if (leftOut.has(path)) return [];
    leftOut.add(path);
    return [{ where: path, leftOut: entry.leftOut }];
  });
}
