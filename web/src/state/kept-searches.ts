import { keptAccount } from "../api/holder.ts";
import { note } from "./keep.ts";
import { storeOf } from "./store.ts";

// Recent searches of the account in this browser, newest first. Signing out deletes them.

const keyNow = () => `commonplace-searches:${keptAccount() ?? ""}`;
const KEPT = 8;
/** Counts changes, to rerender. */
const changes = storeOf(0);

const readRaw = () => localStorage.getItem(keyNow()) ?? "[]";

function read(raw: string): string[] {
  try {
    return (JSON.parse(raw) as unknown[]).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

const announce = () => changes.set(changes.get() + 1);

function write(searches: string[]): void {
  note(keyNow(), JSON.stringify(searches));
  announce();
}

/** Stores a search from which a result was opened. */
export function keepSearch(text: string): void {
  const q = text.trim();
  if (q !== "") write([q, ...read(readRaw()).filter((one) => one !== q)].slice(0, KEPT));
}

export function forgetSearches(): void {
  localStorage.removeItem(keyNow());
  announce();
}

export function useKeptSearches(): string[] {
  changes.use();
  return read(readRaw());
}
