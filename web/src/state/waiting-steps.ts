import { createStore, del, delMany, values } from "idb-keyval";
import { keptAccount, knownAccount } from "../api/holder.ts";
import { type Memory, type MemoryOperation, memoriesApi } from "../api/memories.ts";
import { isApiError, isPassing } from "../api/request.ts";
import { set } from "./keep.ts";
import { refreshMemories } from "./queries.ts";
import { storeOf } from "./store.ts";
import { type Changes, takeBack } from "./undo.ts";

// Pending actions on records: resolve, defer, archive … Each is stored in the browser first, with the key of its requests, and
// removed when the server has answered. Pending actions are shown as if they were done.

/** The fields of a record that a step changes, for its preview. */
export type Shown = Partial<Pick<Memory, "status" | "deferred_until" | "due_date">> & {
  days_stale?: undefined;
  deleted?: true;
};

export type WaitingStep = {
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
  shown: Shown;
  /** If it changes a due date: the previous one. */
  movedFrom?: string | null;
  /** Whether the server may have applied it. */
  isSent?: boolean;
  /** Whether to undo it once the server has answered. */
  isWithdrawn?: boolean;
  /** Why the server rejected it; shown until it is dismissed. */
  refused?: string;
};

export type Refused = { id: number; detail: string };
export type Outcome = { refused: Refused[]; changes: Changes };

const MAX_OPERATIONS = 100;

const store = createStore("commonplace-steps", "steps");
const others = new BroadcastChannel("commonplace-steps");
const all = storeOf<readonly WaitingStep[]>([]);
/** Keys of the steps that this tab is sending. Their caller shows the outcome, then drops them. */
const underWay = storeOf<ReadonlySet<string>>(new Set());
const isNoLongerUnderWay = (key: string) =>
  underWay.set(new Set([...underWay.get()].filter((one) => one !== key)));

/** Reads the pending steps of the account. */
export async function readSteps(): Promise<void> {
  const kept = await values<WaitingStep>(store).catch(() => [...all.get()]);
  all.set(kept.filter(({ account }) => account === keptAccount()).sort((one, other) => one.at - other.at));
}

/** Returns whether the browser stored it. */
async function put(step: WaitingStep): Promise<boolean> {
  const isKept = await set(step.key, step, store).then(
    () => true,
    () => false,
  );
  if (isKept) await readSteps();
  others.postMessage("changed");
  return isKept;
}

export async function dropStep(key: string): Promise<void> {
  await del(key, store).catch(() => undefined);
  await readSteps();
  isNoLongerUnderWay(key);
  others.postMessage("changed");
}

/** Deletes the steps of an account, sent or not. */
export async function forgetSteps(account: string): Promise<void> {
  const its = (await values<WaitingStep>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await readSteps();
}

/** Sends the requests of a step, a hundred operations each. Throws ApiError. */
export async function requestStep(
  operations: MemoryOperation[],
  bulk: (some: MemoryOperation[], part: number) => ReturnType<typeof memoriesApi.bulk>,
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < operations.length; start += MAX_OPERATIONS) {
    const { results } = await bulk(operations.slice(start, start + MAX_OPERATIONS), start);
    for (const { ok, id = 0, detail = "Rejected" } of results) if (!ok) refused.push({ id, detail });
  }
  return refused;
}

/** Sends a stored step. Its key makes retries safe. Throws ApiError. */
async function send(step: WaitingStep): Promise<Outcome> {
  const { key, account, operations } = step;
  if (!step.isSent && navigator.onLine) await put({ ...step, isSent: true });
  const changes: Changes = [];
  const refused = await requestStep(operations, (some, part) =>
    memoriesApi.bulkOnce(some, { idempotencyKey: `${key}:${part}`, account, changes }),
  );
  return { refused, changes };
}

const mayPass = (problem: unknown) => isPassing(problem) || isApiError(problem, 409);

const fullDay = (day: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" }).format(
    new Date(`${day}T00:00Z`),
  );

/** Rejects a pending change of a due date if the date was changed elsewhere in the meantime. */
async function movedBySomebody({ movedFrom, shown, rows: [row] }: WaitingStep): Promise<Outcome | undefined> {
  if (movedFrom === undefined || !row) return undefined;
  const { due_date } = await memoriesApi.get(row.id);
  if (due_date === movedFrom || due_date === shown.due_date) return undefined;
  const now = due_date ? `now due on ${fullDay(due_date)}` : "now without a date";
  return { refused: [{ id: row.id, detail: `Its date was changed in the meantime: ${now}` }], changes: [] };
}

const sendUnlessMoved = async (step: WaitingStep): Promise<Outcome> =>
  (await movedBySomebody(step)) ?? send(step);

/** Sends a step that no caller is waiting for. */
async function sendLate(step: WaitingStep): Promise<void> {
  const { refused, changes } = await sendUnlessMoved(step).catch((problem: unknown): Outcome => {
    if (mayPass(problem)) throw problem;
    return { refused: [{ id: 0, detail: (problem as Error).message }], changes: [] };
  });
  if (all.get().find(({ key }) => key === step.key)?.isWithdrawn) {
    if (changes.length > 0) await takeBack(changes);
    return dropStep(step.key);
  }
  await refreshMemories();
  const [first] = refused;
  if (first) await put({ ...step, refused: first.detail });
  else await dropStep(step.key);
}

/** Only one tab sends at a time, in browsers with the Locks API. */
const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
  navigator.locks ? navigator.locks.request("commonplace-steps", work) : work();

const isToSend = ({ refused, key }: WaitingStep) => !refused && !underWay.get().has(key);

/** Sends waiting steps in order, up to a time. Throws ApiError. */
async function sendBefore(at: number): Promise<void> {
  await readSteps();
  for (const step of all.get().filter((one) => isToSend(one) && one.at < at)) await sendLate(step);
}

/** Sends all waiting steps. Throws ApiError while the server cannot be reached. */
export async function sendSteps(): Promise<void> {
  if (!knownAccount() || !all.get().some(isToSend)) return;
  await alone(() => sendBefore(Number.POSITIVE_INFINITY));
}

/**
 * Sends a step after those already waiting. Without an answer it stays pending; without storage the request is retried.
 *
 * @returns the outcome, after which the caller drops the step; or `problem` if the step stays pending.
 * Throws ApiError when it is rejected
 */
export async function carryOut(step: WaitingStep): Promise<Outcome | { problem: Error }> {
  underWay.set(new Set(underWay.get()).add(step.key));
  const isKept = await put(step);
  try {
    if (isKept) {
      return await alone(async () => {
        await sendBefore(step.at);
        const outcome = await send(step);
        // Otherwise another tab would send it again and get the same rejection.
        if (outcome.refused.length > 0) await dropStep(step.key);
        return outcome;
      });
    }
    const changes: Changes = [];
    const refused = await requestStep(step.operations, (some) => memoriesApi.bulk(some, { changes }));
    return { refused, changes };
  } catch (problem) {
    if (isKept && mayPass(problem)) {
      isNoLongerUnderWay(step.key);
      return { problem: problem as Error };
    }
    await dropStep(step.key);
    throw problem;
  }
}

/** Withdraws a pending step. If the server may have applied it, it is undone once the server has answered. */
export async function withdrawStep(key: string): Promise<void> {
  const step = all.get().find((one) => one.key === key);
  if (step?.isSent && !step.refused) await put({ ...step, isWithdrawn: true });
  else await dropStep(key);
}

export const useSteps = all.use;

/** Whether any step has to be sent, or sent and undone. */
export function useIsStepToSend(): boolean {
  const sending = underWay.use();
  return all.use().some(({ refused, key }) => !refused && !sending.has(key));
}

/** Steps that wait for the server or for the user. */
export function useWaitingSteps(): readonly WaitingStep[] {
  const sending = underWay.use();
  return all.use().filter(({ key, isWithdrawn }) => !isWithdrawn && !sending.has(key));
}

others.addEventListener("message", () => void readSteps());
// As early as possible: pending steps must not look undone for a moment.
void readSteps();
