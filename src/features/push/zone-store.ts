import { and, eq } from "drizzle-orm";
import { instantAtHour, localDay } from "../../contract/days.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { reminders } from "../../platform/db/tables.ts";

/** Moves daily reminders to another time zone. The next day stays the same, so none is skipped or sent twice. */
export async function dailyReminderZoneStatements(
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): Promise<BatchItem[]> {
  const [row] = await ctx.db.select().from(reminders).where(eq(reminders.owner, ctx.owner));
  const moveStatement = (column: "mail_at" | "push_at", hour: number | null | undefined) => {
    const at = row?.[column];
    if (!at || typeof hour !== "number" || at <= ctx.now.toISOString()) return [];
    const next = instantAtHour(localDay(at, from), hour, to);
    return [
      ctx.db
        .update(reminders)
        .set({ [column]: next })
        .where(and(eq(reminders.owner, ctx.owner), eq(reminders[column], at))),
    ];
  };
  return [...moveStatement("mail_at", row?.mail_hour), ...moveStatement("push_at", row?.push_hour)];
}
