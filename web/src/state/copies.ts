import { clear, createStore, del, get, keys, set } from "idb-keyval";
import { useSyncExternalStore } from "react";
import { forgetAccount, keptAccount } from "../holder.ts";
import { isApiError } from "../api/request.ts";

// What a person chose to keep on this device: the API's answers under the account and their paths. Nothing else of the API
// is kept, and signing out deletes all of it.

const store = createStore("commonplace-copies", "answers");
const ME = "/api/auth/me";

/** Everything that is kept, of every account. */
let kept: ReadonlySet<string> = new Set();
/** Where an answer is kept: the paths are the same for everybody. */
const keyOf = (path: string) => `${keptAccount() ?? ""}:${path}`;
const isKept = (path: string) => kept.has(keyOf(path));

/** Whether the answer shown last is a copy. */
let isCopy = false;
const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

async function load(): Promise<void> {
  kept = new Set(await keys<string>(store).catch(() => []));
  announce();
}
const loaded = load();

function setCopy(next: boolean): void {
  if (isCopy === next) return;
  isCopy = next;
  announce();
}

/** Asks the API, or answers with the copy on this device when the API cannot be reached. A copy is renewed by each answer. */
export async function orCopy<T>(path: string, ask: () => Promise<T>): Promise<T> {
  await loaded;
  try {
    const answer = await ask();
    setCopy(false);
    if (isKept(path)) await set(keyOf(path), answer, store).catch(() => undefined);
    return answer;
  } catch (problem) {
    const copy = isKept(path) && isApiError(problem, 0) ? await get<T>(keyOf(path), store) : undefined;
    if (!copy) throw problem;
    setCopy(true);
    return copy;
  }
}

/** Keeps an answer on this device, and with it the account, without which no screen is shown. */
export async function keepCopy(path: string, answer: unknown, me: unknown): Promise<void> {
  await set(keyOf(path), answer, store);
  await set(keyOf(ME), me, store);
  await load();
}

export async function dropCopy(path: string): Promise<void> {
  await del(keyOf(path), store);
  await load();
}

/** Deletes everything that is kept, and forgets whose it was. */
export async function dropCopies(): Promise<void> {
  forgetAccount();
  await clear(store).catch(() => undefined);
  await load();
}

/** The answers of one resource that are kept. */
export const copiesOf = async <T>(resource: string): Promise<T[]> => {
  await loaded;
  const mine = [...kept].filter((key) => key.startsWith(keyOf(`/api/${resource}/`)));
  const answers = await Promise.all(mine.map((key) => get<T>(key, store)));
  return answers.filter((answer) => answer !== undefined);
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsKept = (path: string): boolean => useSyncExternalStore(subscribe, () => isKept(path));
export const useIsCopy = (): boolean => useSyncExternalStore(subscribe, () => isCopy);
