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

/** Whether another one comes after a record, because it repeats. */
export const goesOn = ({ repeat, status }: Pick<Row, "repeat" | "status">): boolean =>
  Boolean(repeat) && (status === "active" || status === "deferred");

/** Whether a step would change something; what is deferred already may get another day. */
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

/** What a step makes of a record: the state is the same from wherever it is possible. */
function changeOf(step: Step): Change {
  if (step.action === "delete") return { deleted: true };
  if (step.action === "skip") return { status: "archived" };
  const status = stateAfter("active", step.action) ?? "active";
  if (step.action === "defer") return { status, deferred_until: step.until };
  return status === "active" ? { status, deferred_until: null, days_stale: undefined } : { status };
}

let latest: Promise<unknown> = Promise.resolve();

/**
 * Does something after what is under way: a step may need what the one before it does, such as a record that is resolved
 * again before its reopening is answered.
 */
export function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  const acting = latest.then(act);
  latest = acting.catch(() => undefined);
  return acting;
}

const named = (rows: readonly Row[]) =>
  rows.length === 1 ? `“${rows[0]?.topic}”` : `${rows.length} records`;

/** Takes a step back, which is shown at once. */
async function undo(rows: readonly Row[], changes: Changes): Promise<void> {
  const settles = rows.map((row) => {
    const { status, deferred_until } = row;
    return expect([row], { status, ...(deferred_until !== undefined && { deferred_until }) });
  });
  // Lists that were asked for after the step would show the records as gone once more.
  await cancelMemories();
  await inTurn(() => takeBack(changes));
  for (const settle of settles) settle();
}

export const dayWords = (day: string) => shortDay(day, dayIn(browserTimezone()));

/** Until when something is deferred, if that is known. */
const toDay = (step: Step) => (step.action === "defer" && step.until ? ` to ${dayWords(step.until)}` : "");

/** When what repeats comes again, as far as that is known. */
function nextOf([row, ...more]: readonly Row[], { action }: Step): string {
  const next = more.length === 0 && (action === "resolve" || action === "skip") && row?.next_due?.[0];
  if (!next) return "";
  return `. Next: ${dayWords(next)}${row.due_time ? `, ${row.due_time}` : ""}`;
}

const VERBS: Record<Step["action"], string> = {
  ...{ resolve: "Resolve", defer: "Defer", skip: "Skip", archive: "Archive" },
  ...{ confirm: "Confirm", reopen: "Reopen", delete: "Move to the trash:" },
};

/** A step as it waits. */
async function waitingOf(rows: readonly Row[], step: Step): Promise<WaitingStep> {
  const account = keptAccount() ?? (await knownMe()).id;
  const { days_stale: _, ...shown } = changeOf(step);
  return {
    ...{ key: randomId(), account, at: Date.now(), text: `${VERBS[step.action]} ${named(rows)}` },
    ...{ operations: rows.map(({ id }) => operationOf(id, step)), rows, shown },
  };
}

export const untilOf = () => (navigator.onLine ? "the service answers" : "there is a network");

/** What to tell of a step that waits. */
const keptMessage = (rows: readonly Row[], step: Step, key: string): Toast => ({
  text: `${step.action === "delete" ? `${DONE.delete}:` : DONE[step.action]} ${named(rows)}, kept here until ${untilOf()}`,
  undo: () => void withdrawStep(key),
});

type Taken = { rows: readonly Row[]; refused: readonly Refused[]; changes: Changes };

/** What to tell of a step: what it did, and what was refused. */
function messageOf({ rows, refused, changes }: Taken, step: Step, left: number): Toast {
  const isRefused = (row: Row) => refused.some(({ id }) => id === row.id);
  const taken = rows.filter((row) => !isRefused(row));
  const [first] = refused;
  const problem = first && `${named(rows.filter(isRefused))}: ${first.detail}`;
  if (taken.length === 0) return { kind: "refused", text: problem ?? "" };
  const rest = left > 0 ? `, ${left} left as ${left === 1 ? "it was" : "they were"}` : "";
  const words = step.action === "delete" ? `${DONE.delete}:` : DONE[step.action];
  const but = problem ? `. Refused: ${problem}` : "";
  const to = toDay(step);
  const next = nextOf(taken, step);
  const group = {
    ...{ name: `${step.action}${to}`, count: taken.length },
    text: (count: number) => `${words} ${count} records${to}`,
  };
  return {
    text: `${words} ${named(taken)}${to}${next}${rest}${but}`,
    ...(rest === "" && but === "" && next === "" && { group }),
    ...undoOf(changes, () => void undo(taken, changes)),
  };
}

/**
 * Takes a step with records. It is shown at once, and the toast offers to undo it; a record whose step is refused is shown
 * as it was, with the reason.
 *
 * @returns whether all of them took it
 */
export async function take(rows: readonly Row[], step: Step): Promise<boolean> {
  const able = rows.filter((row) => canTake(row, step.action));
  if (able.length === 0) {
    toast({ kind: "refused", text: `${named(rows)} cannot be ${DONE[step.action].toLowerCase()} from here` });
    return false;
  }
  const told = begin();
  const changes: Changes = [];
  const settle = expect(able, changeOf(step));
  try {
    const waiting = await waitingOf(able, step);
    const outcome = await inTurn(() => carryOut(waiting));
    if ("problem" in outcome) {
      told.end(keptMessage(able, step, waiting.key));
      return true;
    }
    const { refused } = outcome;
    changes.push(...outcome.changes);
    settle(refused.map(({ id }) => id));
    told.end(messageOf({ rows: able, refused, changes }, step, rows.length - able.length));
    const isRefused = (id: number) => refused.some((one) => one.id === id);
    showTaken(
      able.flatMap(({ id }) => (isRefused(id) ? [] : [id])),
      changeOf(step),
    );
    await refreshAroundMemories();
    await dropStep(waiting.key);
    return refused.length === 0;
  } catch (problem) {
    const text = `${named(able)}: ${(problem as Error).message}`;
    told.end({ kind: "refused", text, ...undoOf(changes) });
    return false;
  } finally {
    settle();
  }
}
