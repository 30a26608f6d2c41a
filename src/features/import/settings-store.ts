import { sql } from "drizzle-orm";
import type { CtxUser } from "../../platform/core/ctx.ts";
import { timeZoneChangeStatements } from "../auth/zone-store.ts";
import type { ImportBatch, LineOfType } from "./step-store.ts";

type Settings = Pick<CtxUser, "name" | "timezone" | "stale_after_days">;

const pickDays = ({ commitment, blocker }: Settings["stale_after_days"]) => ({ commitment, blocker });

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function mergeSettings(now: Settings, line: Settings, all: boolean): Settings {
  const hasInitialDays = isSame(pickDays(now.stale_after_days), INITIAL_DAYS);
  return {
    name: all ? line.name : (now.name ?? line.name),
    timezone: all || now.timezone === "UTC" ? line.timezone : now.timezone,
    stale_after_days: pickDays(all || hasInitialDays ? line.stale_after_days : now.stale_after_days),
  };
}

const INITIAL_DAYS = { commitment: 14, blocker: 7 };

const pickSettings = ({ name, timezone, stale_after_days }: Settings): Settings => ({
  name,
  timezone,
  stale_after_days: pickDays(stale_after_days),
});

function changeUser(step: ImportBatch, line: Settings): void {
  const { mode } = step;
  const now = pickSettings(step.user);
  const next = mode === "copy" ? now : mergeSettings(now, line, mode === "overwrite");
  step.state.counts.settings[isSame(now, next) ? "skipped" : "overwritten"]++;
  step.user = { ...step.user, ...next };
}

/**
 * Applies settings: `skip` replaces only initial values, `overwrite` everything, `copy` nothing. The settings of a step are
 * applied before its records, so stored reminders move only once, from the old time zone to the last one.
 */
export function applySettings(step: ImportBatch, lines: readonly LineOfType<"settings">[]): void {
  const { ctx, user } = step;
  for (const line of lines) changeUser(step, line);
  const [before, after] = [pickSettings(user), pickSettings(step.user)];
  if (isSame(before, after)) return;
  const statement = ctx.db.run(sql`UPDATE users SET name = ${after.name}, timezone = ${after.timezone},
    stale_after_days = ${JSON.stringify(after.stale_after_days)} WHERE number = ${ctx.owner}`);
  const [from, to] = [before.timezone, after.timezone];
  step.statements.push([statement]);
  if (from !== to) step.statements.push(timeZoneChangeStatements(ctx, { from, to }));
}
