import { del, delMany, get, keys, set } from "idb-keyval";
import { useEffect, useRef, useState } from "react";
import type { Document } from "../api/documents.ts";
import { storeOf } from "./store.ts";

// What somebody has written and not saved, kept in this browser.

export type Draft = {
  title: string;
  text: string;
  /** The document that it changes; none for a new one. */
  base: Document | undefined;
  /** When it was last written, as an instant. */
  at: string;
  /** Of a new one: the query of the address that gave its beginning. */
  from?: string | undefined;
  /** The request that creates it, while its answer has not come. */
  creation?: Creation | undefined;
  /** What was sent and not answered: the service may have one of these. */
  sent?: { title: string; text: string }[] | undefined;
};

/** A request that creates a document: repeated with its key and exactly its body, it makes no second one. */
export type Creation = {
  key: string;
  /** When it was first sent, as an instant. Earlier versions of the app did not note it. */
  sent?: string;
  body: { title: string; content: Record<string, unknown>; folder_id: string | null };
};

/** Drafts of one account and one document; "new" is the document that does not exist yet. */
const keyOf = (owner: string, id: string) => `draft:${owner}:${id}`;

/** How often a draft has been kept or dropped in this tab. */
const changes = storeOf(0);
const changed = () => changes.set(changes.get() + 1);

/** Keeps a draft. Rejects in a browser that keeps nothing, such as in a private window. */
export async function keepDraft(owner: string, id: string, draft: Draft): Promise<void> {
  const key = keyOf(owner, id);
  await set(key, draft);
  localStorage.removeItem(key);
  changed();
}

/** Keeps a draft while the page is being left: the browser does not wait for IndexedDB then. */
export function keepDraftAtOnce(owner: string, id: string, draft: Draft): void {
  try {
    localStorage.setItem(keyOf(owner, id), JSON.stringify(draft));
  } catch {
    // Too long, or nothing may be kept: IndexedDB is tried as well.
  }
}

function leftBehind(key: string): Draft | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

/** The draft that was kept last; undefined if there is none. */
export async function readDraft(owner: string, id: string): Promise<Draft | undefined> {
  const key = keyOf(owner, id);
  const kept = await get<Draft>(key).catch(() => undefined);
  const left = leftBehind(key);
  return left && (!kept || left.at > kept.at) ? left : kept;
}

export async function dropDraft(owner: string, id: string): Promise<void> {
  localStorage.removeItem(keyOf(owner, id));
  await del(keyOf(owner, id)).catch(() => undefined);
  changed();
}

/** The documents of which an account has drafts here. */
async function draftsOf(owner: string): Promise<string[]> {
  const all = [...Object.keys(localStorage), ...(await keys().catch(() => []))].map(String);
  const prefix = keyOf(owner, "");
  return [...new Set(all)].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}

/** Without locks, only this tab is known. */
const heldHere = new Map<string, number>();

/** Somebody writes on a draft: nobody else sends it until the function that is returned has been called. */
export function holdDraft(owner: string, id: string): () => void {
  const key = keyOf(owner, id);
  const { promise, resolve } = Promise.withResolvers<void>();
  heldHere.set(key, (heldHere.get(key) ?? 0) + 1);
  void navigator.locks?.request(key, { mode: "shared" }, () => promise);
  return () => {
    heldHere.set(key, (heldHere.get(key) ?? 1) - 1);
    resolve();
    changed();
  };
}

/** Whether the page is one on which a draft is about to be written on. */
const isOpen = (id: string) =>
  location.pathname === `/documents/${id}` && (id === "new" || /[?&]edit\b/.test(location.search));

/** The drafts of an account that nobody in this tab writes on. */
export const waitingDrafts = async (owner: string): Promise<string[]> =>
  (await draftsOf(owner)).filter((id) => !heldHere.get(keyOf(owner, id)) && !isOpen(id));

/** Renders again whenever a draft has been kept, dropped or left. */
export const useDraftChanges = changes.use;

/** Works with a draft unless somebody writes on it. */
export async function withDraft(owner: string, id: string, work: () => Promise<void>): Promise<void> {
  const key = keyOf(owner, id);
  if (heldHere.get(key)) return;
  if (!navigator.locks) return work();
  await navigator.locks.request(key, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

/** Forgets the drafts of an account. */
export async function forgetDocumentDrafts(owner: string): Promise<void> {
  const isTheirs = (key: IDBValidKey) => String(key).startsWith(keyOf(owner, ""));
  for (const key of Object.keys(localStorage).filter(isTheirs)) localStorage.removeItem(key);
  await delMany((await keys()).filter(isTheirs));
}

/** A draft of this account, once it has been looked for. */
export function useDocumentDraft(owner: string, id: string) {
  const [found, setFound] = useState<{ draft: Draft | undefined }>();
  const times = changes.use();
  const read = useRef(async () => {});
  read.current = async () => setFound({ draft: await readDraft(owner, id) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` always reads what is current
  useEffect(() => void read.current(), [owner, id, times]);
  return { isRead: found !== undefined, draft: found?.draft };
}
