import { browserTimezone, dayInZone, shortDay } from "../../kit/dates.ts";
import { formatCount } from "../../kit/text.ts";
import { type PendingStep, pendingSteps } from "../../state/pending-steps.ts";
import { cancelMemoryQueries, refreshMemories, refreshMemoriesAfterPatch } from "../../state/queries.ts";
import { readRecord } from "../../state/read-records.ts";
import {
  deletePendingStep,
  executeStep,
  keepWithdrawn,
  newPendingStep,
  type RejectedOperation,
  withdrawStep,
} from "../../state/send-steps.ts";
import { hasTag } from "../../state/tags.ts";
import { beginToast, type Toast } from "../../state/toasts.ts";
import { type ChangeIds, undoChanges, undoOffer } from "../../state/undo.ts";
import { TYPE_NAMES } from "../things/names.ts";
import { showOptimistically } from "./optimistic-changes.ts";
import type { RecordItem } from "./row.ts";
import { applyToCachedLists } from "./save-fields.ts";
import {
  canApplyStep,
  hasNextOccurrence,
  RECORD_STEPS,
  type RecordStep,
  type StepName,
} from "./step-actions.ts";
import { changeOf, operationOf } from "./step-requests.ts";

/** Loaded with the steps, which a swipe applies. */
export { rowSwipe } from "./swipe.ts";

let latestAction: Promise<unknown> = Promise.resolve();

/** Settles with the latest action. */
export const latestStep = (): Promise<unknown> => latestAction;

/** Gives an action its place after the ones before it: resolving a record again needs the answer to its reopening. */
function takeTurn() {
  const before = latestAction;
  const { promise, resolve: end } = Promise.withResolvers<void>();
  latestAction = before.then(() => promise);
  return { at: Date.now(), before, end };
}
type Turn = ReturnType<typeof takeTurn>;

const rowsText = (rows: readonly RecordItem[]) =>
  rows.length === 1 ? `“${rows[0]?.topic}”` : `${formatCount(rows.length)} records`;

/** The fields that a step may have changed, as they were. */
const fieldsBefore = ({ id: _, days_stale: __, ...row }: RecordItem) => row;

/** Undoes what a step changed, and shows the result before the server answers. */
async function undo(changed: readonly RecordItem[], { rows, changes, sent }: StepOutcome): Promise<void> {
  const endOptimistic = changed.map((row) => showOptimistically([row], fieldsBefore(row)));
  // Lists requested after the step would hide the records again.
  const turn = takeTurn();
  await Promise.all([cancelMemoryQueries(), turn.before, keepWithdrawn(sent, rows.length)])
    .then(() => undoChanges(changes))
    .then((isDone) => (isDone ? deletePendingStep(sent.key) : undefined))
    .finally(turn.end);
  for (const end of endOptimistic) end();
}

const formatShortDay = (day: string) => shortDay(day, dayInZone(browserTimezone()));

/** What a step changes records to: " to Fri 27 Nov" */
function targetText(step: RecordStep): string {
  switch (step.action) {
    case "defer":
      return step.until ? ` to ${formatShortDay(step.until)}` : "";
    case "reschedule":
      return step.day ? ` to ${formatShortDay(step.day)}` : " to no date";
    case "project":
      return step.project ? ` to ${step.project}` : " out of the project";
    case "tag":
      return ` #${step.tag}`;
    case "type":
      return ` to ${TYPE_NAMES[step.type].toLowerCase()}`;
    default:
      return "";
  }
}

/** The next due day of a repeating record, if known. */
function nextDueText([row, ...more]: readonly RecordItem[], { action }: RecordStep): string {
  const next = more.length === 0 && (action === "resolve" || action === "skip") && row?.next_due?.[0];
  if (!next) return "";
  return `. Next: ${formatShortDay(next)}${row.due_time ? `, ${row.due_time}` : ""}`;
}

/** In the list of changes that wait, where these differ from the names of the steps. */
const VERBS: Partial<Record<StepName, string>> = {
  reschedule: "Move",
  confirm: "Confirm",
  project: "Move",
  tag: "Tag",
  type: "Change",
  delete: "Move to the trash:",
};

const waitingStep = (rows: readonly RecordItem[], step: RecordStep, at: number): Promise<PendingStep> =>
  newPendingStep({
    at,
    text: `${VERBS[step.action] ?? RECORD_STEPS[step.action].name} ${rowsText(rows)}${targetText(step)}`,
    operations: rows.map((row) => operationOf(row, step)),
    rows,
    shown: changeOf(step),
    ...(step.action === "reschedule" && { movedFrom: rows.map(({ due_date }) => due_date) }),
  });

/** "Resolved", "Moved to the trash:" */
const doneText = ({ action }: RecordStep) => RECORD_STEPS[action].done + (action === "delete" ? ":" : "");

/** When a change that waits will be sent. */
const syncTimeText = () => (navigator.onLine ? "when the server is back" : "when you’re back online");

const waitingToast = (rows: readonly RecordItem[], step: RecordStep, key: string): Toast => ({
  text: `${doneText(step)} ${rowsText(rows)}${targetText(step)}. It will sync ${syncTimeText()}.`,
  undo: () => void withdrawStep(key),
});

type StepOutcome = {
  rows: readonly RecordItem[];
  refused: readonly RejectedOperation[];
  changes: ChangeIds;
  sent: PendingStep;
};

/** The toast of a step: what it did, and what was refused. `left`: how many rows did not allow it, or were not reached. */
function outcomeToast(outcome: StepOutcome, step: RecordStep, left: number): Toast {
  const { rows, refused, changes } = outcome;
  const isRefused = (row: RecordItem) => refused.some(({ id }) => id === row.id);
  const changed = rows.filter((row) => !isRefused(row));
  const [first] = refused;
  const problem = first && `${rowsText(rows.filter(isRefused))}: ${first.detail}`;
  if (changed.length === 0) return { kind: "refused", text: problem ?? "" };
  const rest = left > 0 ? `, ${formatCount(left)} left unchanged` : "";
  const verb = doneText(step);
  const failure = problem ? `. Failed: ${problem}` : "";
  const to = targetText(step);
  const next = nextDueText(changed, step);
  const group = {
    name: `${step.action}${to}`,
    count: changed.length,
    text: (count: number) => `${verb} ${formatCount(count)} records${to}`,
  };
  return {
    text: `${verb} ${rowsText(changed)}${to}${next}${rest}${failure}`,
    ...(rest === "" && failure === "" && next === "" && { group }),
    ...undoOffer(changes, () => void undo(changed, outcome)),
  };
}

/** More than a page: after a change, the loaded pages of a list no longer match the pages beyond them. */
const MANY = 100;

/** Whether lists have to be read again: they lack the next occurrence of a record, or too much has changed. */
const outdatesLists = (rows: readonly RecordItem[], { action }: RecordStep) =>
  rows.length > MANY || ((action === "resolve" || action === "skip") && rows.some(hasNextOccurrence));

/** A tag is added to those that a record has, which the alerts do not include. Records that cannot be read are left out. */
async function withTags(rows: readonly RecordItem[]): Promise<RecordItem[]> {
  const read = await Promise.all(
    rows.map((row) => (row.tags ? row : readRecord(row.id).catch(() => undefined))),
  );
  return read.filter((row) => row !== undefined);
}

/** Whether a record already is as the step would make it. */
const isAlready = (row: RecordItem, step: RecordStep) =>
  (step.action === "reschedule" && row.due_date === step.day) ||
  (step.action === "project" && row.project === step.project) ||
  (step.action === "tag" && hasTag(row.tags ?? [], step.tag)) ||
  (step.action === "type" && row.memory_type === step.type);

/** What records are that already are as the step would make them: "is already due Fri 27 Nov" */
function alreadyText(step: RecordStep, [is, has]: [is: string, has: string]): string {
  switch (step.action) {
    case "reschedule":
      return step.day ? `${is} already due ${formatShortDay(step.day)}` : `${has} no date`;
    case "project":
      return step.project ? `${is} already in ${step.project}` : `${has} no project`;
    case "tag":
      return `already ${has} the tag ${step.tag}`;
    case "type":
      return `already ${has} the type ${TYPE_NAMES[step.type].toLowerCase()}`;
    default:
      return "";
  }
}

/** Says why a step changes nothing. `already`: those that are as it would make them, `unable`: the others. */
function unchangedToast(
  already: readonly RecordItem[],
  unable: readonly RecordItem[],
  step: RecordStep,
): Toast {
  const { length } = already;
  const all = length === 2 ? "Both" : `All ${formatCount(length)}`;
  const which = length === 1 || unable.length > 0 ? rowsText(already) : all;
  const known = `${which} ${alreadyText(step, length === 1 ? ["is", "has"] : ["are", "have"])}`;
  if (unable.length === 0) return { text: known };
  const state = `in ${unable.length === 1 ? "its" : "their"} current state`;
  const text = `${rowsText(unable)} can’t be ${RECORD_STEPS[step.action].done.toLowerCase()} ${state}`;
  return { kind: "refused", text: length > 0 ? `${text}. ${known}` : text };
}

/**
 * Applies a step to records. The result is shown before the server answers, and the toast offers to undo it. If the
 * server refuses the step for a record, the record is shown as it was, with the reason.
 *
 * @returns whether the step succeeded for all of them
 */
export function applyStep(chosen: readonly RecordItem[], step: RecordStep): Promise<boolean> {
  const turn = takeTurn();
  return applyInTurn(turn, chosen, step).finally(turn.end);
}

async function applyInTurn(turn: Turn, chosen: readonly RecordItem[], step: RecordStep): Promise<boolean> {
  const progressToast = beginToast();
  const rows = step.action === "tag" ? await withTags(chosen) : chosen;
  const possible = rows.filter((row) => canApplyStep(row, step.action));
  const able = possible.filter((row) => !isAlready(row, step));
  if (able.length === 0) {
    const unable = chosen.filter(({ id }) => !possible.some((one) => one.id === id));
    progressToast.end(unchangedToast(possible, unable, step));
    return unable.length === 0;
  }
  const changes: ChangeIds = [];
  const endOptimistic = showOptimistically(able, changeOf(step));
  try {
    const waiting = await waitingStep(able, step, turn.at);
    await turn.before;
    // The next one need not wait for the lists.
    const outcome = await executeStep(waiting).finally(turn.end);
    const { unsent } = outcome;
    const reached = able.filter(({ id }) => !unsent.includes(id));
    if ("problem" in outcome) {
      endOptimistic(unsent);
      progressToast.end(waitingToast(reached, step, waiting.key));
      return true;
    }
    const { refused } = outcome;
    changes.push(...outcome.changes);
    endOptimistic([...refused.map(({ id }) => id), ...unsent]);
    const done = { rows: reached, refused, changes, sent: waiting };
    progressToast.end(outcomeToast(done, step, rows.length - reached.length));
    const refusedIds = new Set(refused.map(({ id }) => id));
    const changed = reached.filter(({ id }) => !refusedIds.has(id));
    applyToCachedLists(changed, changeOf(step));
    await (outdatesLists(changed, step) ? refreshMemories() : refreshMemoriesAfterPatch());
    // Unless it is being undone.
    if (!pendingSteps.find(waiting.key)?.isWithdrawn) await deletePendingStep(waiting.key);
    return refused.length === 0;
  } catch (problem) {
    const text = `${rowsText(able)}: ${(problem as Error).message}`;
    progressToast.end({ kind: "refused", text, ...undoOffer(changes) });
    return false;
  } finally {
    endOptimistic();
  }
}
