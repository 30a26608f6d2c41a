import { keptAccount } from "../api/holder.ts";
import { note } from "./keep.ts";
import { storeOf } from "./store.ts";

// The searches that an account made in this browser, newest first. Signing out forgets them.

const keyNow = () => `commonplace-searches:${keptAccount() ?? ""}`;
const KEPT = 8;
/** How often they have changed. */
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

/** Keeps a search that led somewhere. */
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
