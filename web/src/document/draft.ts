import { del, get, set } from "idb-keyval";
import { useEffect, useRef, useState } from "react";
import type { Document } from "../api.ts";

// What somebody has written and not saved, kept in this browser.

export type Draft = {
  title: string;
  text: string;
  /** The document that it changes; none for a new one. */
  base: Document | undefined;
  /** When it was last written, as an instant. */
  at: string;
};

/** Drafts of one account and one document; "new" is the document that does not exist yet. */
const keyOf = (owner: string, id: string) => `draft:${owner}:${id}`;

/** A browser that keeps nothing, such as in a private window, has no drafts. */
export const readDraft = (owner: string, id: string) => get<Draft>(keyOf(owner, id)).catch(() => undefined);
export const keepDraft = (owner: string, id: string, draft: Draft) => set(keyOf(owner, id), draft);
export const dropDraft = (owner: string, id: string) => del(keyOf(owner, id)).catch(() => undefined);

/** A draft of this account, once it has been looked for. */
export function useDraft(owner: string, id: string) {
  const [found, setFound] = useState<{ draft: Draft | undefined }>();
  const read = useRef(async () => {});
  read.current = async () => setFound({ draft: await readDraft(owner, id) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` always reads what is current
  useEffect(() => void read.current(), [owner, id]);
  return { isRead: found !== undefined, draft: found?.draft, readAgain: () => read.current() };
}
