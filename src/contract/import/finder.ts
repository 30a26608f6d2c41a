import { type Nearest, nearestOf } from "./nearest.ts";
import { basename, foldersAbove } from "./paths.ts";

// How a note of another program names a file: by its path, or by its name alone.

/** A name whose ending says that it is a file, and no page. */
export const IS_FILE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|tiff?|heic|pdf|docx?|xlsx?|pptx?|od[tspg]|rtf|epub|eml|csv|zip|mp3|m4a|wav|ogg|opus|flac|mp4|mov|webm|mkv)$/i;

/** An address outside of what is imported, or a place in the text itself. */
export const IS_ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** An address without its percent signs; as it is, when they are none of an address. */
export function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** A name without the place in the file that a link leads to. */
export const withoutPlace = (target: string) => target.split(/[?#]/, 1)[0] ?? "";

/** A path from a folder on; undefined if it leads out of what is imported. */
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
 * The folders from which a note names a file: its own, or that of a whole vault or export. This is the top, or whichever
 * folder was chosen or packed together with what is in it.
 */
const startsFor = (address: string, folders: string[]): string[][] =>
  address.startsWith("/")
    ? Array.from({ length: folders.length + 1 }, (_, depth) => folders.slice(0, depth))
    : [folders];

type Named = { path: string; loose: string };

/** Finds the files that notes name, among the paths of what is imported. */
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
  /** Those of this name, and of the folders before it, in any folder. */
  const anywhere = (target: string): Nearest => {
    const wanted = looseKeyOf(`/${joined([], target) ?? target}`);
    const known = indexes.get(wanted);
    if (known) return known;
    const named = byName.get(looseKeyOf(basename(target))) ?? [];
    const index = nearestOf(named.filter(({ loose }) => loose.endsWith(wanted)).map(({ path }) => path));
    indexes.set(wanted, index);
    return index;
  };
  /** Obsidian also writes links of Markdown without the folder, where that is certain. */
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

/** The path of what a note names; undefined if it is not there. */
export type Find = ReturnType<typeof finder>;
