import { setLocalItem } from "./account-storage.ts";
import { createSharedState } from "./shared-state.ts";

// Which parts of the app are collapsed in this browser.

const KEY = "commonplace-folded";

const namesIn = (key: string): readonly string[] =>
  (localStorage.getItem(key) ?? "").split(" ").filter(Boolean);

const folded = createSharedState(namesIn(KEY));

export function toggleFolded(part: string): void {
  const all = folded.get();
  const next = all.includes(part) ? all.filter((other) => other !== part) : [...all, part];
  localStorage.setItem(KEY, next.join(" "));
  folded.set(next);
}

/** The collapsed parts. Parts start expanded. */
export const useFoldedParts = folded.use;

/** Whether a part is collapsed, and a function that toggles it. */
export const useFolded = (part: string): [boolean, () => void] => [
  useFoldedParts().includes(part),
  () => toggleFolded(part),
];

const FOLDERS_KEY = "commonplace-unfolded";

const unfolded = createSharedState(namesIn(FOLDERS_KEY));

/** Ids of the expanded folders. Folders start collapsed. */
export const useUnfoldedFolders = unfolded.use;

export function setUnfoldedFolders(ids: readonly string[]): void {
  unfolded.set(ids);
  try {
    setLocalItem(FOLDERS_KEY, ids.join(" "));
  } catch {
    // Storage is full: the next visit starts with the previous state.
  }
}

export function unfoldFolders(ids: readonly string[]): void {
  const all = new Set([...unfolded.get(), ...ids]);
  if (all.size > unfolded.get().length) setUnfoldedFolders([...all]);
}

export function forgetUnfoldedFolders(): void {
  unfolded.set([]);
  localStorage.removeItem(FOLDERS_KEY);
}
