import { createStore, del, delMany, values } from "idb-keyval";
import { keptAccount, knownAccount } from "../api/holder.ts";
import { type Memory, memoriesApi, type NewMemory } from "../api/memories.ts";
import { randomId } from "../api/random-id.ts";
import { isApiError } from "../api/request.ts";
import { set } from "./keep.ts";
import { knownMe, refreshMemories } from "./queries.ts";
import { storeOf } from "./store.ts";
import type { Changes } from "./undo.ts";

// Captured records on their way to the server. Each is stored in the browser first, with its Idempotency-Key, and removed when
// the server has answered: offline captures wait, and retries create no second record.

export type Capture = {
  /** The Idempotency-Key. */
  key: string;
  /** The account that it belongs to. */
  account: string;
  record: NewMemory;
  /** The text that was typed. */
  text: string;
  at: number;
  /** When it was first sent, in milliseconds. */
  sent?: number;
  /** Why the server rejected it. */
  refused?: string;
};

/** The server remembers a key for 24 hours. Close to that, look for the record before sending the capture again. */
const REMEMBERED_MS = 23 * 3_600_000;

const store = createStore("commonplace-outbox", "captures");
const others = new BroadcastChannel("commonplace-outbox");

const captures = storeOf<readonly Capture[]>([]);
/** Keys of captures that this tab is sending; they are not shown as waiting. */
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

/** Deletes the captures of an account, sent or not. */
export async function forgetCaptures(account: string): Promise<void> {
  const all = await values<Capture>(store);
  const its = all.filter((capture) => capture.account === account).map(({ key }) => key);
  await change(delMany(its, store));
}

export const discard = (key: string) => change(del(key, store).catch(() => undefined));

/** Whether a retry may succeed: no network, a server error, a limit, or the same key still running. */
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
  // The account is sent along: the server rejects the request if another account is signed in by now.
  return memoriesApi.create(capture.record, {
    idempotencyKey: capture.key,
    account: capture.account,
    changes,
  });
}

/** Only one tab sends at a time, in browsers with the Locks API. */
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

/** Sends waiting captures. Called when the account is known, and whenever the server is reachable again. */
export async function sendWaiting(): Promise<void> {
  await load();
  const waits = captures.get().some(({ refused }) => !refused);
  if (waits && navigator.onLine && knownAccount()) await alone(sendAll);
}

/** Saved, waiting for the network, or rejected. */
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

/** Resolves to undefined if the account cannot be determined. */
const whoIsThis = () =>
  knownMe().then(
    ({ id }) => id,
    () => undefined,
  );

/** Sends a record, or stores it until the network is back. A rejected one is stored until it is discarded. */
export async function capture(record: NewMemory, text: string): Promise<Outcome> {
  const account = keptAccount() ?? (await whoIsThis());
  if (!account) return { key: "", refused: "Can’t reach the server. Try again in a moment." };
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

/** Captures that are waiting or were rejected. */
export const useOutbox = captures.use;

addEventListener("online", () => void sendWaiting());
// Offline the server cannot confirm the account, but it cannot have changed either.
if (!navigator.onLine) void sendWaiting();
others.addEventListener("message", () => void load());
void load();
