import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { isHidden, skipReason } from "../../src/shared/import/file-names.ts";
import {
  errorMessage,
  type FoundEntry,
  type ImportTarget,
  type SkippedEntry,
} from "../../src/shared/import/item.ts";
import { MAX_BODY_BYTES, tooLargeMessage } from "../../src/shared/import/size-limits.ts";
import { readTextFile } from "../../src/shared/import/text-file.ts";

type FolderSource = { root: string; target: ImportTarget };

/** The path of a file in its source, with slashes. */
const pathIn = (root: string, file: string) => relative(root, file).split(sep).join("/");

async function readTextAt({ root, target }: FolderSource, file: string): Promise<FoundEntry> {
  const path = pathIn(root, file);
  try {
    const times = await stat(file);
    if (times.size > MAX_BODY_BYTES) return { where: path, path, why: tooLargeMessage(times.size) };
    const bytes = await readFile(file);
    const found = readTextFile({ source: root, path, bytes, times }, target.tags);
    return "folders" in found ? { ...found, folders: [...target.folders, ...found.folders] } : found;
  } catch (problem) {
    return { where: path, path, why: errorMessage(problem) };
  }
}

/** Why an entry of a folder is skipped; undefined for a text or a folder. */
function whySkipped(entry: Dirent): string | undefined {
  if (isHidden(entry.name)) return "hidden";
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isDirectory()) return undefined;
  return entry.isFile() ? skipReason(entry.name) : "not a file";
}

/** Whether an entry was left out because it is a file that is not a text. Texts may link to it. */
export function isUnsupportedFile({ where, leftOut }: SkippedEntry): boolean {
  const name = basename(where);
  return !isHidden(name) && leftOut === skipReason(name);
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1);

async function* readEntry(source: FolderSource, folder: string, entry: Dirent): AsyncGenerator<FoundEntry> {
  const path = join(folder, entry.name);
  const leftOut = whySkipped(entry);
  if (leftOut) yield { where: pathIn(source.root, path), leftOut };
  else if (entry.isDirectory()) yield* readSubfolder(source, path);
  else yield readTextAt(source, path);
}

async function* readSubfolder(source: FolderSource, folder: string): AsyncGenerator<FoundEntry> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (problem) {
    // The path stands for everything in the folder, which a mirror then leaves in the account.
    const path = `${pathIn(source.root, folder)}/`;
    yield { where: path, path, why: `cannot be listed: ${errorMessage(problem)}` };
    return;
  }
  for (const entry of entries.sort(byName)) yield* readEntry(source, folder, entry);
}

/**
 * Reads every text in a folder and its subfolders, ordered by name: .md, .mdx, .markdown and .txt. Also yields the files
 * that are left out or cannot be read. The path of a subfolder that cannot be listed ends with a slash. Throws if the
 * folder itself cannot be listed.
 */
export async function* readFolder(root: string, target: ImportTarget): AsyncGenerator<FoundEntry> {
  for (const entry of (await readdir(root, { withFileTypes: true })).sort(byName))
    yield* readEntry({ root, target }, root, entry);
}
