import { localAccount } from "../api/current-account.ts";
import { setLocalItem } from "./account-storage.ts";

// Recently opened items of the account in this browser, newest first. Signing out deletes them.

/** A document or record, as lists show it. `href`: its screen. */
export type RecentItem = { href: string; title: string; kind: string };

const MAX_ITEMS = 12;

const storageKey = () => `commonplace-opened:${localAccount() ?? ""}`;

const isRecentItem = (one: unknown): one is RecentItem =>
  typeof one === "object" &&
  one !== null &&
  ["href", "title", "kind"].every((name) => typeof (one as Record<string, unknown>)[name] === "string");

export function readRecentItems(): RecentItem[] {
  try {
    return (JSON.parse(localStorage.getItem(storageKey()) ?? "[]") as unknown[]).filter(isRecentItem);
  } catch {
    return [];
  }
}

export function addRecentItem(opened: RecentItem): void {
  const others = readRecentItems().filter(({ href }) => href !== opened.href);
  try {
    setLocalItem(storageKey(), JSON.stringify([opened, ...others].slice(0, MAX_ITEMS)));
  } catch {
    // Storage is full.
  }
}

export const forgetRecentItems = (): void => localStorage.removeItem(storageKey());
