import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join, relative, sep } from "node:path";
import { timesOf } from "./dates.ts";
import { decode, type Found, messageOf, type Target } from "./item.ts";
import { readText } from "./markdown.ts";
import { MAX_BODY_BYTES, tooLarge } from "./size.ts";

const TEXT = /\.(md|mdx|markdown|txt)$/i;

type Source = { root: string; target: Target };

async function readTextFile({ root, target }: Source, file: string): Promise<Found> {
  const path = relative(root, file);
  const named = { where: path, path };
  try {
    const info = await stat(file);
    if (info.size > MAX_BODY_BYTES) return { ...named, why: tooLarge(info.size) };
    const { data, ...text } = readText(decode(await readFile(file)), file, target.tags);
    return {
      ...named,
      ...text,
      ...timesOf(data, info, text.notes),
      source: root,
      name: basename(path),
      folders: [...target.folders, ...path.split(sep).slice(0, -1)],
    };
  } catch (problem) {
    return { ...named, why: messageOf(problem) };
  }
}

/** Why an entry of a folder is not read, or undefined for a text or a folder. */
function reasonAgainst(entry: Dirent): string | undefined {
  if (entry.name.startsWith(".") || entry.name === "node_modules") return "hidden";
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isDirectory() || (entry.isFile() && TEXT.test(entry.name))) return undefined;
  return entry.isFile() ? `not a text (${extname(entry.name) || "no extension"})` : "not a file";
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1);

async function* readEntry(source: Source, folder: string, entry: Dirent): AsyncGenerator<Found> {
  const path = join(folder, entry.name);
  const leftOut = reasonAgainst(entry);
  if (leftOut) yield { where: relative(source.root, path), leftOut };
  else if (entry.isDirectory()) yield* readBelow(source, path);
  else yield readTextFile(source, path);
}

async function* readBelow(source: Source, folder: string): AsyncGenerator<Found> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (problem) {
    // Its path stands for everything in it, which stays in the account.
    const path = relative(source.root, folder) + sep;
    yield { where: path, path, why: `cannot be listed: ${messageOf(problem)}` };
    return;
  }
  for (const entry of entries.sort(byName)) yield* readEntry(source, folder, entry);
}

/**
 * Reads every text in a folder and its subfolders, by name: .md, .mdx, .markdown and .txt. Reports what is left out and
 * what cannot be read: a subfolder that cannot be listed is a refusal whose path ends with a separator. Throws if the
 * folder itself cannot be listed.
 */
export async function* readFolder(root: string, target: Target): AsyncGenerator<Found> {
  for (const entry of (await readdir(root, { withFileTypes: true })).sort(byName))
    yield* readEntry({ root, target }, root, entry);
}
