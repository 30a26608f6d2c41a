import { sql } from "drizzle-orm";
import { TidyLook } from "../../contract/tidy.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind, type Outcome } from "../../platform/later/run.ts";
import { readLook } from "./list-store.ts";
import { forgetPieces, type Looking, lookOn } from "./look-store.ts";
import { countOpen } from "./read-store.ts";

/** Changes made during a look are covered by the next one. */
export const TIDY_JOB: Kind<Looking, TidyLook> = {
  kind: "tidy",
  step: lookOn,
  result: ({ ctx }) => readLook(ctx),
  cancelled: ({ ctx }) => [forgetPieces(ctx)],
};

/** Starts a look through the account, or continues one in progress. */
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

/** Starts a look if something changed since the last one, or if that is more than a day old. */
export async function lookIfChanged(ctx: Ctx): Promise<Partial<Outcome<TidyLook>>> {
  const [row] = await ctx.db.all<{ ended: string | null; changed: string | null }>(sql`SELECT
    (SELECT value FROM tidy_looks WHERE owner = ${ctx.owner} AND part = 'ended') AS ended,
    (SELECT at FROM activity WHERE owner = ${ctx.owner} ORDER BY number DESC LIMIT 1) AS changed`);
  const looked_at = row?.ended ? TidyLook.parse(JSON.parse(row.ended)).looked_at : "";
  const isRecent = ctx.now.getTime() - Date.parse(looked_at) < DAY_MS;
  return isRecent && (row?.changed ?? "") < looked_at ? {} : look(ctx);
}
