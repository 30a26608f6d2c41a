import { createStore, del, delMany, values } from "idb-keyval";
import { confirmedAccount, localAccount } from "../api/current-account.ts";
import { type Memory, type MemoryOperation, memoriesApi } from "../api/memories.ts";
import { isApiError, isTransientError } from "../api/request.ts";
import { setValue } from "./account-storage.ts";
import { refreshMemories } from "./queries.ts";
import { createSharedState } from "./shared-state.ts";
import { type ChangeIds, undoChanges } from "./undo.ts";

// Pending actions on records: resolve, defer, archive … Each is stored in the browser first, with the key of its requests, and
// removed when the server has answered. Pending actions are shown as if they were done.

/** The fields of a record that a step changes, for its preview. */
export type StepPreview = Partial<Pick<Memory, "status" | "deferred_until" | "due_date">> & {
  days_stale?: undefined;
  deleted?: true;
};

export type PendingStep = {
  key: string;
  /** The account that it belongs to. */
  account: string;
  /** When the user did it, in milliseconds. */
  at: number;
  /** "Resolve “Send the slides”" */
  text: string;
  operations: MemoryOperation[];
  /** The records before the step. */
  rows: readonly { id: number }[];
  shown: StepPreview;
  /** If it changes a due date: the previous one. */
  movedFrom?: string | null;
  /** Whether the server may have applied it. */
  isSent?: boolean;
  /** Whether to undo it once the server has answered. */
  isWithdrawn?: boolean;
  /** Why the server rejected it; shown until it is dismissed. */
  refused?: string;
};

export type RejectedOperation = { id: number; detail: string };
export type StepOutcome = { refused: RejectedOperation[]; changes: ChangeIds };

const MAX_OPERATIONS = 100;

const store = createStore("commonplace-steps", "steps");
const channel = new BroadcastChannel("commonplace-steps");
const pendingSteps = createSharedState<readonly PendingStep[]>([]);
/** Keys of the steps that this tab is sending. Their caller shows the outcome, then drops them. */
const sendingKeys = createSharedState<ReadonlySet<string>>(new Set());
const markNotSending = (key: string) =>
  sendingKeys.set(new Set([...sendingKeys.get()].filter((one) => one !== key)));

/** Reads the pending steps of the account. */
export async function readPendingSteps(): Promise<void> {
  const kept = await values<PendingStep>(store).catch(() => [...pendingSteps.get()]);
  pendingSteps.set(
    kept.filter(({ account }) => account === localAccount()).sort((one, other) => one.at - other.at),
  );
}

/** Returns whether the browser stored it. */
async function storeStep(step: PendingStep): Promise<boolean> {
  const isKept = await setValue(step.key, step, store).then(
    () => true,
    () => false,
  );
  if (isKept) await readPendingSteps();
  channel.postMessage("changed");
  return isKept;
}

export async function deletePendingStep(key: string): Promise<void> {
  await del(key, store).catch(() => undefined);
  await readPendingSteps();
  markNotSending(key);
  channel.postMessage("changed");
}

/** Deletes the steps of an account, sent or not. */
export async function forgetPendingSteps(account: string): Promise<void> {
  const its = (await values<PendingStep>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await readPendingSteps();
}

/** Sends the requests of a step, a hundred operations each. Throws ApiError. */
export async function sendStepRequests(
  operations: MemoryOperation[],
  bulk: (some: MemoryOperation[], part: number) => ReturnType<typeof memoriesApi.bulk>,
): Promise<RejectedOperation[]> {
  const refused: RejectedOperation[] = [];
  for (let start = 0; start < operations.length; start += MAX_OPERATIONS) {
    const { results } = await bulk(operations.slice(start, start + MAX_OPERATIONS), start);
    for (const { ok, id = 0, detail = "Rejected" } of results) if (!ok) refused.push({ id, detail });
  }
  return refused;
}

/** Sends a stored step. Its key makes retries safe. Throws ApiError. */
async function sendStep(step: PendingStep): Promise<StepOutcome> {
  const { key, account, operations } = step;
  if (!step.isSent && navigator.onLine) await storeStep({ ...step, isSent: true });
  const changes: ChangeIds = [];
  const refused = await sendStepRequests(operations, (some, part) =>
    memoriesApi.bulkOnce(some, { idempotencyKey: `${key}:${part}`, account, changes }),
  );
  return { refused, changes };
}

const isRetryable = (problem: unknown) => isTransientError(problem) || isApiError(problem, 409);

const fullDay = (day: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" }).format(
    new Date(`${day}T00:00Z`),
  );

/** Rejects a pending change of a due date if the date was changed elsewhere in the meantime. */
async function rejectIfMoved({
  movedFrom,
  shown,
  rows: [row],
}: PendingStep): Promise<StepOutcome | undefined> {
  if (movedFrom === undefined || !row) return undefined;
  const { due_date } = await memoriesApi.get(row.id);
  if (due_date === movedFrom || due_date === shown.due_date) return undefined;
  const now = due_date ? `now due on ${fullDay(due_date)}` : "now without a date";
  return { refused: [{ id: row.id, detail: `Its date was changed in the meantime: ${now}` }], changes: [] };
}

const sendUnlessMoved = async (step: PendingStep): Promise<StepOutcome> =>
  (await rejectIfMoved(step)) ?? sendStep(step);

/** Sends a step that no caller is waiting for. */
async function sendInBackground(step: PendingStep): Promise<void> {
  const { refused, changes } = await sendUnlessMoved(step).catch((problem: unknown): StepOutcome => {
    if (isRetryable(problem)) throw problem;
    return { refused: [{ id: 0, detail: (problem as Error).message }], changes: [] };
  });
  if (pendingSteps.get().find(({ key }) => key === step.key)?.isWithdrawn) {
    if (changes.length > 0) await undoChanges(changes);
    return deletePendingStep(step.key);
  }
  await refreshMemories();
  const [first] = refused;
  if (first) await storeStep({ ...step, refused: first.detail });
  else await deletePendingStep(step.key);
}

/** Only one tab sends at a time, in browsers with the Locks API. */
const withTabLock = <Result>(work: () => Promise<Result>): Promise<Result> =>
  navigator.locks ? navigator.locks.request("commonplace-steps", work) : work();

const isToSend = ({ refused, key }: PendingStep) => !refused && !sendingKeys.get().has(key);

/** Sends waiting steps in order, up to a time. Throws ApiError. */
async function sendStepsBefore(at: number): Promise<void> {
  await readPendingSteps();
  for (const step of pendingSteps.get().filter((one) => isToSend(one) && one.at < at))
    await sendInBackground(step);
}

/** Sends all waiting steps. Throws ApiError while the server cannot be reached. */
export async function sendPendingSteps(): Promise<void> {
  if (!confirmedAccount() || !pendingSteps.get().some(isToSend)) return;
  await withTabLock(() => sendStepsBefore(Number.POSITIVE_INFINITY));
}

/**
 * Sends a step after those already waiting. Without an answer it stays pending; without storage the request is retried.
 *
 * @returns the outcome, after which the caller drops the step; or `problem` if the step stays pending.
 * Throws ApiError when it is rejected
 */
export async function executeStep(step: PendingStep): Promise<StepOutcome | { problem: Error }> {
  sendingKeys.set(new Set(sendingKeys.get()).add(step.key));
  const isKept = await storeStep(step);
  try {
    if (isKept) {
      return await withTabLock(async () => {
        await sendStepsBefore(step.at);
        const outcome = await sendStep(step);
        // Otherwise another tab would send it again and get the same rejection.
        if (outcome.refused.length > 0) await deletePendingStep(step.key);
        return outcome;
      });
    }
    const changes: ChangeIds = [];
    const refused = await sendStepRequests(step.operations, (some) => memoriesApi.bulk(some, { changes }));
    return { refused, changes };
  } catch (problem) {
    if (isKept && isRetryable(problem)) {
      markNotSending(step.key);
      return { problem: problem as Error };
    }
    await deletePendingStep(step.key);
    throw problem;
  }
}

/** Withdraws a pending step. If the server may have applied it, it is undone once the server has answered. */
export async function withdrawStep(key: string): Promise<void> {
  const step = pendingSteps.get().find((one) => one.key === key);
  if (step?.isSent && !step.refused) await storeStep({ ...step, isWithdrawn: true });
  else await deletePendingStep(key);
}

export const usePendingSteps = pendingSteps.use;

/** Whether any step has to be sent, or sent and undone. */
export function useHasStepToSend(): boolean {
  const sending = sendingKeys.use();
  return pendingSteps.use().some(({ refused, key }) => !refused && !sending.has(key));
}

/** Steps that wait for the server or for the user. */
export function useWaitingSteps(): readonly PendingStep[] {
  const sending = sendingKeys.use();
  return pendingSteps.use().filter(({ key, isWithdrawn }) => !isWithdrawn && !sending.has(key));
}

channel.addEventListener("message", () => void readPendingSteps());
// As early as possible: pending steps must not look undone for a moment.
void readPendingSteps();
