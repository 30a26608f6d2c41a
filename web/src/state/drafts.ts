import { createStore, del, delMany, get, keys } from "idb-keyval";
import { useCallback, useEffect, useRef, useState } from "react";
import { setValue } from "./account-storage.ts";
import { useMe, useMeFailed } from "./queries.ts";

// Drafts of form fields. They survive a reload, a crash and a change of screens.

const store = createStore("commonplace-drafts", "drafts");
/** Drafts of this tab, available synchronously when their screen is shown again. */
const draftsOfTab = new Map<string, unknown>();

/** Typing must still work where nothing can be stored (a private window, a full disk). */
const ignoreErrors = (kept: Promise<unknown>) => void kept.catch(() => undefined);

export async function forgetDrafts(account: string): Promise<void> {
  draftsOfTab.clear();
  const own = (await keys<string>(store)).filter((key) => key.startsWith(`${account}:`));
  await delMany(own, store);
}

function storeDraft(key: string, draft: unknown): void {
  if (draft === undefined) draftsOfTab.delete(key);
  else draftsOfTab.set(key, draft);
  ignoreErrors(draft === undefined ? del(key, store) : setValue(key, draft, store));
}

type DraftState<Draft> = [
  draft: Draft | undefined,
  keep: (draft: Draft | undefined) => void,
  isRead: boolean,
];

/**
 * The draft of the signed-in account under a name.
 *
 * @returns the draft; its setter, which deletes it when given undefined; and whether the stored draft has been read. A draft
 *   set before that replaces the stored one
 */
export function useDraft<Draft>(name: string): DraftState<Draft> {
  const account = useMe()?.id;
  const hasNoAccount = useMeFailed() && !account;
  const key = account && `${account}:${name}`;
  const [draft, setDraft] = useState(() => (key ? (draftsOfTab.get(key) as Draft | undefined) : undefined));
  const touched = useRef(false);
  const latest = useRef(draft);
  const [readKey, setReadKey] = useState<string>();
  useEffect(() => {
    if (!key) return;
    // The user started typing before the account was known.
    if (touched.current) return storeDraft(key, latest.current);
    const take = (kept?: Draft) => {
      if (!touched.current && kept !== undefined) setDraft(kept);
      setReadKey(key);
    };
    get<Draft>(key, store).then(take, () => take());
  }, [key]);
  const keep = useCallback(
    (next: Draft | undefined) => {
      touched.current = true;
      latest.current = next;
      setDraft(next);
      if (key) storeDraft(key, next);
    },
    [key],
  );
  return [draft, keep, hasNoAccount || touched.current || (key !== undefined && readKey === key)];
}
