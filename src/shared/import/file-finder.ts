import { type FindNearest, nearestFinder } from "./nearest-path.ts";
import { basename, foldersAbove } from "./paths.ts";

// Resolves how notes of other programs refer to a file: by path, or by name alone.

/** File extensions that mean a file rather than a page. */
export const FILE_EXTENSION =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|tiff?|heic|pdf|docx?|xlsx?|pptx?|od[tspg]|rtf|epub|eml|csv|zip|mp3|m4a|wav|ogg|opus|flac|mp4|mov|webm|mkv)$/i;

/** An address outside the import, or a fragment of the text itself. */
export const EXTERNAL_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** The percent-decoded address; unchanged if it is not valid percent-encoding. */
export function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

export const withoutQueryAndFragment = (target: string) => target.split(/[?#]/, 1)[0] ?? "";

/** A path relative to a folder; undefined if it leads outside the import. */
function resolvePath(folder: string[], path: string): string | undefined {
  const names = [...folder];
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

const exactKey = (path: string) => path.normalize("NFC");
const looseKey = (path: string) => exactKey(path).toLowerCase();

/**
 * The folders that a reference may be relative to: the note's own, or for an absolute path any folder above it, because
 * the root of a vault or export may be below the folder that was chosen or packed.
 */
const baseFolders = (address: string, folders: string[]): string[][] =>
  address.startsWith("/")
    ? Array.from({ length: folders.length + 1 }, (_, depth) => folders.slice(0, depth))
    : [folders];

/** Returns a function that finds the file a note refers to among the imported paths. */
export function fileFinder(all: Iterable<string>) {
  const paths = Array.from(all, (path) => ({ path, loose: looseKey(`/${path}`) }));
  const exact = new Map(paths.map(({ path }) => [exactKey(path), path]));
  const byName = Map.groupBy(paths, ({ path }) => looseKey(basename(path)));
  const findRelative = (address: string, note: string) => {
    const whole = withoutQueryAndFragment(address);
    const starts = baseFolders(address, foldersAbove(note));
    const spellings = [address, decodeAddress(address), whole, decodeAddress(whole)];
    for (const at of spellings.flatMap((path) => starts.map((start) => resolvePath(start, path)))) {
      const found = at === undefined ? undefined : exact.get(exactKey(at));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const indexes = new Map<string, FindNearest>();
  const findAnywhere = (target: string): FindNearest => {
    const suffix = looseKey(`/${resolvePath([], target) ?? target}`);
    const known = indexes.get(suffix);
    if (known) return known;
    const named = byName.get(looseKey(basename(target))) ?? [];
    const index = nearestFinder(named.filter(({ loose }) => loose.endsWith(suffix)).map(({ path }) => path));
    indexes.set(suffix, index);
    return index;
  };
  /** Obsidian also writes Markdown links without the folder if the name is unique. */
  const findUnique = (target: string, note: string) => {
    const found = FILE_EXTENSION.test(target) ? findAnywhere(target)(note) : undefined;
    return found?.isOnly ? found.path : undefined;
  };
  return (target: string, note: string, isWiki: boolean) => {
    if (EXTERNAL_ADDRESS.test(target)) return undefined;
    const elsewhere = () =>
      isWiki
        ? findAnywhere(target)(note)?.path
        : findUnique(withoutQueryAndFragment(decodeAddress(target)), note);
    return findRelative(target, note) ?? elsewhere();
  };
}

/** Returns the path of the file that a note refers to; undefined if it is missing. */
export type FindFile = ReturnType<typeof fileFinder>;
