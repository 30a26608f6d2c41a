import { createStore, delMany, values } from "idb-keyval";
import { localAccount } from "../api/current-account.ts";
import type { DocumentListItem } from "../api/documents.ts";
import { setValues } from "./account-storage.ts";
import { createSharedState } from "./shared-state.ts";
import { hasTag } from "./tags.ts";

// Pending changes of document metadata: folder, title, tags, trash. Each is stored in the browser first and removed when the
// server has answered. Pending changes are shown as if they were done.

/** One change, applied to each of its documents. */
export type DocumentChange =
  | { kind: "rename"; title: string }
  | { kind: "move"; folder_id: string | null; folder: string }
  | { kind: "tag" | "untag"; tag: string }
  | { kind: "trash" | "restore" };

/** A document as lists return it: the state that a change is based on. */
export type ChangeableDocument = Omit<DocumentListItem, "content">;

export type PendingChange = {
  /** The Idempotency-Key. */
  key: string;
  /** Id of the user action, which may consist of several changes. */
  step: string;
  /** The account that it belongs to. */
  account: string;
  /** When it was made, in milliseconds; strictly increasing. */
  at: number;
  change: DocumentChange;
  /** The documents before the change: at most a hundred, the limit of one request. */
  documents: readonly ChangeableDocument[];
  /** Whether the server rejects it if the same field was changed in the meantime. */
  isGuarded: boolean;
  /** When it was first sent, in milliseconds: the server may have applied it. */
  sent?: number;
  /** Whether to undo it once the server has answered. */
  isWithdrawn?: boolean;
  /** Whether the user decided to apply it despite a conflict. */
  isDecided?: boolean;
  /** Why the server rejected it; it waits for a decision of the user. */
  refused?: string;
};

const store = createStore("commonplace-changes", "changes");
const channel = new BroadcastChannel("commonplace-changes");

const pendingChanges = createSharedState<readonly PendingChange[]>([]);
const sendingSteps = createSharedState<readonly string[]>([]);

/** Marks a step as being sent by this tab, so that it is not shown as waiting. Returns a function that ends this. */
export function markStepSending(step: string): () => void {
  sendingSteps.set([...sendingSteps.get(), step]);
  const { promise, resolve } = Promise.withResolvers<void>();
  void navigator.locks?.request(lockName(step), () => promise);
  return () => {
    sendingSteps.set(sendingSteps.get().filter((one) => one !== step));
    resolve();
  };
}

const LOCK_PREFIX = "commonplace-step:";
const lockName = (step: string) => LOCK_PREFIX + step;

/** Steps that other tabs are sending; those tabs show the outcome. */
export async function stepsOfOtherTabs(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const steps = held.flatMap(({ name = "" }) =>
    name.startsWith(LOCK_PREFIX) ? [name.slice(LOCK_PREFIX.length)] : [],
  );
  return new Set(steps.filter((step) => !isStepSending(step)));
}

export const isStepSending = (step: string): boolean => sendingSteps.get().includes(step);

const fingerprint = (changes: readonly PendingChange[]) =>
  JSON.stringify(
    changes.map(({ key, refused, isWithdrawn, sent, documents }) => [
      ...[key, refused, isWithdrawn, sent],
      documents.map(({ version }) => version),
    ]),
  );

/** Writes that IndexedDB has not confirmed; undefined is a deletion. */
const unconfirmedWrites = new Map<string, PendingChange | undefined>();

/** Pending changes of every account. Without usable storage, those of this tab. */
async function readStoredChanges(): Promise<PendingChange[]> {
  const kept = new Map(
    (await values<PendingChange>(store).catch(pendingChanges.get)).map((one) => [one.key, one]),
  );
  for (const [key, change] of unconfirmedWrites) change ? kept.set(key, change) : kept.delete(key);
  return [...kept.values()];
}

/** Reads the pending changes of the account, oldest first. */
export async function readPendingChanges(): Promise<readonly PendingChange[]> {
  const mine = (await readStoredChanges())
    .filter(({ account }) => account === localAccount())
    .sort((one, other) => one.at - other.at);
  // Keep the same array if nothing changed, so that lists do not rerender.
  if (fingerprint(mine) !== fingerprint(pendingChanges.get())) pendingChanges.set(mine);
  return mine;
}

const toEntries = (changes: readonly PendingChange[]) =>
  changes.map((one): [string, PendingChange] => [one.key, one]);

/** Saves some changes and deletes others. */
export async function savePendingChanges(
  saved: readonly PendingChange[],
  deleted: readonly PendingChange[] = [],
): Promise<void> {
  const written = new Map<string, PendingChange | undefined>(deleted.map(({ key }) => [key, undefined]));
  for (const one of saved) written.set(one.key, one);
  for (const [key, change] of written) unconfirmedWrites.set(key, change);
  const gone = new Set(written.keys());
  const next = [...pendingChanges.get().filter(({ key }) => !gone.has(key)), ...saved];
  pendingChanges.set(next.sort((one, other) => one.at - other.at));
  const keys = deleted.map(({ key }) => key);
  const writes = [setValues(toEntries(saved), store), delMany(keys, store)];
  const isTaken = await Promise.all(writes).then(
    () => true,
    () => false,
  );
  for (const [key, change] of written)
    if (isTaken && unconfirmedWrites.get(key) === change) unconfirmedWrites.delete(key);
  channel.postMessage("changed");
}

/** Deletes the changes of an account, sent or not. */
export async function forgetPendingChanges(account: string): Promise<void> {
  const its = (await readStoredChanges()).filter((one) => one.account === account);
  await savePendingChanges([], its);
}

/** Whether a change is shown as done before the server has confirmed it. */
export const isShownAsDone = ({ refused, isWithdrawn }: PendingChange) => !refused && !isWithdrawn;

export const usePendingChanges = pendingChanges.use;

/** Changes that wait for the server or for a decision. */
export function useWaitingChanges(): readonly PendingChange[] {
  const steps = sendingSteps.use();
  return pendingChanges.use().filter(({ step, isWithdrawn }) => !isWithdrawn && !steps.includes(step));
}
export const getPendingChanges = pendingChanges.get;

let onChangesSentElsewhere: () => void = () => undefined;
/** Sets the listener for changes sent by other tabs. */
export function setOtherTabListener(listener: () => void): void {
  onChangesSentElsewhere = listener;
}

channel.addEventListener("message", async () => {
  const before = pendingChanges.get().length;
  const { length: after } = await readPendingChanges();
  if (after < before) onChangesSentElsewhere();
});
void readPendingChanges();

type DocumentFacts = Pick<ChangeableDocument, "title" | "folder_id" | "tags">;

/** Applies a change, except for moving to and from the trash. */
export function applyChange<Item extends DocumentFacts>(item: Item, change: DocumentChange): Item {
  switch (change.kind) {
    case "rename":
      return { ...item, title: change.title };
    case "move":
      return { ...item, folder_id: change.folder_id };
    case "tag":
      return hasTag(item.tags, change.tag) ? item : { ...item, tags: [...item.tags, change.tag] };
    case "untag":
      return { ...item, tags: item.tags.filter((tag) => !hasTag([tag], change.tag)) };
    default:
      return item;
  }
}

/**
 * Applies the pending changes of a document; without any, returns the same object. `isTrashed`: whether they trash or restore
 * it, undefined if neither. `at`: when that was decided, in milliseconds.
 */
export function withPendingChanges<Item extends DocumentFacts & { id: string }>(
  item: Item,
  changes: readonly PendingChange[],
) {
  let now = item;
  let isTrashed: boolean | undefined;
  let at = 0;
  for (const waiting of changes) {
    if (!isShownAsDone(waiting) || !waiting.documents.some(({ id }) => id === item.id)) continue;
    const { change } = waiting;
    if (change.kind === "trash" || change.kind === "restore") {
      isTrashed = change.kind === "trash";
      at = waiting.at;
    }
    now = applyChange(now, change);
  }
  return { item: now, isTrashed, at };
}
