import { createStore, delMany, values } from "idb-keyval";
import type { DocumentListItem } from "../api/documents.ts";
import { keptAccount } from "../api/holder.ts";
import { setMany } from "./keep.ts";
import { storeOf } from "./store.ts";
import { hasTag } from "./tags.ts";

// Pending changes of document metadata: folder, title, tags, trash. Each is stored in the browser first and removed when the
// server has answered. Pending changes are shown as if they were done.

/** One change, applied to each of its documents. */
export type Change =
  | { kind: "rename"; title: string }
  | { kind: "move"; folder_id: string | null; folder: string }
  | { kind: "tag" | "untag"; tag: string }
  | { kind: "trash" | "restore" };

/** A document as lists return it: the state that a change is based on. */
export type Changeable = Omit<DocumentListItem, "content">;

export type WaitingChange = {
  /** The Idempotency-Key. */
  key: string;
  /** Id of the user action, which may consist of several changes. */
  step: string;
  /** The account that it belongs to. */
  account: string;
  /** When it was made, in milliseconds; strictly increasing. */
  at: number;
  change: Change;
  /** The documents before the change: at most a hundred, the limit of one request. */
  documents: readonly Changeable[];
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
const others = new BroadcastChannel("commonplace-changes");

const all = storeOf<readonly WaitingChange[]>([]);
const underWay = storeOf<readonly string[]>([]);

/** Marks a step as being sent by this tab, so that it is not shown as waiting. Returns a function that ends this. */
export function beginStep(step: string): () => void {
  underWay.set([...underWay.get(), step]);
  const { promise, resolve } = Promise.withResolvers<void>();
  void navigator.locks?.request(lockOf(step), () => promise);
  return () => {
    underWay.set(underWay.get().filter((one) => one !== step));
    resolve();
  };
}

const LOCK = "commonplace-step:";
const lockOf = (step: string) => LOCK + step;

/** Steps that other tabs are sending; those tabs show the outcome. */
export async function stepsOfOthers(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const steps = held.flatMap(({ name = "" }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : []));
  return new Set(steps.filter((step) => !isUnderWay(step)));
}

export const isUnderWay = (step: string): boolean => underWay.get().includes(step);

const stateOf = (changes: readonly WaitingChange[]) =>
  JSON.stringify(
    changes.map(({ key, refused, isWithdrawn, sent, documents }) => [
      ...[key, refused, isWithdrawn, sent],
      documents.map(({ version }) => version),
    ]),
  );

/** Writes that IndexedDB has not confirmed; undefined is a deletion. */
const ahead = new Map<string, WaitingChange | undefined>();

/** Pending changes of every account. Without usable storage, those of this tab. */
async function readKept(): Promise<WaitingChange[]> {
  const kept = new Map((await values<WaitingChange>(store).catch(all.get)).map((one) => [one.key, one]));
  for (const [key, change] of ahead) change ? kept.set(key, change) : kept.delete(key);
  return [...kept.values()];
}

/** Reads the pending changes of the account, oldest first. */
export async function readChanges(): Promise<readonly WaitingChange[]> {
  const mine = (await readKept())
    .filter(({ account }) => account === keptAccount())
    .sort((one, other) => one.at - other.at);
  // Keep the same array if nothing changed, so that lists do not rerender.
  if (stateOf(mine) !== stateOf(all.get())) all.set(mine);
  return mine;
}

const entriesOf = (changes: readonly WaitingChange[]) =>
  changes.map((one): [string, WaitingChange] => [one.key, one]);

/** Saves some changes and deletes others. */
export async function keepChanges(
  kept: readonly WaitingChange[],
  dropped: readonly WaitingChange[] = [],
): Promise<void> {
  const written = new Map<string, WaitingChange | undefined>(dropped.map(({ key }) => [key, undefined]));
  for (const one of kept) written.set(one.key, one);
  for (const [key, change] of written) ahead.set(key, change);
  const gone = new Set(written.keys());
  const next = [...all.get().filter(({ key }) => !gone.has(key)), ...kept];
  all.set(next.sort((one, other) => one.at - other.at));
  const keys = dropped.map(({ key }) => key);
  const writes = [setMany(entriesOf(kept), store), delMany(keys, store)];
  const isTaken = await Promise.all(writes).then(
    () => true,
    () => false,
  );
  for (const [key, change] of written) if (isTaken && ahead.get(key) === change) ahead.delete(key);
  others.postMessage("changed");
}

/** Deletes the changes of an account, sent or not. */
export async function forgetChanges(account: string): Promise<void> {
  const its = (await readKept()).filter((one) => one.account === account);
  await keepChanges([], its);
}

/** Whether a change is shown as done before the server has confirmed it. */
export const isShownAsDone = ({ refused, isWithdrawn }: WaitingChange) => !refused && !isWithdrawn;

export const useChanges = all.use;

/** Changes that wait for the server or for a decision. */
export function useWaitingChanges(): readonly WaitingChange[] {
  const steps = underWay.use();
  return all.use().filter(({ step, isWithdrawn }) => !isWithdrawn && !steps.includes(step));
}
export const changesNow = all.get;

let hear: () => void = () => undefined;
/** Sets the listener for changes sent by other tabs. */
export function onOtherTab(listener: () => void): void {
  hear = listener;
}

others.addEventListener("message", async () => {
  const before = all.get().length;
  const { length: after } = await readChanges();
  if (after < before) hear();
});
void readChanges();

type Facts = Pick<Changeable, "title" | "folder_id" | "tags">;

/** Applies a change, except for moving to and from the trash. */
export function changed<Item extends Facts>(item: Item, change: Change): Item {
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
export function withChanges<Item extends Facts & { id: string }>(
  item: Item,
  changes: readonly WaitingChange[],
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
    now = changed(now, change);
  }
  return { item: now, isTrashed, at };
}
