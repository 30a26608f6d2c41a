import { note } from "./keep.ts";
import { storeOf } from "./store.ts";

// Which parts of the app are folded in this browser.

const KEY = "commonplace-folded";

const namesIn = (key: string): readonly string[] =>
  (localStorage.getItem(key) ?? "").split(" ").filter(Boolean);

const folded = storeOf(namesIn(KEY));

/** Whether a part is folded, and what folds or unfolds it. Parts are unfolded at first. */
export function useFolded(part: string): [boolean, () => void] {
  const all = folded.use();
  const isFolded = all.includes(part);
  const toggle = () => {
    const next = isFolded ? all.filter((other) => other !== part) : [...all, part];
    localStorage.setItem(KEY, next.join(" "));
    folded.set(next);
  };
  return [isFolded, toggle];
}

const FOLDERS_KEY = "commonplace-unfolded";

/** The ids of the folders that were unfolded last. Folders are folded at first. */
export const unfoldedFolders = (): readonly string[] => namesIn(FOLDERS_KEY);

export function keepUnfolded(ids: readonly string[]): void {
  try {
    note(FOLDERS_KEY, ids.join(" "));
  } catch {
    // There is no room: the next time they are as they were before.
  }
}

export const forgetUnfolded = (): void => localStorage.removeItem(FOLDERS_KEY);
