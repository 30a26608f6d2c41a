import { foldersAbove } from "./paths.ts";

/** For the paths in a folder and below it: the first one and their number. */
type Folder = { first: string; count: number; folders: Map<string, Folder> };

const comesFirst = (path: string, other: string) =>
  path.length === other.length ? path < other : path.length < other.length;

function add(folder: Folder, path: string): void {
  folder.count += 1;
  if (folder.count === 1 || comesFirst(path, folder.first)) folder.first = path;
}

const emptyFolder = (): Folder => ({ first: "", count: 0, folders: new Map() });

/** Finds the path nearest to a note; undefined without one. `isOnly`: no other path is as near. */
export type FindNearest = (note: string) => { path: string; isOnly: boolean } | undefined;

/**
 * Picks the path that shares the most leading folders with a note, and of those the shortest, so that each of several
 * vaults uses its own files. A lookup takes time proportional to the depth of the note's path.
 */
export function nearestFinder(paths: readonly string[]): FindNearest {
  const top = emptyFolder();
  for (const path of paths) {
    let folder = top;
    add(folder, path);
    for (const name of foldersAbove(path)) {
      const next = folder.folders.get(name) ?? emptyFolder();
      folder.folders.set(name, next);
      folder = next;
      add(folder, path);
    }
  }
  return (note) => {
    let folder = top;
    for (const name of foldersAbove(note)) {
      const next = folder.folders.get(name);
      if (!next) break;
      folder = next;
    }
    return folder.count === 0 ? undefined : { path: folder.first, isOnly: folder.count === 1 };
  };
}
