import { createStore, del, delMany, set, values } from "idb-keyval";
import { useSyncExternalStore } from "react";
import { type Memory, memoriesApi, type NewMemory } from "../api.ts";
import { keptAccount, knownAccount } from "../holder.ts";
import { knownMe, refreshMemories } from "./queries.ts";
import { isApiError } from "../api/request.ts";
import { randomId } from "../api/random-id.ts";

// Captures on their way to the service. Each is written down in the browser first, with its Idempotency-Key, and removed
// when the service has answered: without a network it waits, and a repetition makes no second record.

export type Capture = {
  /** Its Idempotency-Key. */
  key: string;
  /** The account that it belongs to. */
  account: string;
  record: NewMemory;
  /** What was typed. */
  text: string;
  at: number;
  /** When it was first sent. */
  sent?: number;
  /** Why the service refused it. */
  refused?: string;
};

const RETRY_MS = 30_000;
/** The service remembers a key for 24 hours. After that a capture is looked for before it is sent again. */
const REMEMBERED_MS = 23 * 3_600_000;

const store = createStore("commonplace-outbox", "captures");
const others = new BroadcastChannel("commonplace-outbox");

let captures: readonly Capture[] = [];
/** What this tab is sending right now, and nobody has to wait for yet. */
const underWay = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  const all = await values<Capture>(store).catch(() => [...captures]);
  captures = all
    .filter((capture) => capture.account === keptAccount() && !underWay.has(capture.key))
    .sort((a, b) => a.at - b.at);
  for (const listener of listeners) listener();
}

async function change(work: Promise<void>): Promise<void> {
  await work;
  others.postMessage("changed");
  await load();
}

/** Forgets the captures of an account, sent or not. */
export async function forgetCaptures(account: string): Promise<void> {
  const all = await values<Capture>(store);
  const its = all.filter((capture) => capture.account === account).map(({ key }) => key);
  await change(delMany(its, store));
}

/** Removes a capture. */
export const discard = (key: string) => change(del(key, store));

/** What may be answered otherwise later: no network, a fault, a limit, the same key still running. */
const isPassing = (problem: unknown): boolean =>
  isApiError(problem) && (problem.status >= 500 || [0, 408, 409, 429].includes(problem.status));

const isSame = (memory: Memory, { record, sent = 0 }: Capture) =>
  memory.topic === record.topic &&
  memory.content === record.content &&
  Math.abs(Date.parse(memory.created_at) - sent) < REMEMBERED_MS;

/** Sends a capture. Throws ApiError. */
async function send(capture: Capture): Promise<Memory> {
  if (capture.sent && Date.now() - capture.sent > REMEMBERED_MS) {
    const { items } = await memoriesApi.list({ sort: "created_at", limit: 100 });
    const there = items.find((memory) => isSame(memory, capture));
    if (there) return there;
  }
  if (!capture.sent) await set(capture.key, { ...capture, sent: Date.now() }, store).catch(() => undefined);
  // The session may be somebody else's by now: the service then refuses it.
  return memoriesApi.create(capture.record, { idempotencyKey: capture.key, account: capture.account });
}

/** One tab at a time, where the browser can tell. */
const alone = (work: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request("commonplace-outbox", work) : work();

async function sendAll(): Promise<void> {
  await load();
  for (const capture of captures.filter(({ refused }) => !refused)) {
    try {
      await send(capture);
      await discard(capture.key);
    } catch (problem) {
      if (isPassing(problem)) return;
      await change(set(capture.key, { ...capture, refused: (problem as Error).message }, store));
    }
  }
  void refreshMemories();
}

const waits = () => captures.some(({ refused }) => !refused);

function tryLater(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void sendWaiting(), RETRY_MS);
}

/** Sends what waits, now and again until nothing does. Called when the service has said whose it is. */
export async function sendWaiting(): Promise<void> {
  await load();
  if (waits() && navigator.onLine && knownAccount()) await alone(sendAll);
  if (waits()) tryLater();
}

/** What has become of a capture: saved, kept until there is a network, or refused. */
export type Outcome = { memory: Memory } | { key: string; refused?: string };

async function failed(captured: Capture, problem: unknown, isKept: boolean): Promise<Outcome> {
  const { key } = captured;
  if (isKept && isPassing(problem)) {
    await load();
    tryLater();
    return { key };
  }
  const refused = (problem as Error).message;
  if (isKept) await change(set(key, { ...captured, refused }, store));
  return { key, refused };
}

/** The account of a page that has only just been opened. */
const whoIsThis = () =>
  knownMe().then(
    ({ id }) => id,
    () => undefined,
  );

/** Sends a record, or keeps it until there is a network. A refused one is kept too, until it is discarded. */
export async function capture(record: NewMemory, text: string): Promise<Outcome> {
  const account = keptAccount() ?? (await whoIsThis());
  if (!account) return { key: "", refused: "The service does not answer: try again in a moment" };
  const captured: Capture = { key: randomId(), account, record, text, at: Date.now() };
  underWay.add(captured.key);
  const isKept = await set(captured.key, captured, store).then(
    () => true,
    () => false,
  );
  try {
    const memory = await send(captured);
    if (isKept) await discard(captured.key);
    return { memory };
  } catch (problem) {
    underWay.delete(captured.key);
    return failed(captured, problem, isKept);
  } finally {
    underWay.delete(captured.key);
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The captures that have not arrived yet. */
export const useOutbox = (): readonly Capture[] => useSyncExternalStore(subscribe, () => captures);

addEventListener("online", () => void sendWaiting());
// Without a network nobody says who is signed in, but it cannot be anybody else than before.
if (!navigator.onLine) void sendWaiting();
others.addEventListener("message", () => void load());
