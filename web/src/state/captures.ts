import { confirmedAccount, localAccount } from "../api/current-account.ts";
import { type Memory, memoriesApi, type NewMemory } from "../api/memories.ts";
import { randomId } from "../api/random-id.ts";
import { UserFacingError } from "../api/user-facing-error.ts";
import { DISCARDED, isUnanswered, Outbox, type OutboxEntry } from "./outbox.ts";
import { ensureMe, refreshMemories } from "./queries.ts";
import type { ChangeIds } from "./undo.ts";

// Captured records on their way to the server.

export type Capture = OutboxEntry & {
  record: NewMemory;
  /** The text that was typed. */
  text: string;
  /** When the server may first have got it, in milliseconds. */
  sent?: number;
};

/** The server remembers a key for 24 hours. Close to that, look for the record before sending the capture again. */
const KEY_LIFETIME_MS = 23 * 3_600_000;

export const captures = new Outbox<Capture>("commonplace-outbox", "captures");

const isSameRecord = (memory: Memory, { record, sent = 0 }: Capture) =>
  memory.topic === record.topic &&
  memory.content === record.content &&
  Math.abs(Date.parse(memory.created_at) - sent) < KEY_LIFETIME_MS;

async function sendCapture(capture: Capture, changes: ChangeIds): Promise<Memory> {
  const { key, account, record, sent } = capture;
  if (sent && Date.now() - sent > KEY_LIFETIME_MS) {
    const { items } = await memoriesApi.list({ sort: "created_at", limit: 100 });
    const there = items.find((memory) => isSameRecord(memory, capture));
    if (there) return there;
  }
  const isKept = sent || !navigator.onLine || (await captures.update(key, { sent: Date.now() }));
  if (!isKept) throw new UserFacingError(DISCARDED);
  return memoriesApi.create(record, { idempotencyKey: key, account, changes });
}

/** Sends waiting captures. Throws ApiError while the server does not answer. */
export async function sendCaptures(): Promise<void> {
  await captures.read();
  if (!captures.hasToSend() || !navigator.onLine || !confirmedAccount()) return;
  const send = (capture: Capture, changes: ChangeIds) => sendCapture(capture, changes).then(() => undefined);
  await captures.exclusively(() => captures.sendWaiting({ send }));
  void refreshMemories();
}

/** Saved, waiting for the network, or rejected. */
export type CaptureOutcome = { memory: Memory; changes: ChangeIds } | { key: string; refused?: string };

/** Sends a record, or stores it until the network is back. A rejected one is stored until it is discarded. */
export async function captureRecord(record: NewMemory, text: string): Promise<CaptureOutcome> {
  const account = localAccount() ?? (await ensureMe().catch(() => undefined))?.id;
  if (!account) return { key: "", refused: "Can’t reach the server. Try again in a moment." };
  const [key, at] = [randomId(), Date.now()];
  const capture: Capture = { key, account, record, text, at, ...(navigator.onLine && { sent: at }) };
  captures.markSending(key);
  // Other tabs are told once it has to wait.
  const isStored = await captures.write([capture], [], false);
  try {
    const changes: ChangeIds = [];
    const memory = await sendCapture(capture, changes);
    await captures.remove(key);
    return { memory, changes };
  } catch (problem) {
    const isWaiting = isStored && isUnanswered(problem);
    const refusal = isWaiting ? {} : { refused: (problem as Error).message };
    await (isStored ? captures.update(key, refusal) : captures.remove(key));
    return { key, ...refusal };
  } finally {
    captures.endSending(key);
  }
}

/** Discards a capture. One that the server may have is undone once the server has answered. */
export async function discardCapture({ key, sent, refused }: Capture): Promise<void> {
  await (sent && !refused ? captures.update(key, { isWithdrawn: true }) : captures.remove(key));
}
