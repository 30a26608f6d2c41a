import { del, delMany, get, keys, set } from "idb-keyval";
import { useEffect, useRef, useState } from "react";
import type { Document } from "../api/documents.ts";

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

/** Keeps a draft. Rejects in a browser that keeps nothing, such as in a private window. */
export async function keepDraft(owner: string, id: string, draft: Draft): Promise<void> {
  const key = keyOf(owner, id);
  await set(key, draft);
  localStorage.removeItem(key);
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
  const read = useRef(async () => {});
  read.current = async () => setFound({ draft: await readDraft(owner, id) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` always reads what is current
  useEffect(() => void read.current(), [owner, id]);
  return { isRead: found !== undefined, draft: found?.draft, readAgain: () => read.current() };
}
