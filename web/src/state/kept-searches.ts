import { useSyncExternalStore } from "react";
import { keptAccount } from "../holder.ts";

// The searches that an account made in this browser, newest first. Signing out forgets them.

const keyNow = () => `commonplace-searches:${keptAccount() ?? ""}`;
const KEPT = 8;
const listeners = new Set<() => void>();

const readRaw = () => localStorage.getItem(keyNow()) ?? "[]";

function read(raw: string): string[] {
  try {
    return (JSON.parse(raw) as unknown[]).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

function announce(): void {
  for (const listener of listeners) listener();
}

function write(searches: string[]): void {
  localStorage.setItem(keyNow(), JSON.stringify(searches));
  announce();
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

export function forgetSearches(): void {
  localStorage.removeItem(keyNow());
  announce();
}

export const useKeptSearches = (): string[] => read(useSyncExternalStore(subscribe, readRaw));
