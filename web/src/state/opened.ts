import { keptAccount } from "../api/holder.ts";
import { note } from "./keep.ts";

// Recently opened items of the account in this browser, newest first. Signing out deletes them.

/** A document or record, as lists show it. `href`: its screen. */
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
    // Storage is full.
  }
}

export const forgetOpened = (): void => localStorage.removeItem(keyNow());
