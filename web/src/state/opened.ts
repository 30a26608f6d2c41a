import { keptAccount } from "../api/holder.ts";
import { note } from "./keep.ts";

// What an account opened last in this browser, the newest first. Signing out forgets it.

/** A document or record by its screen; what else is known is for a list. */
export type Opened = { href: string; title: string; kind: string };

const KEPT = 12;

const keyNow = () => `commonplace-opened:${keptAccount() ?? ""}`;

const isOpened = (one: unknown): one is Opened =>
  typeof one === "object" &&
  one !== null &&
  ["href", "title", "kind"].every((name) => typeof (one as Record<string, unknown>)[name] === "string");

export function readOpened(): Opened[] {
  try {
    return (JSON.parse(localStorage.getItem(keyNow()) ?? "[]") as unknown[]).filter(isOpened);
  } catch {
    return [];
  }
}

export function noteOpened(opened: Opened): void {
  const others = readOpened().filter(({ href }) => href !== opened.href);
  try {
    note(keyNow(), JSON.stringify([opened, ...others].slice(0, KEPT)));
  } catch {
    // A browser whose storage is full still shows the page.
  }
}

export const forgetOpened = (): void => localStorage.removeItem(keyNow());
