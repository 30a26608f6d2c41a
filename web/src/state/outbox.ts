import { createStore, del, delMany, values } from "idb-keyval";
import { keptAccount, knownAccount } from "../api/holder.ts";
import { type Memory, memoriesApi, type NewMemory } from "../api/memories.ts";
import { randomId } from "../api/random-id.ts";
import { isApiError } from "../api/request.ts";
import { set } from "./keep.ts";
import { knownMe, refreshMemories } from "./queries.ts";
import { storeOf } from "./store.ts";
import type { Changes } from "./undo.ts";

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

/** The service remembers a key for 24 hours. After that a capture is looked for before it is sent again. */
const REMEMBERED_MS = 23 * 3_600_000;

const store = createStore("commonplace-outbox", "captures");
const others = new BroadcastChannel("commonplace-outbox");

const captures = storeOf<readonly Capture[]>([]);
/** What this tab is sending right now, and nobody has to wait for yet. */
const underWay = new Set<string>();

async function load(): Promise<void> {
  const all = await values<Capture>(store).catch(() => [...captures.get()]);
  captures.set(
    all
      .filter((capture) => capture.account === keptAccount() && !underWay.has(capture.key))
      .sort((a, b) => a.at - b.at),
  );
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

/** Removes a capture, if this browser keeps any. */
export const discard = (key: string) => change(del(key, store).catch(() => undefined));

/** What may be answered otherwise later: no network, a fault, a limit, the same key still running. */
const isPassing = (problem: unknown): boolean =>
  isApiError(problem) && (problem.status >= 500 || [0, 408, 409, 429].includes(problem.status));

const isSame = (memory: Memory, { record, sent = 0 }: Capture) =>
  memory.topic === record.topic &&
  memory.content === record.content &&
  Math.abs(Date.parse(memory.created_at) - sent) < REMEMBERED_MS;

/** Sends a capture. Throws ApiError. */
async function send(capture: Capture, changes: Changes = []): Promise<Memory> {
  if (capture.sent && Date.now() - capture.sent > REMEMBERED_MS) {
    const { items } = await memoriesApi.list({ sort: "created_at", limit: 100 });
    const there = items.find((memory) => isSame(memory, capture));
    if (there) return there;
  }
  if (!capture.sent) await set(capture.key, { ...capture, sent: Date.now() }, store).catch(() => undefined);
  // The session may be somebody else's by now: the service then refuses it.
  return memoriesApi.create(capture.record, {
    ...{ idempotencyKey: capture.key, account: capture.account, changes },
  });
}

/** One tab at a time, where the browser can tell. */
const alone = (work: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request("commonplace-outbox", work) : work();

async function sendAll(): Promise<void> {
  await load();
  for (const capture of captures.get().filter(({ refused }) => !refused)) {
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

/** Sends what waits. Called when the service has said whose it is, and whenever it answers again. */
export async function sendWaiting(): Promise<void> {
  await load();
  const waits = captures.get().some(({ refused }) => !refused);
  if (waits && navigator.onLine && knownAccount()) await alone(sendAll);
}

/** What has become of a capture: saved, kept until there is a network, or refused. */
export type Outcome = { memory: Memory; changes: Changes } | { key: string; refused?: string };

async function failed(captured: Capture, problem: unknown, isKept: boolean): Promise<Outcome> {
  const { key } = captured;
  if (isKept && isPassing(problem)) {
    await load();
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
    const changes: Changes = [];
    const memory = await send(captured, changes);
    if (isKept) await discard(captured.key);
    return { memory, changes };
  } catch (problem) {
    underWay.delete(captured.key);
    return failed(captured, problem, isKept);
  } finally {
    underWay.delete(captured.key);
  }
}

/** The captures that have not arrived yet. */
export const useOutbox = captures.use;

addEventListener("online", () => void sendWaiting());
// Without a network nobody says who is signed in, but it cannot be anybody else than before.
if (!navigator.onLine) void sendWaiting();
others.addEventListener("message", () => void load());
void load();
