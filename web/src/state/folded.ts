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

/** Ids of the expanded folders. Folders start collapsed. */
export const unfoldedFolders = (): readonly string[] => namesIn(FOLDERS_KEY);

export function saveUnfoldedFolders(ids: readonly string[]): void {
  try {
    setLocalItem(FOLDERS_KEY, ids.join(" "));
  } catch {
    // Storage is full: the previous state stays.
  }
}

export const forgetUnfoldedFolders = (): void => localStorage.removeItem(FOLDERS_KEY);
