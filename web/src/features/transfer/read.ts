import { withNeededFiles } from "../../../../src/shared/import/attachments.ts";
import { fileChunks } from "../../../../src/shared/import/chunks.ts";
import type { FileEntries, FileSource, TaskFileSource } from "../../../../src/shared/import/entries.ts";
import { skipReason } from "../../../../src/shared/import/file-names.ts";
import { errorMessage, type FoundEntry } from "../../../../src/shared/import/item.ts";
import { readJsonLines } from "../../../../src/shared/import/json-lines.ts";
import { withVaultTitles } from "../../../../src/shared/import/obsidian.ts";
import { basename } from "../../../../src/shared/import/paths.ts";
import {
  byteCounter,
  MAX_BODY_BYTES,
  TooMuchText,
  tooLargeMessage,
} from "../../../../src/shared/import/size-limits.ts";
import { readTextFile } from "../../../../src/shared/import/text-file.ts";
import { isArchive } from "./archive-file.ts";
import type { Picked, PickedFile } from "./picked.ts";

/** All chosen files are one source: a document is identified by its path. */
const SOURCE = "";

export type ReadOptions = { signal: AbortSignal; onProgress: (done: number, total: number) => void };

/** The texts, and all files by the paths that the texts use. */
export type ReadFiles = { found: FoundEntry[]; entries: FileEntries; tasks?: readonly TaskFileSource[] };

type Count = (bytes: number) => void;

function counter(signal: AbortSignal): Count {
  const add = byteCounter(256, "Import them in parts, or use the command-line importer.");
  return (bytes) => {
    signal.throwIfAborted();
    add(bytes);
  };
}

const timesOf = (file: File) => ({
  birthtime: new Date(file.lastModified),
  mtime: new Date(file.lastModified),
});

async function readText({ path, file }: PickedFile, count: Count): Promise<FoundEntry[]> {
  if (file.size > MAX_BODY_BYTES) return [{ where: path, path, why: tooLargeMessage(file.size) }];
  count(file.size);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return [readTextFile({ source: SOURCE, path, bytes, times: timesOf(file) }, [])];
}

async function* countedChunks(file: File, count: Count): AsyncGenerator<Uint8Array> {
  for await (const chunk of fileChunks(file)) {
    count(chunk.length);
    yield chunk;
  }
}

async function readLines(
  { file }: PickedFile,
  name: string | undefined,
  count: Count,
): Promise<FoundEntry[]> {
  if (await isArchive(file))
    return [{ where: file.name, why: "is a Commonplace export: import it on its own" }];
  const chunks = countedChunks(file, count);
  const lines = { source: file.name, chunks, ...(name !== undefined && { name }) };
  const found: FoundEntry[] = [];
  for await (const one of readJsonLines(lines, { folders: [], tags: [] })) found.push(one);
  return found;
}

/** Reads one chosen file. Zips and JSON lines inside a folder are skipped, as in the command-line importer. */
async function readOne(picked: PickedFile, isAlone: boolean, count: Count): Promise<ReadFiles> {
  const { path, file } = picked;
  const isChosen = !path.includes("/");
  if (isChosen && /\.zip$/i.test(path))
    return (await import("../../../../src/shared/import/zip.ts")).openZip(file, count);
  if (isChosen && /\.jex$/i.test(path))
    return {
      found: [],
      entries: await (await import("../../../../src/shared/import/tar.ts")).readTarEntries(file),
    };
  const entries = new Map([[path, file]]);
  if (isChosen && /\.(jsonl|ndjson)$/i.test(path))
    return { found: await readLines(picked, isAlone ? undefined : path, count), entries };
  const leftOut = skipReason(basename(path));
  return { found: leftOut ? [{ where: path, leftOut }] : await readText(picked, count), entries };
}

/** Reads all chosen files in the order of their paths. Throws if they are too large, or reading was stopped. */
export async function readPickedFiles(
  picked: Picked,
  { signal, onProgress }: ReadOptions,
): Promise<ReadFiles> {
  const count = counter(signal);
  const files = picked.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const found: FoundEntry[] = [...picked.leftOut];
  const entries = new Map<string, FileSource>();
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    onProgress(index, files.length);
    try {
      const opened = await readOne(file, files.length === 1, count);
      found.push(...opened.found);
      for (const [path, bytes] of opened.entries) entries.set(path, bytes);
    } catch (problem) {
      if (signal.aborted || problem instanceof TooMuchText) throw problem;
      found.push({ where: file.path, path: file.path, why: errorMessage(problem) });
    }
  }
  const { readJoplinExport } = await import("../../../../src/shared/import/joplin/read.ts");
  const { readNotionExport } = await import("../../../../src/shared/import/notion/read.ts");
  const { readTodoistBackup } = await import("../../../../src/shared/import/records/todoist-backup.ts");
  const read = { found, entries };
  const joplin = await readJoplinExport(read, SOURCE, count);
  const target = { source: SOURCE, folders: [], tags: [] };
  const opened =
    joplin === read ? await readNotionExport(await readTodoistBackup(read, count), target, count) : joplin;
  return { ...opened, found: withNeededFiles(withVaultTitles(opened.found), opened.entries) };
}
