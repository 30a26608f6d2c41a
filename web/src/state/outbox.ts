import { createStore, del, delMany, values } from "idb-keyval";
import { confirmedAccount, localAccount } from "../api/current-account.ts";
import { type Memory, memoriesApi, type NewMemory } from "../api/memories.ts";
import { randomId } from "../api/random-id.ts";
import { isApiError } from "../api/request.ts";
import { setValue } from "./account-storage.ts";
import { ensureMe, refreshMemories } from "./queries.ts";
import { createSharedState } from "./shared-state.ts";
import type { ChangeIds } from "./undo.ts";

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
const KEY_LIFETIME_MS = 23 * 3_600_000;

const store = createStore("commonplace-outbox", "captures");
const channel = new BroadcastChannel("commonplace-outbox");

const captures = createSharedState<readonly Capture[]>([]);
/** Keys of captures that this tab is sending; they are not shown as waiting. */
const sendingKeys = new Set<string>();

async function load(): Promise<void> {
  const all = await values<Capture>(store).catch(() => [...captures.get()]);
  captures.set(
    all
      .filter((capture) => capture.account === localAccount() && !sendingKeys.has(capture.key))
      .sort((a, b) => a.at - b.at),
  );
}

async function announceAfter(work: Promise<void>): Promise<void> {
  await work;
  channel.postMessage("changed");
  await load();
}

/** Deletes the captures of an account, sent or not. */
export async function forgetCaptures(account: string): Promise<void> {
  const all = await values<Capture>(store);
  const its = all.filter((capture) => capture.account === account).map(({ key }) => key);
  await announceAfter(delMany(its, store));
}

export const discardCapture = (key: string) => announceAfter(del(key, store).catch(() => undefined));

/** Whether a retry may succeed: no network, a server error, a limit, or the same key still running. */
const isRetryable = (problem: unknown): boolean =>
  isApiError(problem) && (problem.status >= 500 || [0, 408, 409, 429].includes(problem.status));

const isSameRecord = (memory: Memory, { record, sent = 0 }: Capture) =>
  memory.topic === record.topic &&
  memory.content === record.content &&
  Math.abs(Date.parse(memory.created_at) - sent) < KEY_LIFETIME_MS;

/** Sends a capture. Throws ApiError. */
async function sendCapture(capture: Capture, changes: ChangeIds = []): Promise<Memory> {
  if (capture.sent && Date.now() - capture.sent > KEY_LIFETIME_MS) {
    const { items } = await memoriesApi.list({ sort: "created_at", limit: 100 });
    const there = items.find((memory) => isSameRecord(memory, capture));
    if (there) return there;
  }
  if (!capture.sent)
    await setValue(capture.key, { ...capture, sent: Date.now() }, store).catch(() => undefined);
  // The account is sent along: the server rejects the request if another account is signed in by now.
  return memoriesApi.create(capture.record, {
    idempotencyKey: capture.key,
    account: capture.account,
    changes,
  });
}

/** Only one tab sends at a time, in browsers with the Locks API. */
const withTabLock = (work: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request("commonplace-outbox", work) : work();

async function sendAllCaptures(): Promise<void> {
  await load();
  for (const capture of captures.get().filter(({ refused }) => !refused)) {
    try {
      await sendCapture(capture);
      await discardCapture(capture.key);
    } catch (problem) {
      if (isRetryable(problem)) return;
      await announceAfter(setValue(capture.key, { ...capture, refused: (problem as Error).message }, store));
    }
  }
  void refreshMemories();
}

/** Sends waiting captures. Called when the account is known, and whenever the server is reachable again. */
export async function sendCaptures(): Promise<void> {
  await load();
  const waits = captures.get().some(({ refused }) => !refused);
  if (waits && navigator.onLine && confirmedAccount()) await withTabLock(sendAllCaptures);
}

/** Saved, waiting for the network, or rejected. */
export type CaptureOutcome = { memory: Memory; changes: ChangeIds } | { key: string; refused?: string };

async function handleFailure(captured: Capture, problem: unknown, isKept: boolean): Promise<CaptureOutcome> {
  const { key } = captured;
  if (isKept && isRetryable(problem)) {
    await load();
    return { key };
  }
  const refused = (problem as Error).message;
  if (isKept) await announceAfter(setValue(key, { ...captured, refused }, store));
  return { key, refused };
}

/** Resolves to undefined if the account cannot be determined. */
const currentAccountId = () =>
  ensureMe().then(
    ({ id }) => id,
    () => undefined,
  );

/** Sends a record, or stores it until the network is back. A rejected one is stored until it is discarded. */
export async function captureRecord(record: NewMemory, text: string): Promise<CaptureOutcome> {
  const account = localAccount() ?? (await currentAccountId());
  if (!account) return { key: "", refused: "Can’t reach the server. Try again in a moment." };
  const captured: Capture = { key: randomId(), account, record, text, at: Date.now() };
  sendingKeys.add(captured.key);
  const isKept = await setValue(captured.key, captured, store).then(
    () => true,
    () => false,
  );
  try {
    const changes: ChangeIds = [];
    const memory = await sendCapture(captured, changes);
    if (isKept) await discardCapture(captured.key);
    return { memory, changes };
  } catch (problem) {
    sendingKeys.delete(captured.key);
    return handleFailure(captured, problem, isKept);
  } finally {
    sendingKeys.delete(captured.key);
  }
}

/** Captures that are waiting or were rejected. */
export const useCaptures = captures.use;

addEventListener("online", () => void sendCaptures());
// Offline the server cannot confirm the account, but it cannot have changed either.
if (!navigator.onLine) void sendCaptures();
channel.addEventListener("message", () => void load());
void load();
