import { confirmedAccount, localAccount } from "../api/current-account.ts";
import { type Memory, type MemoryOperation, memoriesApi } from "../api/memories.ts";
import { randomId } from "../api/random-id.ts";
import { UserFacingError } from "../api/user-facing-error.ts";
import { trackBulkProgress } from "./bulk-progress.ts";
import { DISCARDED, isUnanswered } from "./outbox.ts";
import { type PendingStep, pendingSteps } from "./pending-steps.ts";
import { ensureMe, refreshMemories } from "./queries.ts";
import { hasTag } from "./tags.ts";
import type { ChangeIds } from "./undo.ts";

// Sends the actions on records. Not needed before the first of them is taken.

export type RejectedOperation = { id: number; detail: string };
/** `unsent`: the records that the user left unchanged by stopping the step. */
type SentStep = { refused: RejectedOperation[]; unsent: number[] };
export type StepOutcome = SentStep & { changes: ChangeIds };

const MAX_OPERATIONS = 100;
const DAY_MS = 86_400_000;

/** Throws ApiError if the account is unknown. */
export const newPendingStep = async (step: Omit<PendingStep, "key" | "account">): Promise<PendingStep> => ({
  key: randomId(),
  account: localAccount() ?? (await ensureMe()).id,
  ...step,
});

/** Drops a step whose outcome was shown. */
export async function deletePendingStep(key: string): Promise<void> {
  await pendingSteps.remove(key);
  pendingSteps.endSending(key);
}

/**
 * Keeps a step while it is undone. After a reload it is sent again, which only tells what it changed, and the rest is undone, too.
 * The caller drops it.
 *
 * @param count of its operations that were sent
 */
export async function keepWithdrawn({ movedFrom: _, ...step }: PendingStep, count: number): Promise<void> {
  const { key, text, operations } = step;
  if (!pendingSteps.isSending(key)) pendingSteps.markSending(key);
  const sent = { operations: operations.slice(0, count), isSent: true, isWithdrawn: true };
  await pendingSteps.write([{ ...step, ...sent, text: `Undo: ${text}` }]);
}

/** A step without the operations that follow. */
function cutStep({ text, operations, rows, movedFrom }: PendingStep, count: number): Partial<PendingStep> {
  return {
    text: `${text}: stopped after ${count.toLocaleString("en")}`,
    operations: operations.slice(0, count),
    rows: rows.slice(0, count),
    ...(Array.isArray(movedFrom) && { movedFrom: movedFrom.slice(0, count) }),
  };
}

/**
 * Sends the requests of a step, a hundred operations each. Throws ApiError.
 *
 * @param onStop if the user may stop it: called with the number of operations that are sent
 */
async function sendStepRequests(
  { text, operations, rows }: PendingStep,
  bulk: (some: MemoryOperation[], part: number) => ReturnType<typeof memoriesApi.bulk>,
  onStop?: (count: number) => unknown,
): Promise<SentStep> {
  const total = operations.length;
  const refused: RejectedOperation[] = [];
  const progress = trackBulkProgress();
  let end = total;
  let done = 0;
  const stop = () => {
    end = done + MAX_OPERATIONS;
    progress.show({ text: `${text}: stopping…`, done, total });
    onStop?.(end);
  };
  try {
    while (done < end) {
      if (total > MAX_OPERATIONS) progress.show({ text, done, total, ...(onStop && { stop }) });
      const { results } = await bulk(operations.slice(done, done + MAX_OPERATIONS), done);
      for (const { ok, id = 0, detail = "Rejected" } of results) if (!ok) refused.push({ id, detail });
      done += MAX_OPERATIONS;
    }
  } finally {
    progress.hide();
  }
  return { refused, unsent: rows.slice(done).map(({ id }) => id) };
}

async function sendStep(
  step: PendingStep,
  changes: ChangeIds,
  onStop?: (count: number) => unknown,
): Promise<SentStep> {
  const { key, account, isSent } = step;
  const isKept = isSent || !navigator.onLine || (await pendingSteps.update(key, { isSent: true }));
  if (!isKept) throw new UserFacingError(DISCARDED);
  const send = (some: MemoryOperation[], part: number) =>
    memoriesApi.bulkOnce(some, { idempotencyKey: `${key}:${part}`, account, changes });
  return sendStepRequests(step, send, onStop);
}

const fullDay = (day: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" }).format(
    new Date(`${day}T00:00Z`),
  );

const dueText = (due: string | null) => (due ? `now due on ${fullDay(due)}` : "now without a date");

/** The records of a step as the server has them; of many, only those that may have changed since. */
async function readRows({ rows, at }: PendingStep): Promise<Memory[]> {
  const [one] = rows;
  if (rows.length === 1 && one) return [await memoriesApi.get(one.id)];
  // The clock of this device may be wrong.
  const updated_after = new Date(at - DAY_MS).toISOString();
  const changed: Memory[] = [];
  for (let total = 1; changed.length < total; ) {
    const page = await memoriesApi.list({
      updated_after,
      limit: 100,
      offset: changed.length,
      content_length: 0,
    });
    if (page.items.length === 0) break;
    changed.push(...page.items);
    total = page.total;
  }
  return changed;
}

/** Why a pending change of due dates is rejected: one of them was changed elsewhere in the meantime. */
async function rejectedMove(step: PendingStep): Promise<string | undefined> {
  const { movedFrom, shown, rows } = step;
  if (movedFrom === undefined) return undefined;
  const before = new Map(rows.map(({ id }, place) => [id, [movedFrom].flat()[place]]));
  const moved = (await readRows(step)).find(
    ({ id, due_date }) => before.has(id) && due_date !== before.get(id) && due_date !== shown.due_date,
  );
  if (!moved) return undefined;
  const whose = rows.length === 1 ? "Its date" : `The date of “${moved.topic}”`;
  return `${whose} was changed in the meantime: ${dueText(moved.due_date)}`;
}

/** A step that adds a tag, with the tags that the records have by now. */
async function withCurrentTags(step: PendingStep): Promise<PendingStep> {
  const { added_tag: tag } = step.shown;
  // A request that may have arrived is repeated as it was.
  if (tag === undefined || step.isSent) return step;
  const tags = new Map((await readRows(step)).map((record) => [record.id, record.tags]));
  const operations = step.operations.map((one) => {
    const current = one.operation === "update" ? tags.get(one.id) : undefined;
    return current ? { ...one, tags: hasTag(current, tag) ? current : [...current, tag] } : one;
  });
  await pendingSteps.update(step.key, { operations });
  return { ...step, operations };
}

/** Sends waiting steps in order, up to a time. Throws ApiError. */
const sendStepsBefore = (at?: number): Promise<void> =>
  pendingSteps.sendWaiting(
    {
      send: async (step, changes) =>
        (await rejectedMove(step)) ??
        (await sendStep(await withCurrentTags(step), changes)).refused[0]?.detail,
      refresh: refreshMemories,
    },
    at,
  );

/** Sends all waiting steps. Throws ApiError while the server cannot be reached. */
export async function sendPendingSteps(): Promise<void> {
  if (confirmedAccount() && pendingSteps.hasToSend()) await pendingSteps.exclusively(sendStepsBefore);
}

/**
 * Sends a step after those already waiting. Without an answer it stays pending; without storage the request is retried.
 *
 * @returns the outcome, after which the caller drops the step; or `problem` if the step stays pending, without what the user
 * stopped.
 * Throws ApiError when it is rejected
 */
export async function executeStep(
  step: PendingStep,
): Promise<StepOutcome | { problem: Error; unsent: number[] }> {
  pendingSteps.markSending(step.key);
  const isStored = await pendingSteps.write([step]);
  const changes: ChangeIds = [];
  const sendAlone = () =>
    sendStepRequests(
      step,
      (some) => memoriesApi.bulk(some, { changes }),
      () => {},
    );
  let unsent: number[] = [];
  // Kept at once: without an answer, or after a reload, the step is sent again.
  const stop = (count: number) => {
    unsent = step.rows.slice(count).map(({ id }) => id);
    void pendingSteps.update(step.key, cutStep(step, count));
  };
  try {
    if (!isStored) return { ...(await sendAlone()), changes };
    return await pendingSteps.exclusively(async () => {
      await sendStepsBefore(step.at);
      const sent = await sendStep(step, changes, stop);
      // Otherwise another tab would send it again and get the same rejection, or send what was stopped.
      if (sent.refused.length + sent.unsent.length > 0) await deletePendingStep(step.key);
      return { ...sent, changes };
    });
  } catch (problem) {
    if (isStored && isUnanswered(problem)) {
      pendingSteps.endSending(step.key);
      return { problem: problem as Error, unsent };
    }
    await deletePendingStep(step.key);
    throw problem;
  }
}

/** Withdraws a pending step. If the server may have applied it, it is undone once the server has answered. */
export async function withdrawStep(key: string): Promise<void> {
  const step = pendingSteps.find(key);
  if (step?.isSent && !step.refused) await pendingSteps.update(key, { isWithdrawn: true });
  else await deletePendingStep(key);
}
