import { type Found, notOnTitle } from "./item.ts";
import { basename, foldersAbove, noteName } from "./paths.ts";

// In Obsidian, a note is called what its file is called, and its headings are text. A folder with `.obsidian` in it is a
// vault. A daily note is one wherever it lies: its name is a date, and its headings are those of every day.

const DAILY = /^\d{4}-(?:\d\d(?:-\d\d)?|W\d\d|Q[1-4])(?:[ ,_]{1,3}\p{L}{1,30}\.?)?$/u;

/** Whether the name of a file, without its ending, is that of a daily, weekly, monthly or quarterly note. */
export const isDaily = (name: string): boolean => DAILY.test(name);

const SETTINGS = ".obsidian";

/** The folders that are vaults. */
const vaultsIn = (found: readonly Found[]) =>
  new Set(
    found.flatMap((one) =>
      "leftOut" in one && basename(one.where) === SETTINGS ? [foldersAbove(one.where).join("/")] : [],
    ),
  );

const isBelow = (path: string, folders: ReadonlySet<string>) =>
  foldersAbove(path).some((_, index, names) => folders.has(names.slice(0, index + 1).join("/")));

/** What was found, in which the notes of vaults are called what their files are called, unless they say a title. */
export function withVaultTitles(found: readonly Found[]): Found[] {
  const vaults = vaultsIn(found);
  return found.map((one) =>
    "content" in one && one.heading !== undefined && (vaults.has("") || isBelow(one.path, vaults))
      ? { ...one, title: noteName(one.path), notes: notOnTitle(one.notes) }
      : one,
  );
}
