import { changesNothing, statusAfter } from "../../../../src/contract/life-cycle.ts";
import { omit } from "../../../../src/contract/omit.ts";
import type { MemoryOperation } from "../../api/memories.ts";
import type { Action, ActionInfo } from "../../kit/actions.ts";
import { browserTimezone, dayInZone, shortDay } from "../../kit/dates.ts";
import { Archive, Check, CheckCheck, Clock, RotateCcw, SkipForward, Trash2 } from "../../kit/icons.tsx";
import {
  deletePendingStep,
  executeStep,
  newPendingStep,
  type PendingStep,
  type RejectedOperation,
  withdrawStep,
} from "../../state/pending-steps.ts";
import { cancelMemoryQueries, refreshMemoriesAfterPatch } from "../../state/queries.ts";
import { beginToast, type Toast, toast } from "../../state/toasts.ts";
import { type ChangeIds, undoChanges, undoOffer } from "../../state/undo.ts";
import { type OptimisticChange, showOptimistically } from "./optimistic-changes.ts";
import type { RecordItem } from "./row.ts";
import { applyToCachedLists } from "./save-fields.ts";

export type RecordStep =
  | { action: "resolve"; note?: string | undefined }
  | { action: "defer"; until: string | null }
  | { action: "skip" }
  | { action: "archive" | "confirm" | "reopen" | "delete" };

export type StepName = RecordStep["action"];

/** The steps, in the order of their buttons. `done`: the beginning of the message afterwards. */
export const RECORD_STEPS: Record<StepName, ActionInfo & { done: string }> = {
  resolve: { name: "Resolve", help: "Resolve, with a note", icon: Check, shortcut: "e", done: "Resolved" },
  defer: { name: "Defer", help: "Defer to a day", icon: Clock, shortcut: "d", done: "Deferred" },
  skip: { name: "Skip", help: "Skip this occurrence", icon: SkipForward, shortcut: "s", done: "Skipped" },
  confirm: { name: "Still true", icon: CheckCheck, shortcut: "c", done: "Confirmed" },
  reopen: { name: "Reopen", icon: RotateCcw, shortcut: "o", done: "Reopened" },
  archive: { name: "Archive", icon: Archive, shortcut: "a", done: "Archived" },
  delete: {
    name: "Move to trash",
    help: "Move to the trash",
    icon: Trash2,
    shortcut: "#",
    isDangerous: true,
    done: "Moved to the trash",
  },
};

/** Whether another occurrence follows a record, because it repeats and is still open. */
export const hasNextOccurrence = ({ repeat, status }: Pick<RecordItem, "repeat" | "status">): boolean =>
  Boolean(repeat) && (status === "active" || status === "deferred");

/** Whether a step would change something; a deferred record may be deferred to another day. */
export function canApplyStep(row: RecordItem, action: StepName): boolean {
  const { status } = row;
  if (action === "delete") return true;
  if (action === "skip") return hasNextOccurrence(row);
  return statusAfter(status, action) !== undefined && (action === "defer" || !changesNothing(status, action));
}

/** The steps that apply to at least one of the records; all steps if no records are given. */
export const recordActions = (
  run: (action: StepName) => void,
  rows?: readonly RecordItem[],
): (Action & { id: StepName })[] =>
  (Object.keys(RECORD_STEPS) as StepName[])
    .filter((action) => !rows || rows.some((row) => canApplyStep(row, action)))
    .map((action) => ({ ...RECORD_STEPS[action], id: action, run: () => run(action) }));

function operationOf(id: number, step: RecordStep): MemoryOperation {
  switch (step.action) {
    case "resolve":
      return { operation: "resolve", id, ...(step.note && { resolution_note: step.note }) };
    case "defer":
      return { operation: "defer", id, deferred_until: step.until };
    default:
      return { operation: step.action, id };
  }
}

/** The fields that a step changes. The new state is the same for every state that allows the step. */
function changeOf(step: RecordStep): OptimisticChange {
  if (step.action === "delete") return { deleted: true };
  if (step.action === "skip") return { status: "archived" };
  const status = statusAfter("active", step.action) ?? "active";
  if (step.action === "defer") return { status, deferred_until: step.until };
  return status === "active" ? { status, deferred_until: null, days_stale: undefined } : { status };
}

let latestAction: Promise<unknown> = Promise.resolve();

/** Runs an action after the ones before it: resolving a record again needs the answer to its reopening. */
export function runInOrder<Result>(action: () => Promise<Result>): Promise<Result> {
  const result = latestAction.then(action);
  latestAction = result.catch(() => undefined);
  return result;
}

const rowsText = (rows: readonly RecordItem[]) =>
  rows.length === 1 ? `“${rows[0]?.topic}”` : `${rows.length} records`;

/** Undoes a step, and shows the result before the server answers. */
async function undo(rows: readonly RecordItem[], changes: ChangeIds): Promise<void> {
  const endOptimistic = rows.map((row) => {
    const { status, deferred_until } = row;
    return showOptimistically([row], { status, ...(deferred_until !== undefined && { deferred_until }) });
  });
  // Lists requested after the step would hide the records again.
  await cancelMemoryQueries();
  await runInOrder(() => undoChanges(changes));
  for (const end of endOptimistic) end();
}

export const formatShortDay = (day: string) => shortDay(day, dayInZone(browserTimezone()));

/** " to Fri 27 Nov" if a record is deferred to a day. */
const deferredToText = (step: RecordStep) =>
  step.action === "defer" && step.until ? ` to ${formatShortDay(step.until)}` : "";

/** The next due day of a repeating record, if known. */
function nextDueText([row, ...more]: readonly RecordItem[], { action }: RecordStep): string {
  const next = more.length === 0 && (action === "resolve" || action === "skip") && row?.next_due?.[0];
  if (!next) return "";
  return `. Next: ${formatShortDay(next)}${row.due_time ? `, ${row.due_time}` : ""}`;
}

/** In the list of changes that wait, where these differ from the names of the steps. */
const VERBS: Partial<Record<StepName, string>> = { confirm: "Confirm", delete: "Move to the trash:" };

const waitingStep = (rows: readonly RecordItem[], step: RecordStep): Promise<PendingStep> =>
  newPendingStep({
    text: `${VERBS[step.action] ?? RECORD_STEPS[step.action].name} ${rowsText(rows)}`,
    operations: rows.map(({ id }) => operationOf(id, step)),
    rows,
    shown: omit(changeOf(step), "days_stale"),
  });

/** "Resolved", "Moved to the trash:" */
const doneText = ({ action }: RecordStep) => RECORD_STEPS[action].done + (action === "delete" ? ":" : "");

/** When a change that waits will be sent. */
export const syncTimeText = () => (navigator.onLine ? "when the server is back" : "when you’re back online");

const waitingToast = (rows: readonly RecordItem[], step: RecordStep, key: string): Toast => ({
  text: `${doneText(step)} ${rowsText(rows)}. It will sync ${syncTimeText()}.`,
  undo: () => void withdrawStep(key),
});

type StepOutcome = { rows: readonly RecordItem[]; refused: readonly RejectedOperation[]; changes: ChangeIds };

/** The toast of a step: what it did, and what was refused. `left`: how many rows did not allow it. */
function outcomeToast({ rows, refused, changes }: StepOutcome, step: RecordStep, left: number): Toast {
  const isRefused = (row: RecordItem) => refused.some(({ id }) => id === row.id);
  const changed = rows.filter((row) => !isRefused(row));
  const [first] = refused;
  const problem = first && `${rowsText(rows.filter(isRefused))}: ${first.detail}`;
  if (changed.length === 0) return { kind: "refused", text: problem ?? "" };
  const rest = left > 0 ? `, ${left} left unchanged` : "";
  const verb = doneText(step);
  const failure = problem ? `. Failed: ${problem}` : "";
  const to = deferredToText(step);
  const next = nextDueText(changed, step);
  const group = {
    name: `${step.action}${to}`,
    count: changed.length,
    text: (count: number) => `${verb} ${count} records${to}`,
  };
  return {
    text: `${verb} ${rowsText(changed)}${to}${next}${rest}${failure}`,
    ...(rest === "" && failure === "" && next === "" && { group }),
    ...undoOffer(changes, () => void undo(changed, changes)),
  };
}

/**
 * Applies a step to records. The result is shown before the server answers, and the toast offers to undo it. If the
 * server refuses the step for a record, the record is shown as it was, with the reason.
 *
 * @returns whether the step succeeded for all of them
 */
export async function applyStep(rows: readonly RecordItem[], step: RecordStep): Promise<boolean> {
  const able = rows.filter((row) => canApplyStep(row, step.action));
  if (able.length === 0) {
    toast({
      kind: "refused",
      text: `${rowsText(rows)} can’t be ${RECORD_STEPS[step.action].done.toLowerCase()} in its current state`,
    });
    return false;
  }
  const progressToast = beginToast();
  const changes: ChangeIds = [];
  const endOptimistic = showOptimistically(able, changeOf(step));
  try {
    const waiting = await waitingStep(able, step);
    const outcome = await runInOrder(() => executeStep(waiting));
    if ("problem" in outcome) {
      progressToast.end(waitingToast(able, step, waiting.key));
      return true;
    }
    const { refused } = outcome;
    changes.push(...outcome.changes);
    endOptimistic(refused.map(({ id }) => id));
    progressToast.end(outcomeToast({ rows: able, refused, changes }, step, rows.length - able.length));
    const refusedIds = new Set(refused.map(({ id }) => id));
    const changedIds = able.map(({ id }) => id).filter((id) => !refusedIds.has(id));
    applyToCachedLists(changedIds, changeOf(step));
    await refreshMemoriesAfterPatch();
    await deletePendingStep(waiting.key);
    return refused.length === 0;
  } catch (problem) {
    const text = `${rowsText(able)}: ${(problem as Error).message}`;
    progressToast.end({ kind: "refused", text, ...undoOffer(changes) });
    return false;
  } finally {
    endOptimistic();
  }
}
