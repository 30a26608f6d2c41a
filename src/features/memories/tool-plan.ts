import { z } from "zod";
import { dayWithWeekday } from "../../contract/days.ts";
import type { Memory } from "../../contract/memory.ts";
import { RepetitionRuleText, TimeOfDay } from "../../contract/memory-fields.ts";
import { REPEATS_FROM } from "../../contract/record-words.ts";
import { MAX_REMINDERS, ReminderList, textOfReminder } from "../../contract/remind.ts";
import { readRepetition } from "../../contract/repeat/find-repetition.ts";
import { firstOccurrence } from "../../contract/repeat/occurrences.ts";
import { parseStoredRule } from "../../contract/repeat/rule.ts";
import { ruleText } from "../../contract/repeat/rule-text.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { unprocessable } from "../../platform/core/errors.ts";
import { currentDay } from "./ages.ts";
import { userClock } from "./row-store.ts";

// Due time, reminders and repetition in the short forms that assistants write and read.

const NO_REMINDER = "none";
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::00)?$/;
const DURATION = /^-?(P.*)$/i;

/** Parses "PT30M" or "2026-12-01T09:00"; undefined for anything else. */
function readReminder(text: string): ReminderList[number] | undefined {
  const [, day, hour] = LOCAL_TIME.exec(text) ?? [];
  if (day && hour) return { at: `${day}T${hour}` };
  const [, before] = DURATION.exec(text) ?? [];
  return before === undefined ? undefined : { before: before.toUpperCase() };
}

const REMINDER_HINT =
  "write how long before, such as PT30M or P1D, a local time such as 2026-12-01T09:00, or none";

const isNone = (texts: readonly string[]) =>
  texts.length === 1 && texts[0]?.trim().toLowerCase() === NO_REMINDER;

/** Reminders in the API's form. `none` means no reminder; omitting the field means the default one. */
const parseReminders = (texts: readonly string[]) =>
  isNone(texts) ? [] : texts.map((text) => readReminder(text.trim()));

function checkReminders(texts: string[], issue: z.core.$RefinementCtx<string[]>): void {
  const parsed = parseReminders(texts);
  const [problem] = ReminderList.safeParse(parsed).error?.issues ?? [];
  if (!problem) return;
  issue.addIssue({ code: "custom", message: parsed.includes(undefined) ? REMINDER_HINT : problem.message });
}

/** A text validated by a field of the contract, but published as a plain string. */
export const validatedString = (field: z.ZodType) =>
  z.string().superRefine((text, issue) => {
    const [problem] = field.safeParse(text).error?.issues ?? [];
    if (problem) issue.addIssue({ code: "custom", message: problem.message });
  });

const timeOfDay = validatedString(TimeOfDay);
const rule = validatedString(RepetitionRuleText);

const reminders = z.array(z.string()).min(1).max(MAX_REMINDERS).superRefine(checkReminders);

/** The optional fields of a new record. */
export const newPlanFields = {
  due_time: timeOfDay.optional().meta({ description: "17:00" }),
  remind: reminders
    .optional()
    .meta({ description: "Each before due_time (PT30M, P1D) or local (2026-12-01T09:00); or none" }),
  remind_until_done: z.boolean().optional(),
  repeat: rule.optional().meta({ description: "RRULE or words: every first Monday" }),
  repeat_from: z.enum(REPEATS_FROM).optional(),
};

/** The optional fields of a change; null clears one. */
export const changedPlanFields = {
  due_time: timeOfDay.nullable().optional(),
  remind: reminders.nullable().optional(),
  remind_until_done: z.boolean().nullable().optional(),
  repeat: rule.nullable().optional(),
  repeat_from: z.enum(REPEATS_FROM).nullable().optional(),
};

type PlanInput = {
  due_date?: string | null | undefined;
  remind?: string[] | null | undefined;
  repeat?: string | null | undefined;
  repeat_from?: (typeof REPEATS_FROM)[number] | null | undefined;
};

type ParsedPlan<Fields extends PlanInput> = Omit<Fields, "remind" | "repeat_from"> & {
  remind?: ReminderList | null | undefined;
  repeat_from?: PlanInput["repeat_from"];
};

const isRule = (text: string) => /^\s*(?:RRULE:|[A-Z]+\s*=)/i.test(text);

/** Whether a repetition is given in words, which may depend on today's date. */
const isInWords = (sent: unknown): boolean => {
  const { repeat } = (sent ?? {}) as { repeat?: unknown };
  return typeof repeat === "string" && !isRule(repeat);
};

/** Today in the user's time zone, or "" if no input needs it; reading it can take a database call. */
export const dayForWords = async (ctx: Ctx, sent: readonly unknown[]): Promise<string> =>
  sent.some(isInWords) ? currentDay(await userClock(ctx)) : "";

const REPEAT_HINT =
  "write a rule such as FREQ=MONTHLY;BYDAY=1MO, or words such as every first Monday, every 3 days after done; the hour is due_time";

/** `today`: from `dayForWords`. */
type PlanContext = { today: string; isNew: boolean };

/** Converts a repetition in words to a rule. A new record is due on the first day that the words name or that fits. */
function ruleFromWords(
  { due_date, repeat, repeat_from }: PlanInput,
  { today, isNew }: PlanContext,
): Partial<PlanInput> {
  if (typeof repeat !== "string" || isRule(repeat)) return {};
  const read = readRepetition(repeat, { today });
  if (!read) throw unprocessable(`repeat: could not be understood: ${REPEAT_HINT}`);
  const { from, first } = read;
  const day = first ?? (isNew ? firstOccurrence(parseStoredRule(read.rule), { from: today }) : undefined);
  return {
    repeat: read.rule,
    repeat_from: repeat_from ?? (from === "done" ? from : null),
    ...(!due_date && day !== undefined && { due_date: day }),
  };
}

/** The fields of a record in the API's form. Throws 422 for a repetition in words that cannot be understood. */
export function parsePlan<Fields extends PlanInput>(
  fields: Fields,
  context: PlanContext,
): ParsedPlan<Fields> {
  const { remind, ...others } = fields;
  return {
    ...others,
    ...(remind !== undefined && { remind: remind && (parseReminders(remind) as ReminderList) }),
    ...ruleFromWords(fields, context),
  } as ParsedPlan<Fields>;
}

/** Reminders in the form that tools accept. */
export const remindersForTools = (remind: ReminderList): string[] =>
  remind.map((one) => ("at" in one ? one.at : one.before));

/** A repetition in words, for lists. */
export const repetitionInWords = ({
  repeat,
  repeat_from,
}: Partial<Pick<Memory, "repeat" | "repeat_from">>) =>
  repeat ? ruleText(parseStoredRule(repeat), repeat_from) : null;

/** A record's plan in words, to confirm how it was understood. */
export const confirmPlan = ({ due_time, remind, repeat, repeat_text, next_due }: Memory) => ({
  due_time,
  remind: remind && remind.length > 0 ? remind.map(textOfReminder) : null,
  repeat,
  repeat_text,
  next_due: next_due && next_due.length > 0 ? next_due.map(dayWithWeekday) : null,
});

export const ConfirmedPlanFields = {
  due_time: z.string().optional(),
  remind: z.array(z.string()).optional(),
  repeat: z.string().optional(),
  repeat_text: z.string().optional(),
  next_due: z.array(z.string()).optional(),
};
