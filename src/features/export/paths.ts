import { createHash } from "node:crypto";
import { MAX_PATH_BYTES, numbered, safeName } from "../../contract/files/names.ts";
import { extname } from "../../contract/import/paths.ts";
import { nameKey } from "../../contract/name-key.ts";

// Where each document is in a folder of files.

export type StoredFolder = { id: string; name: string; parent_id: string | null };

/** A folder: its path with a slash at its end, and its own name in the one above. */
type Place = { path: string; name?: string; above?: Place };

const FILES = "Files";
const THUMBNAILS = "Thumbnails";

/** A longer one is part of the name. */
const MAX_ENDING = 20;

const TOP: Place = { path: "" };

/** The names of a place's folders, from the top. */
export function namesTo(place: Place): string[] {
  const names: string[] = [];
  for (let at: Place | undefined = place; at; at = at.above)
    if (at.name !== undefined) names.unshift(at.name);
  return names;
}

/** 48 bits of a path in any case. Should two paths share them, one gets a number that it does not need. */
const digestOf = (path: string) => createHash("sha256").update(nameKey(path)).digest().readUIntBE(0, 6);

/** Gives each name in a folder a number if something there has it already, in any case. */
function numbering() {
  /** Of each path, the number that the next one of that name tries. */
  const taken = new Map<number, number>();
  return (folder: string, name: string, ending = ""): string => {
    const first = digestOf(folder + name + ending);
    for (let number = taken.get(first) ?? 1; ; number++) {
      const path = folder + numbered(name, number) + ending;
      const digest = digestOf(path);
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
 * Places for the documents of these folders, which come after their parents, and for files in them. Those with the same
 * name in the same folder are one; too deep a one is the one above.
 *
 * @param top the only one that is wanted, with those in it
 */
export function placesOf(folders: readonly StoredFolder[], top?: string) {
  const unique = numbering();
  const places = new Map<string, Place>();
  const known = new Map<string, Place>();
  const placed = (name: string, above: Place): Place => {
    const key = `${above.path}\0${name}`;
    const place = known.get(key) ?? { path: `${unique(above.path, safeName(name))}/`, name, above };
    if (!fits(place.path)) return above;
    known.set(key, place);
    return place;
  };
  for (const { id, name, parent_id } of folders) {
    const above = places.get(parent_id ?? "");
    if (top === undefined || id === top || above) places.set(id, placed(name, above ?? TOP));
  }
  let filesIn: string | undefined;
  let thumbnailsIn: string | undefined;
  return {
    ids: [...places.keys()],
    of: (folder: string | null): Place => places.get(folder ?? "") ?? TOP,
    /** The path of one more file that people have added: all of them are in one folder. */
    addedFile: (name: string) => {
      filesIn ??= `${unique("", FILES)}/`;
      const ending = extname(name);
      const isEnding = ending.length <= MAX_ENDING && safeName(`x${ending}`) === `x${ending}`;
      const [stem, kept] = isEnding ? [name.slice(0, name.length - ending.length), ending] : [name, ""];
      return unique(filesIn, safeName(stem), kept);
    },
    /** The path of a smaller picture of such a file: all of them are in one folder, too. */
    thumbnail: (id: string, width: string) => {
      thumbnailsIn ??= `${unique("", THUMBNAILS)}/`;
      return `${thumbnailsIn}${id}-${width}.webp`;
    },
    /** The path of one more document in a place. */
    fileIn: ({ path }: Place, title: string, ending: string) => unique(path, safeName(title), `.${ending}`),
  };
}
