import { useSyncExternalStore } from "react";

// The searches that somebody made in this browser, newest first. Signing out forgets them.

const KEY = "commonplace-searches";
const KEPT = 8;
const listeners = new Set<() => void>();

const readRaw = () => localStorage.getItem(KEY) ?? "[]";

function read(raw: string): string[] {
  try {
    return (JSON.parse(raw) as unknown[]).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

function write(searches: string[]): void {
  localStorage.setItem(KEY, JSON.stringify(searches));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Keeps a search that led somewhere. */
export function keepSearch(text: string): void {
  const q = text.trim();
  if (q !== "") write([q, ...read(readRaw()).filter((one) => one !== q)].slice(0, KEPT));
}

export const forgetSearches = () => write([]);

export const useKeptSearches = (): string[] => read(useSyncExternalStore(subscribe, readRaw));
