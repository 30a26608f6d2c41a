import { sql } from "drizzle-orm";
import type { CtxUser } from "../../platform/core/ctx.ts";
import { movedToZone } from "../auth/zone-store.ts";
import type { OfType, Step } from "./step-store.ts";

type Settings = Pick<CtxUser, "name" | "timezone" | "stale_after_days">;

const daysOf = ({ commitment, blocker }: Settings["stale_after_days"]) => ({ commitment, blocker });

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function settingsAfter(now: Settings, line: Settings, all: boolean): Settings {
  const isUnset = {
    timezone: now.timezone === "UTC",
    days: isSame(daysOf(now.stale_after_days), DEFAULT_DAYS),
  };
  return {
    name: all ? line.name : (now.name ?? line.name),
    timezone: all || isUnset.timezone ? line.timezone : now.timezone,
    stale_after_days: daysOf(all || isUnset.days ? line.stale_after_days : now.stale_after_days),
  };
}

const DEFAULT_DAYS = { commitment: 14, blocker: 7 };

/** Applies settings: `skip` replaces only initial values, `overwrite` everything, `copy` nothing. */
export function applySettings(step: Step, line: OfType<"settings">): void {
  const { ctx, mode } = step;
  const { name, timezone, stale_after_days } = step.user;
  const now = { name, timezone, stale_after_days: daysOf(stale_after_days) };
  const next = mode === "copy" ? now : settingsAfter(now, line, mode === "overwrite");
  const changes = !isSame(now, next);
  step.state.counts.settings[changes ? "overwritten" : "skipped"]++;
  if (!changes) return;
  const statement = ctx.db.run(sql`UPDATE users SET name = ${next.name}, timezone = ${next.timezone},
    stale_after_days = ${JSON.stringify(next.stale_after_days)} WHERE number = ${ctx.owner}`);
  step.user = { ...step.user, ...next };
  const [from, to] = [timezone, next.timezone];
  const moved = from === to ? Promise.resolve([]) : movedToZone(ctx, { from, to });
  step.statements.push(moved.then((statements) => [statement, ...statements]));
}
