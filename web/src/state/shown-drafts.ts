import { delMany, keys } from "idb-keyval";
import { useEffect, useState } from "react";
import { omit } from "../../../src/contract/omit.ts";
import { setLocalItem } from "./account-storage.ts";
import {
  announceChange,
  belongsTo,
  type CopiedFields,
  type Draft,
  type DraftPlace,
  deleteDraft,
  draftKey,
  heldDrafts,
  lockedDraftKeys,
  releases,
  type StoredDraft,
  saveDraft,
  unlockedDrafts,
  useDraftChanges,
} from "./document-drafts.ts";

// What is done with drafts on the screens that show or edit them. Not needed for the first one.

/** Saves a draft while the page unloads, when the browser no longer waits for IndexedDB. */
export function saveDraftSync(place: DraftPlace, draft: Draft): void {
  try {
    setLocalItem(draftKey(place), JSON.stringify(draft));
  } catch {
    // Too long, or storage is unavailable. IndexedDB is tried as well.
  }
}

/**
 * Marks a draft as being edited, so that it is neither edited elsewhere nor sent.
 *
 * @returns a function that releases it once `kept` is settled
 */
export function lockDraft(place: DraftPlace): (kept?: Promise<unknown>) => void {
  const key = draftKey(place);
  const { promise, resolve } = Promise.withResolvers<void>();
  heldDrafts.set(key, (heldDrafts.get(key) ?? 0) + 1);
  void navigator.locks?.request(key, { mode: "shared" }, () => promise);
  const release = () => {
    heldDrafts.set(key, (heldDrafts.get(key) ?? 1) - 1);
    resolve();
    announceChange();
  };
  return (kept) => {
    if (!kept) return release();
    const released = kept.then(release, release).finally(() => releases.delete(released));
    releases.add(released);
  };
}

export async function forgetDocumentDrafts(owner: string): Promise<void> {
  for (const key of Object.keys(localStorage).filter(belongsTo(owner))) localStorage.removeItem(key);
  await delMany((await keys()).filter(belongsTo(owner)));
}

/** The latest draft of a document, or of one of its writers, that is not being edited. */
export async function findDraft(
  owner: string,
  id: string,
  writer?: string,
): Promise<StoredDraft | undefined> {
  const isWanted = ({ place }: StoredDraft) =>
    place.id === id && (writer === undefined || place.writer === writer);
  return (await unlockedDrafts(owner)).find(isWanted);
}

/** A draft that is not being edited. `isRead`: the search is done. `isHeld`: this writer's draft is open in some editor. */
export function useDocumentDraft(owner: string, id: string, writer?: string) {
  const [found, setFound] = useState<{ draft: StoredDraft | undefined; isHeld: boolean }>();
  const times = useDraftChanges();
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever a draft was saved, deleted or released in this tab
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const isHeld = writer !== undefined && (await lockedDraftKeys()).has(draftKey({ owner, id, writer }));
      const draft = await findDraft(owner, id, writer);
      if (isCurrent) setFound({ draft, isHeld });
    };
    void read();
    return () => {
      isCurrent = false;
    };
  }, [owner, id, writer, times]);
  return { isRead: found !== undefined, draft: found?.draft, isHeld: found?.isHeld ?? false };
}

export const retryDraft = ({ place, ...draft }: StoredDraft): Promise<void> =>
  saveDraft(place, { ...draft, refused: undefined });

export async function moveDraftToNewDocument(
  { place, ...draft }: StoredDraft,
  kind: CopiedFields["kind"],
): Promise<DraftPlace> {
  const { base, ...rest } = omit(draft, "refused", "sent");
  const like = base && { kind, tags: base.tags, content: base.content ?? {} };
  const next = { ...place, id: "new" };
  await saveDraft(next, { ...rest, base: undefined, like, sent: [] });
  await deleteDraft(place);
  return next;
}

/** Runs `work` unless the draft is being edited. */
export async function withUnlockedDraft(place: DraftPlace, work: () => Promise<void>): Promise<void> {
  const key = draftKey(place);
  if (heldDrafts.get(key)) return;
  if (!navigator.locks) return work();
  await navigator.locks.request(key, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}
