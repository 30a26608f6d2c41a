import {
  type DirectoryDropItem,
  type DropItem,
  isDirectoryDropItem,
  isFileDropItem,
} from "react-aria-components";
import { hiddenPart, isHidden } from "../../../../src/shared/import/file-names.ts";
import type { SkippedEntry } from "../../../../src/shared/import/item.ts";

// The files that the user dropped or chose, with their paths.

/** A file, and its path relative to what was dropped, with slashes. */
export type PickedFile = { path: string; file: File };
export type Picked = { files: PickedFile[]; leftOut: SkippedEntry[] };

/** For more, use the command-line importer, which does not need all of them in memory. */
const MAX_FILES = 20_000;

function add({ files }: Picked, picked: PickedFile): void {
  if (files.length === MAX_FILES)
    throw new Error(
      `There are more than ${MAX_FILES.toLocaleString("en")} files. Choose some of them, or use the command-line importer.`,
    );
  files.push(picked);
}

/** The files of a file picker. For a folder, paths start with its name, which is not checked for being hidden. */
export function pickedFromList(list: Iterable<File>): Picked {
  const picked: Picked = { files: [], leftOut: [] };
  const hidden = new Set<string>();
  for (const file of list) {
    const path = file.webkitRelativePath || file.name;
    const part = hiddenPart(path, path.includes("/") ? 1 : 0);
    if (part === undefined) add(picked, { path, file });
    else hidden.add(part);
  }
  picked.leftOut = [...hidden].map((where) => ({ where, leftOut: "hidden" }));
  return picked;
}

async function addFolder(picked: Picked, folder: DirectoryDropItem, path: string): Promise<void> {
  for await (const entry of folder.getEntries()) {
    const where = `${path}/${entry.name}`;
    if (isHidden(entry.name)) picked.leftOut.push({ where, leftOut: "hidden" });
    else if (isDirectoryDropItem(entry)) await addFolder(picked, entry, where);
    else if (isFileDropItem(entry)) add(picked, { path: where, file: await entry.getFile() });
  }
}

/** The dropped files, including those in folders. */
export async function pickedFromDrop(items: readonly DropItem[]): Promise<Picked> {
  const picked: Picked = { files: [], leftOut: [] };
  for (const item of items) {
    if (isDirectoryDropItem(item)) await addFolder(picked, item, item.name);
    else if (isFileDropItem(item)) add(picked, { path: item.name, file: await item.getFile() });
  }
  return picked;
}
