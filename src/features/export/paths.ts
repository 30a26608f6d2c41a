import { createHash } from "node:crypto";
import { nameKey } from "../../contract/name-key.ts";
import { MAX_PATH_BYTES, numberedName, safeFileName } from "../../shared/files/names.ts";
import { extname } from "../../shared/import/paths.ts";
import type { StoredFolder } from "../documents/folder-path.ts";

// Paths of documents and files in a Markdown export.

/** A folder: its path with a trailing slash, its name, and its parent. */
type Place = { path: string; name?: string; above?: Place };

const FILES = "Files";
const THUMBNAILS = "Thumbnails";

/** A longer extension counts as part of the name. */
const MAX_ENDING = 20;

const TOP: Place = { path: "" };

/** The folder names of a place, outermost first. */
export function folderNames(place: Place): string[] {
  const names: string[] = [];
  for (let at: Place | undefined = place; at; at = at.above)
    if (at.name !== undefined) names.unshift(at.name);
  return names;
}

/** A case-insensitive 48-bit digest of a path. On a collision, a path gets a number that it does not need. */
const pathDigest = (path: string) => createHash("sha256").update(nameKey(path)).digest().readUIntBE(0, 6);

/** Returns a function that makes paths unique, ignoring case, by adding a number to repeated names in a folder. */
function uniquePaths() {
  /** By path digest, the next number to try. */
  const taken = new Map<number, number>();
  return (folder: string, name: string, ending = ""): string => {
    const first = pathDigest(folder + name + ending);
    for (let number = taken.get(first) ?? 1; ; number++) {
      const path = folder + numberedName(name, number) + ending;
      const digest = pathDigest(path);
      if (taken.has(digest)) continue;
      taken.set(digest, 2);
      if (number > 1) taken.set(first, number + 1);
      return path;
    }
  };
}

const encoder = new TextEncoder();
const fits = (path: string) => encoder.encode(path).length <= MAX_PATH_BYTES;

/**
 * Assigns paths to these folders, which must come after their parents, and to the files in them. Folders with the same name in
 * the same parent are merged; a folder whose path is too long becomes its parent. `top`: only this folder and its subfolders.
 */
export function exportPaths(folders: readonly StoredFolder[], top?: string) {
  const unique = uniquePaths();
  const places = new Map<string, Place>();
  const known = new Map<string, Place>();
  const placeFolder = (name: string, above: Place): Place => {
    const key = `${above.path}\0${name}`;
    const place = known.get(key) ?? { path: `${unique(above.path, safeFileName(name))}/`, name, above };
    if (!fits(place.path)) return above;
    known.set(key, place);
    return place;
  };
  for (const { id, name, parent_id } of folders) {
    const above = places.get(parent_id ?? "");
    if (top === undefined || id === top || above) places.set(id, placeFolder(name, above ?? TOP));
  }
  let filesIn: string | undefined;
  let thumbnailsIn: string | undefined;
  return {
    ids: [...places.keys()],
    of: (folder: string | null): Place => places.get(folder ?? "") ?? TOP,
    /** A path for an uploaded file. All of them are in one folder. */
    addedFile: (name: string) => {
      filesIn ??= `${unique("", FILES)}/`;
      const ending = extname(name);
      const isEnding = ending.length <= MAX_ENDING && safeFileName(`x${ending}`) === `x${ending}`;
      const [stem, kept] = isEnding ? [name.slice(0, name.length - ending.length), ending] : [name, ""];
      return unique(filesIn, safeFileName(stem), kept);
    },
    /** A path for a thumbnail. All of them are in one folder. */
    thumbnail: (id: string, width: string) => {
      thumbnailsIn ??= `${unique("", THUMBNAILS)}/`;
      return `${thumbnailsIn}${id}-${width}.webp`;
    },
    fileIn: ({ path }: Place, title: string, ending: string) =>
      unique(path, safeFileName(title), `.${ending}`),
  };
}
