import { changesNothing, stateAfter } from "../../../../src/contract/life-cycle.ts";
import { keptAccount } from "../../api/holder.ts";
import type { MemoryOperation } from "../../api/memories.ts";
import { randomId } from "../../api/random-id.ts";
import { browserTimezone, dayIn, shortDay } from "../../kit/dates.ts";
import { cancelMemories, knownMe, refreshAroundMemories } from "../../state/queries.ts";
import { begin, type Toast, toast } from "../../state/toasts.ts";
import { type Changes, takeBack, undoOf } from "../../state/undo.ts";
import {
  carryOut,
  dropStep,
  type Refused,
  type WaitingStep,
  withdrawStep,
} from "../../state/waiting-steps.ts";
import { showTaken } from "./change.ts";
import { type Change, expect } from "./pending.ts";
import type { Row } from "./row.ts";

/** An action on records. */
export type Step =
  | { action: "resolve"; note?: string | undefined }
  | { action: "defer"; until: string | null; note?: string | undefined }
  | { action: "skip" }
  | { action: "archive" | "confirm" | "reopen" | "delete" };

const DONE = {
  resolve: "Resolved",
  defer: "Deferred",
  skip: "Skipped",
  archive: "Archived",
  confirm: "Confirmed",
  reopen: "Reopened",
  delete: "Moved to the trash",
} as const;

/** Whether another occurrence follows a record, because it repeats and is still open. */
export const goesOn = ({ repeat, status }: Pick<Row, "repeat" | "status">): boolean =>
  Boolean(repeat) && (status === "active" || status === "deferred");

/** Whether a step would change something; a deferred record may be deferred to another day. */
export function canTake(row: Row, action: Step["action"]): boolean {
  const { status } = row;
  if (action === "delete") return true;
  if (action === "skip") return goesOn(row);
  return stateAfter(status, action) !== undefined && (action === "defer" || !changesNothing(status, action));
}

function operationOf(id: number, step: Step): MemoryOperation {
  switch (step.action) {
    case "resolve":
      return { operation: "resolve", id, ...(step.note && { resolution_note: step.note }) };
    case "defer":
      return {
        operation: "defer",
        id,
        deferred_until: step.until,
        ...(step.note && { note: step.note }),
      };
    default:
      return { operation: step.action, id };
  }
}

/** The fields that a step changes. The new state is the same for every state that allows the step. */
function changeOf(step: Step): Change {
  if (step.action === "delete") return { deleted: true };
  if (step.action === "skip") return { status: "archived" };
  const status = stateAfter("active", step.action) ?? "active";
  if (step.action === "defer") return { status, deferred_until: step.until };
  return status === "active" ? { status, deferred_until: null, days_stale: undefined } : { status };
}

let latestAction: Promise<unknown> = Promise.resolve();

/** Runs an action after the ones before it: resolving a record again needs the answer to its reopening. */
export function inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
  const result = latestAction.then(action);
  latestAction = result.catch(() => undefined);
  return result;
}

const rowsText = (rows: readonly Row[]) =>
  rows.length === 1 ? `“${rows[0]?.topic}”` : `${rows.length} records`;

/** Undoes a step, and shows the result before the server answers. */
async function undo(rows: readonly Row[], changes: Changes): Promise<void> {
  const endOptimistic = rows.map((row) => {
    const { status, deferred_until } = row;
    return expect([row], { status, ...(deferred_until !== undefined && { deferred_until }) });
  });
  // Lists requested after the step would hide the records again.
  await cancelMemories();
  await inTurn(() => takeBack(changes));
  for (const end of endOptimistic) end();
}

export const dayWords = (day: string) => shortDay(day, dayIn(browserTimezone()));

/** " to Fri 27 Nov" if a record is deferred to a day. */
const deferredToText = (step: Step) =>
  step.action === "defer" && step.until ? ` to ${dayWords(step.until)}` : "";

/** The next due day of a repeating record, if known. */
function nextDueText([row, ...more]: readonly Row[], { action }: Step): string {
  const next = more.length === 0 && (action === "resolve" || action === "skip") && row?.next_due?.[0];
  if (!next) return "";
  return `. Next: ${dayWords(next)}${row.due_time ? `, ${row.due_time}` : ""}`;
}

const VERBS: Record<Step["action"], string> = {
  resolve: "Resolve",
  defer: "Defer",
  skip: "Skip",
  archive: "Archive",
  confirm: "Confirm",
  reopen: "Reopen",
  delete: "Move to the trash:",
};

/** The step in the form in which it waits to be sent. */
async function waitingStep(rows: readonly Row[], step: Step): Promise<WaitingStep> {
  const account = keptAccount() ?? (await knownMe()).id;
  const { days_stale: _, ...shown } = changeOf(step);
  return {
    key: randomId(),
    account,
    at: Date.now(),
    text: `${VERBS[step.action]} ${rowsText(rows)}`,
    operations: rows.map(({ id }) => operationOf(id, step)),
    rows,
    shown,
  };
}

/** When a change that waits will be sent. */
export const untilOf = () => (navigator.onLine ? "when the server is back" : "when you’re back online");

/** The toast of a step that waits to be sent. */
const waitingToast = (rows: readonly Row[], step: Step, key: string): Toast => ({
  text: `${step.action === "delete" ? `${DONE.delete}:` : DONE[step.action]} ${rowsText(rows)}. It will sync ${untilOf()}.`,
  undo: () => void withdrawStep(key),
});

type StepOutcome = { rows: readonly Row[]; refused: readonly Refused[]; changes: Changes };

/** The toast of a step: what it did, and what was refused. `left`: how many rows did not allow it. */
function outcomeToast({ rows, refused, changes }: StepOutcome, step: Step, left: number): Toast {
  const isRefused = (row: Row) => refused.some(({ id }) => id === row.id);
  const changed = rows.filter((row) => !isRefused(row));
  const [first] = refused;
  const problem = first && `${rowsText(rows.filter(isRefused))}: ${first.detail}`;
  if (changed.length === 0) return { kind: "refused", text: problem ?? "" };
  const rest = left > 0 ? `, ${left} left unchanged` : "";
  const verb = step.action === "delete" ? `${DONE.delete}:` : DONE[step.action];
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
    ...undoOf(changes, () => void undo(changed, changes)),
  };
}

/**
 * Applies a step to records. The result is shown before the server answers, and the toast offers to undo it. If the
 * server refuses the step for a record, the record is shown as it was, with the reason.
 *
 * @returns whether the step succeeded for all of them
 */
export async function take(rows: readonly Row[], step: Step): Promise<boolean> {
  const able = rows.filter((row) => canTake(row, step.action));
  if (able.length === 0) {
    toast({
      kind: "refused",
      text: `${rowsText(rows)} can’t be ${DONE[step.action].toLowerCase()} in its current state`,
    });
    return false;
  }
  const progressToast = begin();
  const changes: Changes = [];
  const endOptimistic = expect(able, changeOf(step));
  try {
    const waiting = await waitingStep(able, step);
    const outcome = await inTurn(() => carryOut(waiting));
    if ("problem" in outcome) {
      progressToast.end(waitingToast(able, step, waiting.key));
      return true;
    }
    const { refused } = outcome;
    changes.push(...outcome.changes);
    endOptimistic(refused.map(({ id }) => id));
    progressToast.end(outcomeToast({ rows: able, refused, changes }, step, rows.length - able.length));
    const isRefused = (id: number) => refused.some((one) => one.id === id);
    showTaken(
      able.flatMap(({ id }) => (isRefused(id) ? [] : [id])),
      changeOf(step),
    );
    await refreshAroundMemories();
    await dropStep(waiting.key);
    return refused.length === 0;
  } catch (problem) {
    const text = `${rowsText(able)}: ${(problem as Error).message}`;
    progressToast.end({ kind: "refused", text, ...undoOf(changes) });
    return false;
  } finally {
    endOptimistic();
  }
}
