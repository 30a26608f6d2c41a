import { sql } from "drizzle-orm";
import { TidyLook } from "../../contract/tidy.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind, type Outcome } from "../../platform/later/run.ts";
import { readLook } from "./list-store.ts";
import { forgetPieces, type Looking, lookOn } from "./look-store.ts";
import { countOpen } from "./read-store.ts";

/** What is changed meanwhile is looked at by the next look. */
export const TIDY_JOB: Kind<Looking, TidyLook> = {
  kind: "tidy",
  step: lookOn,
  result: ({ ctx }) => readLook(ctx),
  cancelled: ({ ctx }) => [forgetPieces(ctx)],
};

/** Looks through the account, or goes on with a look that is under way. */
export async function look(ctx: Ctx, prefer?: Prefer): Promise<Outcome<TidyLook>> {
  const total = await countOpen(ctx);
  return doOrBegin(
    ctx,
    TIDY_JOB,
    { key: "look", title: "Look for what can be tidied up", total, payload: {} },
    prefer,
  );
}

const DAY_MS = 86_400_000;

/** Looks through the account if something was changed since the last look, or that was a day ago. */
export async function lookIfChanged(ctx: Ctx): Promise<Partial<Outcome<TidyLook>>> {
  const [row] = await ctx.db.all<{ ended: string | null; changed: string | null }>(sql`SELECT
    (SELECT value FROM tidy_looks WHERE owner = ${ctx.owner} AND part = 'ended') AS ended,
    (SELECT at FROM activity WHERE owner = ${ctx.owner} ORDER BY number DESC LIMIT 1) AS changed`);
  const looked_at = row?.ended ? TidyLook.parse(JSON.parse(row.ended)).looked_at : "";
  const isNew = ctx.now.getTime() - Date.parse(looked_at) < DAY_MS;
  return isNew && (row?.changed ?? "") < looked_at ? {} : look(ctx);
}
