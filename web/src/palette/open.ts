import { useSyncExternalStore } from "react";

/** What lies over the screen: the palette, the list of shortcuts, or nothing. */
type Over = "palette" | "shortcuts" | undefined;

let over: Over;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function show(next: Over): void {
  over = next;
  for (const listener of listeners) listener();
}

export const togglePalette = () => show(over === "palette" ? undefined : "palette");

export const useOver = (): Over => useSyncExternalStore(subscribe, () => over);

/** "⌘" on Apple's systems, "Ctrl " elsewhere. */
export const MOD = /Mac|iP(?:hone|ad|od)/u.test(navigator.userAgent) ? "⌘" : "Ctrl ";
