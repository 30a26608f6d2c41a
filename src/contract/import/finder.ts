import { type Nearest, nearestOf } from "./nearest.ts";
import { basename, foldersAbove } from "./paths.ts";

// Resolves how notes of other programs refer to a file: by path, or by name alone.

/** File extensions that mean a file rather than a page. */
export const IS_FILE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|tiff?|heic|pdf|docx?|xlsx?|pptx?|od[tspg]|rtf|epub|eml|csv|zip|mp3|m4a|wav|ogg|opus|flac|mp4|mov|webm|mkv)$/i;

/** An address outside the import, or a fragment of the text itself. */
export const IS_ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** The percent-decoded address; unchanged if it is not valid percent-encoding. */
export function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** A link target without query and fragment. */
export const withoutPlace = (target: string) => target.split(/[?#]/, 1)[0] ?? "";

/** A path relative to a folder; undefined if it leads outside the import. */
function joined(folder: string[], path: string): string | undefined {
  const names = [...folder];
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

const keyOf = (path: string) => path.normalize("NFC");
const looseKeyOf = (path: string) => keyOf(path).toLowerCase();

/**
 * The folders that a reference may be relative to: the note's own, or for an absolute path any folder above it, because
 * the root of a vault or export may be below the folder that was chosen or packed.
 */
const startsFor = (address: string, folders: string[]): string[][] =>
  address.startsWith("/")
    ? Array.from({ length: folders.length + 1 }, (_, depth) => folders.slice(0, depth))
    : [folders];

type Named = { path: string; loose: string };

/** Returns a function that finds the file a note refers to among the imported paths. */
export function finder(all: Iterable<string>) {
  const exact = new Map<string, string>();
  const byName = new Map<string, Named[]>();
  for (const path of all) {
    exact.set(keyOf(path), path);
    const name = looseKeyOf(basename(path));
    const named = { path, loose: looseKeyOf(`/${path}`) };
    const others = byName.get(name);
    if (others) others.push(named);
    else byName.set(name, [named]);
  }
  const beside = (address: string, note: string) => {
    const whole = withoutPlace(address);
    const starts = startsFor(address, foldersAbove(note));
    const paths = [address, decoded(address), whole, decoded(whole)];
    for (const at of paths.flatMap((path) => starts.map((start) => joined(start, path)))) {
      const found = at === undefined ? undefined : exact.get(keyOf(at));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const indexes = new Map<string, Nearest>();
  /** Files in any folder whose path ends with the target. */
  const anywhere = (target: string): Nearest => {
    const wanted = looseKeyOf(`/${joined([], target) ?? target}`);
    const known = indexes.get(wanted);
    if (known) return known;
    const named = byName.get(looseKeyOf(basename(target))) ?? [];
    const index = nearestOf(named.filter(({ loose }) => loose.endsWith(wanted)).map(({ path }) => path));
    indexes.set(wanted, index);
    return index;
  };
  /** Obsidian also writes Markdown links without the folder if the name is unique. */
  const onlyOne = (target: string, note: string) => {
    const found = IS_FILE.test(target) ? anywhere(target)(note) : undefined;
    return found?.isOnly ? found.path : undefined;
  };
  return (target: string, note: string, isWiki: boolean) => {
    if (IS_ELSEWHERE.test(target)) return undefined;
    const elsewhere = () =>
      isWiki ? anywhere(target)(note)?.path : onlyOne(withoutPlace(decoded(target)), note);
    return beside(target, note) ?? elsewhere();
  };
}

/** Returns the path of the file that a note refers to; undefined if it is missing. */
export type Find = ReturnType<typeof finder>;
