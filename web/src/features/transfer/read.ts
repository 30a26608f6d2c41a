import { type Found, messageOf } from "../../../../src/contract/import/item.ts";
import { readJsonLines } from "../../../../src/contract/import/json-lines.ts";
import { whyLeftOut } from "../../../../src/contract/import/names.ts";
import { basename } from "../../../../src/contract/import/paths.ts";
import { MAX_BODY_BYTES, tooLarge } from "../../../../src/contract/import/size.ts";
import { readTextFile } from "../../../../src/contract/import/text-file.ts";
import { isArchive } from "./archive-file.ts";
import { chunksOf } from "./chunks.ts";
import type { Picked, PickedFile } from "./picked.ts";

/** All texts are in memory while they are compared with the account. */
const MAX_BYTES = 256 * 1024 * 1024;

/** All chosen folders and files are one source: a document is known by its path in them. */
const SOURCE = "";

export type Reading = { signal: AbortSignal; onProgress: (done: number, total: number) => void };

type Count = (bytes: number) => void;

function counter(signal: AbortSignal): Count {
  let sum = 0;
  return (bytes) => {
    signal.throwIfAborted();
    sum += bytes;
    if (sum > MAX_BYTES)
      throw new TooMuch(
        "These are more than 256 MiB of text. Import them in parts, or use the command-line importer.",
      );
  };
}

/** Stops the whole reading; other problems are those of one file. */
class TooMuch extends Error {}

const timesOf = (file: File) => ({
  birthtime: new Date(file.lastModified),
  mtime: new Date(file.lastModified),
});

async function readText({ path, file }: PickedFile, count: Count): Promise<Found[]> {
  if (file.size > MAX_BODY_BYTES) return [{ where: path, path, why: tooLarge(file.size) }];
  count(file.size);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return [readTextFile({ source: SOURCE, path, bytes, times: timesOf(file) }, [])];
}

async function* counted(file: File, count: Count): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(file)) {
    count(chunk.length);
    yield chunk;
  }
}

async function readLines({ file }: PickedFile, name: string | undefined, count: Count): Promise<Found[]> {
  if (await isArchive(file))
    return [{ where: file.name, why: "is an export file of Commonplace: import it on its own" }];
  const lines = { source: file.name, chunks: counted(file, count), ...(name !== undefined && { name }) };
  const found: Found[] = [];
  for await (const one of readJsonLines(lines, { folders: [], tags: [] })) found.push(one);
  return found;
}

/** Reads one chosen file. A zip or JSON lines inside a folder are left out, as the command-line importer does. */
async function readOne(picked: PickedFile, isAlone: boolean, count: Count): Promise<Found[]> {
  const { path, file } = picked;
  const isChosen = !path.includes("/");
  if (isChosen && /\.zip$/i.test(path)) return (await import("./zip.ts")).readZip(file, count);
  if (isChosen && /\.(jsonl|ndjson)$/i.test(path))
    return readLines(picked, isAlone ? undefined : path, count);
  const leftOut = whyLeftOut(basename(path));
  return leftOut ? [{ where: path, leftOut }] : readText(picked, count);
}

/** Reads everything that was chosen, in the order of its paths. Throws when it is too much, or was stopped. */
export async function readPicked(picked: Picked, { signal, onProgress }: Reading): Promise<Found[]> {
  const count = counter(signal);
  const files = picked.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const found: Found[] = [...picked.leftOut];
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    onProgress(index, files.length);
    try {
      found.push(...(await readOne(file, files.length === 1, count)));
    } catch (problem) {
      if (signal.aborted || problem instanceof TooMuch) throw problem;
      found.push({ where: file.path, path: file.path, why: messageOf(problem) });
    }
  }
  return found;
}
