import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { moveRemindAtStatements } from "../memories/remind-store.ts";
import { moveToZoneStatements } from "../memories/wake-store.ts";
import { dailyReminderZoneStatements } from "../push/zone-store.ts";

/** Moves deferred records and reminders to another time zone. Stale if a record was deferred in the meantime. */
export const timeZoneChangeStatements = async (
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): Promise<BatchItem[]> => [
  ...(await moveToZoneStatements(ctx, to)),
  ...(await dailyReminderZoneStatements(ctx, { from, to })),
  ...(await moveRemindAtStatements(ctx, { from, to })),
];
