import { clear, createStore, del, delMany, get, keys, set } from "idb-keyval";
import { documentsApi } from "../api/documents.ts";
import { keptAccount } from "../api/holder.ts";
import { memoriesApi } from "../api/memories.ts";
import { isPassing } from "../api/request.ts";
import { storeOf } from "./store.ts";

// What a person chose to keep on this device: the API's answers under the account and their paths. Nothing else of the API
// is kept, and all of it is deleted when their session has ended, in whatever way, or somebody else signs in.

const store = createStore("commonplace-copies", "answers");
const ME = "/api/auth/me";

/** Everything that is kept, of every account. */
const kept = storeOf<ReadonlySet<string>>(new Set());
/** Where an answer is kept: the paths are the same for everybody. */
const keyOf = (path: string) => `${keptAccount() ?? ""}:${path}`;
const isKept = (path: string) => kept.get().has(keyOf(path));

/** Whether the answer shown last is a copy. */
const shownCopy = storeOf(false);

async function load(): Promise<void> {
  kept.set(new Set(await keys<string>(store).catch(() => [])));
}
const loaded = load();

/** Asks the API, or answers with the copy on this device when the API cannot. A copy is renewed by each answer. */
export async function orCopy<T>(path: string, ask: () => Promise<T>): Promise<T> {
  await loaded;
  try {
    const answer = await ask();
    shownCopy.set(false);
    if (isKept(path)) await set(keyOf(path), answer, store).catch(() => undefined);
    return answer;
  } catch (problem) {
    const copy = isKept(path) && isPassing(problem) ? await get<T>(keyOf(path), store) : undefined;
    if (!copy) throw problem;
    shownCopy.set(true);
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

/** Deletes what is kept of every other account. */
export async function dropCopiesOfOthers(account: string): Promise<void> {
  await loaded;
  const theirs = [...kept.get()].filter((key) => !key.startsWith(`${account}:`));
  if (theirs.length === 0) return;
  await delMany(theirs, store).catch(() => undefined);
  await load();
}

/** Deletes everything that is kept. */
export async function dropCopies(): Promise<void> {
  await clear(store).catch(() => undefined);
  await load();
}

/** The answers of one resource that are kept. */
export const copiesOf = async <T>(resource: string): Promise<T[]> => {
  await loaded;
  const mine = [...kept.get()].filter((key) => key.startsWith(keyOf(`/api/${resource}/`)));
  const answers = await Promise.all(mine.map((key) => get<T>(key, store)));
  return answers.filter((answer) => answer !== undefined);
};

export const useIsKept = (path: string): boolean => kept.use().has(keyOf(path));
export const useIsCopy = shownCopy.use;

/** What can be kept on this device, by the paths of the API. */
export const copied = {
  document: (id: string) => `/api/documents/${id}`,
  record: (id: number) => `/api/memories/${id}`,
};

export const readDocument = (id: string) => orCopy(copied.document(id), () => documentsApi.get(id));
export const readRecord = (id: number) => orCopy(copied.record(id), () => memoriesApi.get(id));
