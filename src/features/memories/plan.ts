import { addDays } from "../../contract/days.ts";
import type { ReminderList } from "../../contract/remind.ts";
import { firstOccurrence, listOccurrences, nextDayAfterDone } from "../../contract/repeat/occurrences.ts";
import { type Rule, readRule } from "../../contract/repeat/rule.ts";
import { unprocessable } from "../../platform/core/errors.ts";
import type { memories } from "../../platform/db/tables.ts";
import { type Clock, currentDay } from "./ages.ts";

// Rules for how due date, time, reminders and repetition fit together.

export type MemoryPlan = Pick<
  typeof memories.$inferSelect,
  | "due_date"
  | "due_time"
  | "remind"
  | "remind_until_done"
  | "repeat"
  | "repeat_from"
  | "repeat_start"
  | "next_values"
>;

export const NO_PLAN = {
  due_time: null,
  remind: null,
  remind_until_done: null,
  repeat: null,
  repeat_from: null,
  repeat_start: null,
  next_values: null,
};

/** The fields of a record that leaves its series because another record continues it. */
export const WITHOUT_SERIES = {
  repeat: null,
  repeat_from: null,
  repeat_start: null,
  next_values: null,
  series_id: null,
};

type PlanRequest = {
  [Name in Exclude<keyof MemoryPlan, "repeat_start" | "next_values">]?: MemoryPlan[Name] | undefined;
};

/** Whether a request sets a time, reminders or a repetition, and so depends on the time zone and the settings. */
export const needsPlanning = (requested: PlanRequest): boolean =>
  [requested.due_time, requested.remind, requested.repeat, requested.repeat_from].some(
    (value) => value != null,
  );

const AT_THAT_TIME = "PT0S";

function remindByDefault({ remind_before = AT_THAT_TIME }: Clock): ReminderList | null {
  return remind_before === null ? null : [{ before: remind_before }];
}

const needsDay = (one: ReminderList[number]) => "before" in one;

/** The reminders after a change. Without a due date, reminders relative to it are dropped. Throws 422 for new ones. */
function remindAfter(
  plan: MemoryPlan,
  requested: PlanRequest,
  before: MemoryPlan | undefined,
  clock: Clock,
): ReminderList | null {
  const isNew = plan.due_time !== null && (before?.due_time ?? null) === null;
  if (plan.remind === null && isNew && (before === undefined || requested.remind === undefined))
    return remindByDefault(clock);
  if (plan.due_date !== null || !plan.remind?.some(needsDay)) return plan.remind;
  if (requested.remind)
    throw unprocessable("remind: `before` needs a due_date: give one, or a moment with `at`");
  const left = plan.remind.filter((one) => !needsDay(one));
  return left.length > 0 ? left : null;
}

function timeAfter({ due_date, due_time }: MemoryPlan, requested: PlanRequest): string | null {
  if (due_time === null || due_date !== null) return due_time;
  if (requested.due_time) throw unprocessable("due_time: needs a due_date: give both");
  return null;
}

/** A rule with its canonical text. Throws 422 for one that cannot be parsed or has ended. */
function parseRule(repeat: string, today: string): { rule: Rule; text: string } {
  const read = readRule(repeat, { today });
  if ("problem" in read) throw unprocessable(`repeat: ${read.problem}`);
  return read;
}

/** Throws 422 for a rule that has no day on or after the due date. */
function requireOccurrence(rule: Rule, { due_date, repeat_from }: MemoryPlan & { due_date: string }): void {
  const comes =
    listOccurrences(rule, { anchor: due_date, after: addDays(due_date, -1), limit: 1 }).length > 0;
  if (comes || (repeat_from === "done" && nextDayAfterDone(rule, { done: due_date }))) return;
  throw unprocessable(
    `repeat: the rule has no day on or after ${due_date}, the first due date: give a later end, another due_date or another rule`,
  );
}

function startRepetition(plan: MemoryPlan & { repeat: string }, today: string): MemoryPlan {
  const { rule, text } = parseRule(plan.repeat, today);
  const due_date = plan.due_date ?? firstOccurrence(rule, { from: today }) ?? today;
  const started = { ...plan, due_date, repeat: text, repeat_start: due_date };
  requireOccurrence(rule, started);
  return started;
}

const isSameRule = (repeat: string, before: string | null | undefined, today: string) => {
  if (!before || repeat === before) return repeat === before;
  const read = readRule(repeat, { today });
  return "text" in read && read.text === before;
};

function withoutRepetition(plan: MemoryPlan): MemoryPlan {
  if (plan.repeat_from) throw unprocessable("repeat_from: needs repeat: give both");
  return { ...plan, repeat_from: null, repeat_start: null, next_values: null };
}

/** Restarts the rule at another due date. Throws 422 unless that is one of its days. */
function moveRepetition(plan: MemoryPlan & { repeat: string; due_date: string }, today: string): MemoryPlan {
  const { rule } = parseRule(plan.repeat, today);
  const { due_date } = plan;
  const [day] = listOccurrences(rule, { anchor: due_date, after: addDays(due_date, -1), limit: 1 });
  if (day === due_date || plan.repeat_from === "done") return { ...plan, repeat_start: due_date };
  throw unprocessable(
    `due_date: ${due_date} is not a day of the rule: give repeat as well, or apply_to "this" to move only this record`,
  );
}

type ApplyTo = { apply_to?: "this" | "following" | undefined };

function repetitionAfter(
  plan: MemoryPlan,
  requested: PlanRequest & ApplyTo,
  before: MemoryPlan | undefined,
  today: string,
): MemoryPlan {
  const { repeat, due_date } = plan;
  if (repeat === null)
    return withoutRepetition(requested.repeat_from === undefined ? { ...plan, repeat_from: null } : plan);
  if (!isSameRule(repeat, before?.repeat, today)) return startRepetition({ ...plan, repeat }, today);
  if (due_date === null)
    throw unprocessable(
      "due_date: a repeating record needs one: set repeat to null as well to end the repetition",
    );
  const kept = { ...plan, repeat: before?.repeat ?? repeat, due_date };
  const isMoved = requested.apply_to === "following" && due_date !== before?.due_date;
  return isMoved ? moveRepetition(kept, today) : kept;
}

/**
 * The due date, time, reminders and repetition after a request. `before`: the values so far, undefined for a new record.
 * Throws 422 with what to write instead if they do not fit together.
 */
export function applyPlanRequest(
  plan: MemoryPlan,
  requested: PlanRequest & ApplyTo,
  { before, clock }: { before?: MemoryPlan | undefined; clock: Clock },
): MemoryPlan {
  const repeating = repetitionAfter(plan, requested, before, currentDay(clock));
  const timed = { ...repeating, due_time: timeAfter(repeating, requested) };
  return { ...timed, remind: remindAfter(timed, requested, before, clock) };
}
