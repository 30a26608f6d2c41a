import type { Folder } from "../../api/folders.ts";
import { folderPathName } from "./folders.ts";

/** The folder of a typed path that exists, and the names of those to create in it, one within the other. */
export type NewFolderPath = { parent: Folder | undefined; names: string[] };

/** Reads a path such as "Work / Letters" or "Work/Letters": what exists of it is used. */
export function parseFolderPath(typed: string, folders: readonly Folder[]): NewFolderPath {
  const names = typed
    .split("/")
    .map((name) => name.trim())
    .filter(Boolean);
  const pathOf = (count: number) => names.slice(0, count).join(" / ").toLowerCase();
  for (let count = names.length; count > 0; count--) {
    const parent = folders.find(({ id }) => folderPathName(folders, id).toLowerCase() === pathOf(count));
    if (parent) return { parent, names: names.slice(count) };
  }
  return { parent: undefined, names };
}
