import { storeOf } from "./store.ts";

// Which parts of the app are folded in this browser.

const KEY = "commonplace-folded";

const readFolded = (): readonly string[] => (localStorage.getItem(KEY) ?? "").split(" ").filter(Boolean);

const folded = storeOf(readFolded());

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
