import { nextReminder, type RemindableMemory } from "../../contract/next-reminder.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Clock } from "./ages.ts";

/** The fields that the next reminder follows from. */
export const REMINDER_DEPENDENCIES = [
  "status",
  "deferred_until",
  "trashed_at",
  "due_date",
  "due_time",
  "remind",
  "remind_until_done",
] as const;

/** Notes the earliest reminder written by this request, so that the account's alarm is set for it. */
export function noteEarliestReminder({ reminds }: Pick<Ctx, "reminds">, at: string | null | undefined): void {
  if (reminds && at && (reminds.at === undefined || at < reminds.at)) reminds.at = at;
}

const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The next reminder of a record after a change. A due one stays until it is sent, unless a field it depends on changed. */
export function nextRemindAt(
  next: RemindableMemory,
  { now, timezone }: Clock,
  before?: RemindableMemory & { remind_at: string | null },
): string | null {
  if (before && REMINDER_DEPENDENCIES.every((name) => isSame(next[name], before[name])))
    return before.remind_at;
  return nextReminder(next, { zone: timezone, after: now.toISOString() });
}
