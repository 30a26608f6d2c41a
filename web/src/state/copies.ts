import type { QueryFunctionContext } from "@tanstack/react-query";
import { localAccount } from "../api/current-account.ts";
import { type Document, documentsApi } from "../api/documents.ts";
import { isTransientError } from "../api/request.ts";
import {
  type CopyInfos,
  clearCopyStore,
  deleteStoredCopies,
  getCopy,
  putCopy,
  readCopyInfos,
} from "./copy-store.ts";
import { createSharedState } from "./shared-state.ts";

// Copies on this device, for when the server cannot be reached: what was read in the last month, within limits, and what the
// user chose to keep offline. Each copy is a response of the API, stored under the account and a name, usually its path. All
// copies are deleted when the session ends or another account signs in.

const ME = "/api/auth/me";
const MAX_AGE_MS = 30 * 86_400_000;
const MAX_BYTES = 50_000_000;
const MAX_COPIES = 1000;

/** A setting for shared devices: keep only what the user chose. */
const ONLY_CHOSEN = "commonplace-only-chosen";
const onlyChosen = createSharedState(localStorage.getItem(ONLY_CHOSEN) !== null);
export const useOnlyChosen = onlyChosen.use;

/** Metadata of all copies, of every account. */
const copyInfos = createSharedState<CopyInfos>(new Map());
/** Names are the same for every account, so the key has the account too. */
const keyOf = (name: string) => `${localAccount() ?? ""}:${name}`;

/** When the oldest copy on screen was fetched, in milliseconds; undefined when no copy is shown. */
const shownCopiesSince = createSharedState<number | undefined>(undefined);

async function load(): Promise<void> {
  copyInfos.set(await readCopyInfos());
}
const loaded = load();

/** Number of ended sessions: a response requested before the end is not stored. */
let endedSessions = 0;

/** Deletes the least recently read copies beyond the limits. */
async function prune(): Promise<void> {
  const oldest = Date.now() - MAX_AGE_MS;
  let bytes = 0;
  const read = [...copyInfos.get()]
    .filter(([, { isChosen }]) => !isChosen)
    .sort(([, one], [, other]) => other.at - one.at);
  const tooMany = read.filter(([, fact], place) => {
    bytes += fact.bytes;
    return place >= MAX_COPIES || bytes > MAX_BYTES || fact.at < oldest;
  });
  await deleteStoredCopies(tooMany.map(([key]) => key));
  if (tooMany.length > 0) await load();
}

/** Number of new copies between two checks of the limits. */
const PRUNE_INTERVAL = 20;
let written = 0;

async function storeCopy(key: string, answer: unknown, since: number): Promise<void> {
  await loaded;
  const isChosen = copyInfos.get().get(key)?.isChosen ?? false;
  if (onlyChosen.get() && !isChosen) return;
  const fact = await putCopy(key, answer, isChosen);
  // Copies were deleted in the meantime: remove this one too.
  if (endedSessions !== since || (onlyChosen.get() && !isChosen)) return deleteStoredCopies([key]);
  copyInfos.set(new Map(copyInfos.get()).set(key, fact));
  written += 1;
  if (written % PRUNE_INTERVAL === 1) await prune();
}

const earlyAnswers: (() => void)[] = [];

/** Stores the responses that arrived before the account was known. */
export function storeEarlyAnswers(): void {
  for (const keep of earlyAnswers.splice(0)) keep();
}

/** Stores a response when the browser is idle, unless the session has ended by then. */
function storeWhenIdle(name: string, answer: unknown, since: number): void {
  const [key, account] = [keyOf(name), localAccount()];
  if (account === undefined) return void earlyAnswers.push(() => storeWhenIdle(name, answer, since));
  const soon = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
  soon(() => {
    if (endedSessions === since && localAccount() === account)
      void storeCopy(key, answer, since).catch(() => undefined);
  });
}

/** Stores a response that was not read through `fetchOrCopy`, such as that of a change. */
export const storeAnswer = (name: string, answer: unknown): void =>
  storeWhenIdle(name, answer, endedSessions);

function noteShownCopy(key: string): void {
  const at = copyInfos.get().get(key)?.at ?? Date.now();
  shownCopiesSince.set(Math.min(at, shownCopiesSince.get() ?? at));
}

/** The query that reads, and the page of it. */
export type QueryContext = Pick<QueryFunctionContext, "client" | "queryKey"> & { pageParam?: unknown };

/** Never replace data on screen with a copy: the screen may be newer. */
function isOnScreen(asking: QueryContext | undefined): boolean {
  const data = asking?.client.getQueryData<{ pageParams?: unknown[] }>(asking.queryKey);
  return data !== undefined && (data.pageParams?.includes(asking?.pageParam) ?? true);
}

/**
 * Calls the API; if that fails temporarily and nothing is on screen yet, returns the copy.
 *
 * @param derive computes the response from other copies if there is no copy of this one
 */
export async function fetchOrCopy<T>(
  name: string,
  fetchAnswer: () => Promise<T>,
  context?: QueryContext,
  derive: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  const since = endedSessions;
  try {
    const answer = await fetchAnswer();
    shownCopiesSince.set(undefined);
    storeWhenIdle(name, answer, since);
    return answer;
  } catch (problem) {
    if (!isTransientError(problem) || isOnScreen(context)) throw problem;
    await loaded;
    const key = keyOf(name);
    const copy = (copyInfos.get().has(key) ? await getCopy<T>(key) : undefined) ?? (await derive());
    if (copy === undefined) throw problem;
    noteShownCopy(key);
    return copy;
  }
}

/** Stores a response that the user wants offline, together with the account, which every screen needs. */
export async function pinCopy(name: string, answer: unknown, me: unknown): Promise<void> {
  for (const [key, value] of [[keyOf(name), answer] as const, [keyOf(ME), me] as const])
    copyInfos.set(new Map(copyInfos.get()).set(key, await putCopy(key, value, true)));
}

/** Whether everything that is read is stored, not only what the user chose. */
export const keepsReadAnswers = (): boolean => !onlyChosen.get();

export async function deleteCopies(names: string[]): Promise<void> {
  const there = names.map(keyOf).filter((key) => copyInfos.get().has(key));
  if (there.length === 0) return;
  await deleteStoredCopies(there);
  await load();
}

export async function deleteCopiesOfOtherAccounts(account: string): Promise<void> {
  await loaded;
  await deleteStoredCopies([...copyInfos.get().keys()].filter((key) => !key.startsWith(`${account}:`)));
  await load();
}

export async function deleteAllCopies(): Promise<void> {
  endedSessions += 1;
  cachedReads.clear();
  await clearCopyStore();
  await load();
}

/** Changes the setting for shared devices. Turning it on deletes all copies that the user did not choose. */
export async function setOnlyChosen(isOnly: boolean): Promise<void> {
  if (isOnly) localStorage.setItem(ONLY_CHOSEN, "");
  else localStorage.removeItem(ONLY_CHOSEN);
  onlyChosen.set(isOnly);
  if (!isOnly) return;
  const infos = [...(await readCopyInfos())];
  await deleteStoredCopies(infos.flatMap(([key, { isChosen }]) => (isChosen ? [] : [key])));
  await load();
}

const cachedReads = new Map<string, { facts: CopyInfos; answers: Promise<unknown[]> }>();

async function readCopies(prefix: string, facts: CopyInfos): Promise<unknown[]> {
  const matching = [...facts]
    .filter(([key]) => key.startsWith(keyOf(prefix)))
    .sort(([, one], [, other]) => other.at - one.at);
  const answers = await Promise.all(matching.map(([key]) => getCopy(key)));
  return answers.filter((answer) => answer !== undefined);
}

/** The copies whose names have a prefix, newest first. Cached until a copy changes. */
export async function copiesWithPrefix<T>(prefix: string): Promise<T[]> {
  await loaded;
  const facts = copyInfos.get();
  const known = cachedReads.get(prefix);
  const answers = known?.facts === facts ? known.answers : readCopies(prefix, facts);
  cachedReads.set(prefix, { facts, answers });
  return answers as Promise<T[]>;
}

/** When a response was stored, in milliseconds; undefined if there is no copy. */
export async function copiedAt(name: string): Promise<number | undefined> {
  await loaded;
  return copyInfos.get().get(keyOf(name))?.at;
}

export const useIsPinned = (name: string): boolean => copyInfos.use().get(keyOf(name))?.isChosen ?? false;
export const useShownCopiesSince = shownCopiesSince.use;
export const useShowsCopies = (): boolean => shownCopiesSince.use() !== undefined;

/** The names of copies of single resources, usually their API paths. */
export const copyNames = {
  document: (id: string) => `/api/documents/${id}`,
  /** Not below the documents' own path, where every copy is a document. */
  links: (id: string) => `/api/document-links/${id}`,
  record: (id: number) => `/api/memories/${id}`,
};

/** The name of the copy of a list: its path and query, in a stable order. */
export function listCopyName(path: string, query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)))}`;
}

export const readDocument = (
  id: string,
  asking?: QueryContext,
  fetchDocument: () => Promise<Document> = () => documentsApi.get(id),
) => fetchOrCopy(copyNames.document(id), fetchDocument, asking);
