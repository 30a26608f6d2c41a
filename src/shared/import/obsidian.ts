import { type FoundEntry, withoutTitleNotes } from "./item.ts";
import { basename, defaultTitle, foldersAbove } from "./paths.ts";

// In Obsidian, the file name is the title of a note, and headings are text. A folder that contains `.obsidian` is a vault.
// Daily notes are recognized anywhere: the file name is a date, and the headings are the same every day.

const DAILY = /^\d{4}-(?:\d\d(?:-\d\d)?|W\d\d|Q[1-4])(?:[ ,_]{1,3}\p{L}{1,30}\.?)?$/u;

/** Whether a file name without its extension is that of a daily, weekly, monthly or quarterly note. */
export const isDailyNote = (name: string): boolean => DAILY.test(name);

const SETTINGS = ".obsidian";

const vaultsIn = (found: readonly FoundEntry[]) =>
  new Set(
    found.flatMap((one) =>
      "leftOut" in one && basename(one.where) === SETTINGS ? [foldersAbove(one.where).join("/")] : [],
    ),
  );

const isBelow = (path: string, folders: ReadonlySet<string>) =>
  foldersAbove(path).some((_, index, names) => folders.has(names.slice(0, index + 1).join("/")));

/** The entries, with file names as titles for notes in vaults that have no title of their own. */
export function withVaultTitles(found: readonly FoundEntry[]): FoundEntry[] {
  const vaults = vaultsIn(found);
  return found.map((one) =>
    "content" in one && one.heading !== undefined && (vaults.has("") || isBelow(one.path, vaults))
      ? { ...one, title: defaultTitle(one.path), notes: withoutTitleNotes(one.notes) }
      : one,
  );
}
