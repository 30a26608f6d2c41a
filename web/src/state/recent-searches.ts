import { localAccount } from "../api/current-account.ts";
import { setLocalItem } from "./account-storage.ts";
import { createSharedState } from "./shared-state.ts";

// Recent searches of the account in this browser, newest first. Signing out deletes them.

const storageKey = () => `commonplace-searches:${localAccount() ?? ""}`;
const MAX_SEARCHES = 8;
/** Counts changes, to rerender. */
const changes = createSharedState(0);

const readRaw = () => localStorage.getItem(storageKey()) ?? "[]";

function parseSearches(raw: string): string[] {
  try {
    return (JSON.parse(raw) as unknown[]).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

const announce = () => changes.set(changes.get() + 1);

function writeSearches(searches: string[]): void {
  try {
    setLocalItem(storageKey(), JSON.stringify(searches));
  } catch {
    // Storage is full.
  }
  announce();
}

/** Stores a search from which a result was opened. */
export function addRecentSearch(text: string): void {
  const q = text.trim();
  if (q !== "")
    writeSearches([q, ...parseSearches(readRaw()).filter((one) => one !== q)].slice(0, MAX_SEARCHES));
}

export function forgetRecentSearches(): void {
  localStorage.removeItem(storageKey());
  announce();
}

export function useRecentSearches(): string[] {
  changes.use();
  return parseSearches(readRaw());
}
