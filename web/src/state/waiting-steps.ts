import { createStore, del, delMany, values } from "idb-keyval";
import { keptAccount, knownAccount } from "../api/holder.ts";
import { type Memory, type MemoryOperation, memoriesApi } from "../api/memories.ts";
import { isApiError, isPassing } from "../api/request.ts";
import { set } from "./keep.ts";
import { refreshMemories } from "./queries.ts";
import { storeOf } from "./store.ts";
import { type Changes, takeBack } from "./undo.ts";

// Steps with records on their way to the service: resolved, deferred, archived … Each is written down in the browser first,
// with the key of its requests, and removed when the service has answered. What waits is shown as if it were done.

/** What a step makes of a record. */
export type Shown = Partial<Pick<Memory, "status" | "deferred_until" | "due_date">> & {
  days_stale?: undefined;
  deleted?: true;
};

export type WaitingStep = {
  key: string;
  /** The account that it belongs to. */
  account: string;
  /** When it was taken, in milliseconds. */
  at: number;
  /** "Resolve “Send the slides”" */
  text: string;
  operations: MemoryOperation[];
  /** The records as they were. */
  rows: readonly { id: number }[];
  shown: Shown;
  /** Of a record that is moved to another day: the day on which it was due. */
  movedFrom?: string | null;
  /** Whether the service may have carried it out. */
  isSent?: boolean;
  /** Whether it is to be undone once the service has said what became of it. */
  isWithdrawn?: boolean;
  /** Why the service refused it: it waits until somebody has read that. */
  refused?: string;
};

export type Refused = { id: number; detail: string };
export type Outcome = { refused: Refused[]; changes: Changes };

const MAX_OPERATIONS = 100;

const store = createStore("commonplace-steps", "steps");
const others = new BroadcastChannel("commonplace-steps");
const all = storeOf<readonly WaitingStep[]>([]);
/** What this tab is sending, whose outcome is told by who took it, until that has dropped it. */
const underWay = storeOf<ReadonlySet<string>>(new Set());
const isNoLongerUnderWay = (key: string) =>
  underWay.set(new Set([...underWay.get()].filter((one) => one !== key)));

/** Reads what waits of the account that is signed in. */
export async function readSteps(): Promise<void> {
  const kept = await values<WaitingStep>(store).catch(() => [...all.get()]);
  all.set(kept.filter(({ account }) => account === keptAccount()).sort((one, other) => one.at - other.at));
}

/** Returns whether the browser keeps it. */
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

/** Forgets the steps of an account, sent or not. */
export async function forgetSteps(account: string): Promise<void> {
  const its = (await values<WaitingStep>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await readSteps();
}

/** Sends the requests of a step, a hundred operations in each. Throws ApiError. */
export async function requestStep(
  operations: MemoryOperation[],
  bulk: (some: MemoryOperation[], part: number) => ReturnType<typeof memoriesApi.bulk>,
): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < operations.length; start += MAX_OPERATIONS) {
    const { results } = await bulk(operations.slice(start, start + MAX_OPERATIONS), start);
    for (const { ok, id = 0, detail = "Refused" } of results) if (!ok) refused.push({ id, detail });
  }
  return refused;
}

/** Sends a step that is kept: repeated, it is carried out once. Throws ApiError. */
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

/** Who has moved a record meanwhile that waits to be moved: then it stays where it is. */
async function movedBySomebody({ movedFrom, shown, rows: [row] }: WaitingStep): Promise<Outcome | undefined> {
  if (movedFrom === undefined || !row) return undefined;
  const { due_date } = await memoriesApi.get(row.id);
  if (due_date === movedFrom || due_date === shown.due_date) return undefined;
  const now = due_date ? `it is due on ${fullDay(due_date)}` : "it has no date";
  return { refused: [{ id: row.id, detail: `Somebody moved it meanwhile: ${now}` }], changes: [] };
}

const sendUnlessMoved = async (step: WaitingStep): Promise<Outcome> =>
  (await movedBySomebody(step)) ?? send(step);

/** Sends what nobody waits for. */
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

/** One tab at a time, where the browser can tell. */
const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
  navigator.locks ? navigator.locks.request("commonplace-steps", work) : work();

const isToSend = ({ refused, key }: WaitingStep) => !refused && !underWay.get().has(key);

/** Sends what waits, in the order in which it was taken, up to one of them. Throws ApiError. */
async function sendBefore(at: number): Promise<void> {
  await readSteps();
  for (const step of all.get().filter((one) => isToSend(one) && one.at < at)) await sendLate(step);
}

/** Sends what waits. Throws ApiError while the service does not answer. */
export async function sendSteps(): Promise<void> {
  if (!knownAccount() || !all.get().some(isToSend)) return;
  await alone(() => sendBefore(Number.POSITIVE_INFINITY));
}

/**
 * Sends a step after those that wait. Without an answer it waits itself; a browser that keeps nothing goes on asking.
 *
 * @returns what became of it, after which it is to be dropped; `problem`: it is kept here until the service answers.
 * Throws ApiError when it is refused
 */
export async function carryOut(step: WaitingStep): Promise<Outcome | { problem: Error }> {
  underWay.set(new Set(underWay.get()).add(step.key));
  const isKept = await put(step);
  try {
    if (isKept) {
      return await alone(async () => {
        await sendBefore(step.at);
        const outcome = await send(step);
        // Another tab would send it once more, to hear the same.
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

/** Takes back what waits; what the service may have is undone as soon as it has said so. */
export async function withdrawStep(key: string): Promise<void> {
  const step = all.get().find((one) => one.key === key);
  if (step?.isSent && !step.refused) await put({ ...step, isWithdrawn: true });
  else await dropStep(key);
}

export const useSteps = all.use;

/** Whether one is to be sent, or to be sent and undone. */
export function useIsStepToSend(): boolean {
  const sending = underWay.use();
  return all.use().some(({ refused, key }) => !refused && !sending.has(key));
}

/** Those that wait for the service, or for somebody. */
export function useWaitingSteps(): readonly WaitingStep[] {
  const sending = underWay.use();
  return all.use().filter(({ key, isWithdrawn }) => !isWithdrawn && !sending.has(key));
}

others.addEventListener("message", () => void readSteps());
// As early as possible: what was done must not be seen undone for a moment.
void readSteps();
