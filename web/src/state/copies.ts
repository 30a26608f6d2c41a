import type { QueryFunctionContext } from "@tanstack/react-query";
import { documentsApi } from "../api/documents.ts";
import { keptAccount } from "../api/holder.ts";
import { isPassing } from "../api/request.ts";
import { dropAll, dropSome, type Facts, getCopy, putCopy, readFacts } from "./copy-store.ts";
import { storeOf } from "./store.ts";

// What is on this device for when the service does not answer: what was read in the last month, as far as there is room,
// and what somebody chose to keep. Each is an answer of the API under its account and a name, usually its path. All of it is
// deleted when the session has ended, in whatever way, or somebody else signs in.

const ME = "/api/auth/me";
const LONGEST_MS = 30 * 86_400_000;
const MOST_BYTES = 50_000_000;
const MOST_COPIES = 1000;

/** On a device that others use as well, only what somebody chooses is kept. */
const ONLY_CHOSEN = "commonplace-only-chosen";
const onlyChosen = storeOf(localStorage.getItem(ONLY_CHOSEN) !== null);
export const useOnlyChosen = onlyChosen.use;

/** What is known of everything that is kept, of every account. */
const kept = storeOf<Facts>(new Map());
/** Where an answer is kept: the names are the same for everybody. */
const keyOf = (name: string) => `${keptAccount() ?? ""}:${name}`;

/** Since when the oldest of the copies that are shown is one; undefined when the service answers. */
const shownSince = storeOf<number | undefined>(undefined);

async function load(): Promise<void> {
  kept.set(await readFacts());
}
const loaded = load();

/** Counts the ends of sessions: an answer that was under way then is not kept any more. */
let ends = 0;

/** Deletes what was read longest ago, until the rest has room. */
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

/** After so many new copies it is looked whether there are too many. */
const PRUNED_AFTER = 20;
let written = 0;

async function remember(key: string, answer: unknown, since: number): Promise<void> {
  await loaded;
  const isChosen = kept.get().get(key)?.isChosen ?? false;
  if (onlyChosen.get() && !isChosen) return;
  const fact = await putCopy(key, answer, isChosen);
  // What was deleted meanwhile stays deleted.
  if (ends !== since || (onlyChosen.get() && !isChosen)) return dropSome([key]);
  kept.set(new Map(kept.get()).set(key, fact));
  written += 1;
  if (written % PRUNED_AFTER === 1) await prune();
}

/** What came before it was known whose answers they are. */
const early: (() => void)[] = [];

/** Keeps what came before it was known whose page this is. */
export function keepEarly(): void {
  for (const keep of early.splice(0)) keep();
}

/** Keeps an answer soon, unless the session has ended meanwhile. */
function rememberSoon(name: string, answer: unknown, since: number): void {
  const [key, account] = [keyOf(name), keptAccount()];
  if (account === undefined) return void early.push(() => rememberSoon(name, answer, since));
  const soon = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1));
  soon(() => {
    if (ends === since && keptAccount() === account) void remember(key, answer, since).catch(() => undefined);
  });
}

/** Notes an answer that came in another way, such as to a change. */
export const keepAnswer = (name: string, answer: unknown): void => rememberSoon(name, answer, ends);

function showCopy(key: string): void {
  const at = kept.get().get(key)?.at ?? Date.now();
  shownSince.set(Math.min(at, shownSince.get() ?? at));
}

/** The query that asks, and which of its pages. */
export type Asking = Pick<QueryFunctionContext, "client" | "queryKey"> & { pageParam?: unknown };

/** What is shown already is as new as its copy, or newer: it has what somebody has just changed. */
function isShown(asking: Asking | undefined): boolean {
  const data = asking?.client.getQueryData<{ pageParams?: unknown[] }>(asking.queryKey);
  return data !== undefined && (data.pageParams?.includes(asking?.pageParam) ?? true);
}

/**
 * Asks the API, or answers with what is on this device when the API cannot and nothing is shown yet.
 *
 * @param made makes an answer of other copies, where this one is not kept
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

/** Keeps an answer on this device because somebody wants it, and with it the account, without which no screen is shown. */
export async function keepCopy(name: string, answer: unknown, me: unknown): Promise<void> {
  for (const [key, value] of [[keyOf(name), answer] as const, [keyOf(ME), me] as const])
    kept.set(new Map(kept.get()).set(key, await putCopy(key, value, true)));
}

export async function dropCopy(name: string): Promise<void> {
  await dropSome([keyOf(name)]);
  await load();
}

/** Whether more is kept than somebody has chosen. */
export const keepsWhatIsRead = (): boolean => !onlyChosen.get();

/** Deletes some of what is kept. */
export async function dropCopiesFrom(names: string[]): Promise<void> {
  const there = names.map(keyOf).filter((key) => kept.get().has(key));
  if (there.length === 0) return;
  await dropSome(there);
  await load();
}

/** Deletes what is kept of every other account. */
export async function dropCopiesOfOthers(account: string): Promise<void> {
  await loaded;
  await dropSome([...kept.get().keys()].filter((key) => !key.startsWith(`${account}:`)));
  await load();
}

/** Deletes everything that is kept. */
export async function dropCopies(): Promise<void> {
  ends += 1;
  read.clear();
  await dropAll();
  await load();
}

/** From now on everything that is read is kept, or only what somebody chooses: then the rest is deleted at once. */
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

/** The answers that are kept under names that begin so, the newest first. Read once until there are others. */
export async function copiesOf<T>(beginning: string): Promise<T[]> {
  await loaded;
  const facts = kept.get();
  const known = read.get(beginning);
  const answers = known?.facts === facts ? known.answers : readCopies(beginning, facts);
  read.set(beginning, { facts, answers });
  return answers as Promise<T[]>;
}

/** When an answer was kept, in milliseconds; undefined if it is not. */
export async function keptAt(name: string): Promise<number | undefined> {
  await loaded;
  return kept.get().get(keyOf(name))?.at;
}

export const useIsKept = (name: string): boolean => kept.use().get(keyOf(name))?.isChosen ?? false;
export const useCopySince = shownSince.use;
export const useIsCopy = (): boolean => shownSince.use() !== undefined;

/** What can be kept on this device, by the paths of the API. */
export const copied = {
  document: (id: string) => `/api/documents/${id}`,
  record: (id: number) => `/api/memories/${id}`,
};

/** The name of a list under which its answer is kept. */
export function listName(path: string, query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)))}`;
}

export const readDocument = (id: string, asking?: Asking) =>
  orCopy(copied.document(id), () => documentsApi.get(id), asking);
