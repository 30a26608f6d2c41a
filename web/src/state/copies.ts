import type { QueryFunctionContext } from "@tanstack/react-query";
import { documentsApi } from "../api/documents.ts";
import { keptAccount } from "../api/holder.ts";
import { isPassing } from "../api/request.ts";
import { dropAll, dropSome, type Facts, getCopy, putCopy, readFacts } from "./copy-store.ts";
import { storeOf } from "./store.ts";

// Copies on this device, for when the server cannot be reached: what was read in the last month, within limits, and what the
// user chose to keep offline. Each copy is a response of the API, stored under the account and a name, usually its path. All
// copies are deleted when the session ends or another account signs in.

const ME = "/api/auth/me";
const LONGEST_MS = 30 * 86_400_000;
const MOST_BYTES = 50_000_000;
const MOST_COPIES = 1000;

/** A setting for shared devices: keep only what the user chose. */
const ONLY_CHOSEN = "commonplace-only-chosen";
const onlyChosen = storeOf(localStorage.getItem(ONLY_CHOSEN) !== null);
export const useOnlyChosen = onlyChosen.use;

/** Metadata of all copies, of every account. */
const kept = storeOf<Facts>(new Map());
/** Names are the same for every account, so the key has the account too. */
const keyOf = (name: string) => `${keptAccount() ?? ""}:${name}`;

/** When the oldest copy on screen was fetched, in milliseconds; undefined when no copy is shown. */
const shownSince = storeOf<number | undefined>(undefined);

async function load(): Promise<void> {
  kept.set(await readFacts());
}
const loaded = load();

/** Number of ended sessions: a response requested before the end is not stored. */
let ends = 0;

/** Deletes the least recently read copies beyond the limits. */
async function prune(): Promise<void> {
  const oldest = Date.now() - LONGEST_MS;
  let bytes = 0;
  const read = [...kept.get()]
    .filter(([, { isChosen }]) => !isChosen)
    .sort(([, one], [, other]) => other.at - one.at);
  const tooMany = read.filter(([, fact], place) => {
    bytes += fact.bytes;
    return place >= MOST_COPIES || bytes > MOST_BYTES || fact.at < oldest;
  });
  await dropSome(tooMany.map(([key]) => key));
  if (tooMany.length > 0) await load();
}

/** Number of new copies between two checks of the limits. */
const PRUNED_AFTER = 20;
let written = 0;

async function remember(key: string, answer: unknown, since: number): Promise<void> {
  await loaded;
  const isChosen = kept.get().get(key)?.isChosen ?? false;
  if (onlyChosen.get() && !isChosen) return;
  const fact = await putCopy(key, answer, isChosen);
  // Copies were deleted in the meantime: remove this one too.
  if (ends !== since || (onlyChosen.get() && !isChosen)) return dropSome([key]);
  kept.set(new Map(kept.get()).set(key, fact));
  written += 1;
  if (written % PRUNED_AFTER === 1) await prune();
}

/** Responses that arrived before the account was known. */
const early: (() => void)[] = [];

/** Stores the responses that arrived before the account was known. */
export function keepEarly(): void {
  for (const keep of early.splice(0)) keep();
}

/** Stores a response when the browser is idle, unless the session has ended by then. */
function rememberSoon(name: string, answer: unknown, since: number): void {
  const [key, account] = [keyOf(name), keptAccount()];
  if (account === undefined) return void early.push(() => rememberSoon(name, answer, since));
  const soon = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
  soon(() => {
    if (ends === since && keptAccount() === account) void remember(key, answer, since).catch(() => undefined);
  });
}

/** Stores a response that was not read through `fetchOrCopy`, such as that of a change. */
export const keepAnswer = (name: string, answer: unknown): void => rememberSoon(name, answer, ends);

function showCopy(key: string): void {
  const at = kept.get().get(key)?.at ?? Date.now();
  shownSince.set(Math.min(at, shownSince.get() ?? at));
}

/** The query that reads, and the page of it. */
export type Asking = Pick<QueryFunctionContext, "client" | "queryKey"> & { pageParam?: unknown };

/** Never replace data on screen with a copy: the screen may be newer. */
function isShown(asking: Asking | undefined): boolean {
  const data = asking?.client.getQueryData<{ pageParams?: unknown[] }>(asking.queryKey);
  return data !== undefined && (data.pageParams?.includes(asking?.pageParam) ?? true);
}

/**
 * Calls the API; if that fails temporarily and nothing is on screen yet, returns the copy.
 *
 * @param derive computes the response from other copies if there is no copy of this one
 */
export async function orCopy<T>(
  name: string,
  ask: () => Promise<T>,
  asking?: Asking,
  made: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  const since = ends;
  try {
    const answer = await ask();
    shownSince.set(undefined);
    rememberSoon(name, answer, since);
    return answer;
  } catch (problem) {
    if (!isPassing(problem) || isShown(asking)) throw problem;
    await loaded;
    const key = keyOf(name);
    const copy = (kept.get().has(key) ? await getCopy<T>(key) : undefined) ?? (await made());
    if (copy === undefined) throw problem;
    showCopy(key);
    return copy;
  }
}

/** Stores a response that the user wants offline, together with the account, which every screen needs. */
export async function keepCopy(name: string, answer: unknown, me: unknown): Promise<void> {
  for (const [key, value] of [[keyOf(name), answer] as const, [keyOf(ME), me] as const])
    kept.set(new Map(kept.get()).set(key, await putCopy(key, value, true)));
}

export async function dropCopy(name: string): Promise<void> {
  await dropSome([keyOf(name)]);
  await load();
}

/** Whether everything that is read is stored, not only what the user chose. */
export const keepsWhatIsRead = (): boolean => !onlyChosen.get();

export async function dropCopiesFrom(names: string[]): Promise<void> {
  const there = names.map(keyOf).filter((key) => kept.get().has(key));
  if (there.length === 0) return;
  await dropSome(there);
  await load();
}

export async function dropCopiesOfOthers(account: string): Promise<void> {
  await loaded;
  await dropSome([...kept.get().keys()].filter((key) => !key.startsWith(`${account}:`)));
  await load();
}

export async function dropCopies(): Promise<void> {
  ends += 1;
  read.clear();
  await dropAll();
  await load();
}

/** Changes the setting for shared devices. Turning it on deletes all copies that the user did not choose. */
export async function keepOnlyChosen(isOnly: boolean): Promise<void> {
  if (isOnly) localStorage.setItem(ONLY_CHOSEN, "");
  else localStorage.removeItem(ONLY_CHOSEN);
  onlyChosen.set(isOnly);
  if (!isOnly) return;
  await dropSome([...(await readFacts())].flatMap(([key, { isChosen }]) => (isChosen ? [] : [key])));
  await load();
}

const read = new Map<string, { facts: Facts; answers: Promise<unknown[]> }>();

async function readCopies(beginning: string, facts: Facts): Promise<unknown[]> {
  const mine = [...facts]
    .filter(([key]) => key.startsWith(keyOf(beginning)))
    .sort(([, one], [, other]) => other.at - one.at);
  const answers = await Promise.all(mine.map(([key]) => getCopy(key)));
  return answers.filter((answer) => answer !== undefined);
}

/** The copies whose names have a prefix, newest first. Cached until a copy changes. */
export async function copiesOf<T>(beginning: string): Promise<T[]> {
  await loaded;
  const facts = kept.get();
  const known = read.get(beginning);
  const answers = known?.facts === facts ? known.answers : readCopies(beginning, facts);
  read.set(beginning, { facts, answers });
  return answers as Promise<T[]>;
}

/** When a response was stored, in milliseconds; undefined if there is no copy. */
export async function keptAt(name: string): Promise<number | undefined> {
  await loaded;
  return kept.get().get(keyOf(name))?.at;
}

export const useIsKept = (name: string): boolean => kept.use().get(keyOf(name))?.isChosen ?? false;
export const useCopySince = shownSince.use;
export const useIsCopy = (): boolean => shownSince.use() !== undefined;

/** The names of copies of single resources: their API paths. */
export const copied = {
  document: (id: string) => `/api/documents/${id}`,
  record: (id: number) => `/api/memories/${id}`,
};

/** The name of the copy of a list: its path and query, in a stable order. */
export function listName(path: string, query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)))}`;
}

export const readDocument = (id: string, asking?: Asking) =>
  orCopy(copied.document(id), () => documentsApi.get(id), asking);
