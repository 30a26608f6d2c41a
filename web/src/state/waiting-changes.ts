import { createStore, delMany, values } from "idb-keyval";
import type { DocumentListItem } from "../api/documents.ts";
import { keptAccount } from "../api/holder.ts";
import { setMany } from "./keep.ts";
import { storeOf } from "./store.ts";
import { hasTag } from "./tags.ts";

// Changes of documents on their way to the service: where they are, what they are called, their tags, the trash. Each is
// written down in the browser first and removed when the service has answered. What waits is shown as if it were done.

/** One change, the same of each of its documents. */
export type Change =
  | { kind: "rename"; title: string }
  | { kind: "move"; folder_id: string | null; folder: string }
  | { kind: "tag" | "untag"; tag: string }
  | { kind: "trash" | "restore" };

/** What a list says of a document: what a change is based on. */
export type Changeable = Omit<DocumentListItem, "content">;

export type WaitingChange = {
  /** Its Idempotency-Key. */
  key: string;
  /** What somebody did at once, which may be several of these. */
  step: string;
  /** The account that it belongs to. */
  account: string;
  /** When it was made, in milliseconds; a later one has a greater number. */
  at: number;
  change: Change;
  /** As they were before: at most a hundred, which one request takes. */
  documents: readonly Changeable[];
  /** Whether it is refused when somebody has changed the same meanwhile. */
  isGuarded: boolean;
  /** When it was first sent, in milliseconds: the service may have carried it out. */
  sent?: number;
  /** Whether it is to be undone once the service has said what became of it. */
  isWithdrawn?: boolean;
  /** Whether somebody has said that it is to be done all the same. */
  isDecided?: boolean;
  /** Why the service refused it: it waits for somebody to decide. */
  refused?: string;
};

const store = createStore("commonplace-changes", "changes");
const others = new BroadcastChannel("commonplace-changes");

const all = storeOf<readonly WaitingChange[]>([]);
const underWay = storeOf<readonly string[]>([]);

/** A step is being sent right now, and nobody has to wait for it until the function that is returned has been called. */
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

/** The steps that other tabs are sending: they tell what becomes of them. */
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

/** What the store does not have yet, or did not take; undefined is to leave it. */
const ahead = new Map<string, WaitingChange | undefined>();

/** What is kept of every account. A browser that keeps nothing, or has no room left, still has what this tab knows. */
async function readKept(): Promise<WaitingChange[]> {
  const kept = new Map((await values<WaitingChange>(store).catch(all.get)).map((one) => [one.key, one]));
  for (const [key, change] of ahead) change ? kept.set(key, change) : kept.delete(key);
  return [...kept.values()];
}

/** Reads what waits, in the order in which it was made. */
export async function readChanges(): Promise<readonly WaitingChange[]> {
  const mine = (await readKept())
    .filter(({ account }) => account === keptAccount())
    .sort((one, other) => one.at - other.at);
  // What nobody changed stays the same: lists need not be made anew for it.
  if (stateOf(mine) !== stateOf(all.get())) all.set(mine);
  return mine;
}

const entriesOf = (changes: readonly WaitingChange[]) =>
  changes.map((one): [string, WaitingChange] => [one.key, one]);

/** Keeps some changes, and forgets others at the same time. */
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

/** Forgets the changes of an account, sent or not. */
export async function forgetChanges(account: string): Promise<void> {
  const its = (await readKept()).filter((one) => one.account === account);
  await keepChanges([], its);
}

/** What is shown as done, although the service has not said so. */
export const isShownAsDone = ({ refused, isWithdrawn }: WaitingChange) => !refused && !isWithdrawn;

export const useChanges = all.use;

/** Those that wait for the service, or for somebody. */
export function useWaitingChanges(): readonly WaitingChange[] {
  const steps = underWay.use();
  return all.use().filter(({ step, isWithdrawn }) => !isWithdrawn && !steps.includes(step));
}
export const changesNow = all.get;

let hear: () => void = () => undefined;
/** Sets what is done when another tab has sent a change. */
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

/** What becomes of a document, besides that it may go to the trash or come back. */
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
 * A document with what waits for it: the same one if nothing does. `isTrashed` says whether that puts it in the trash or
 * takes it out, and `at` when somebody decided that, in milliseconds.
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
