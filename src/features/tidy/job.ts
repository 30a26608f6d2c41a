import { sql } from "drizzle-orm";
import { TidyLook } from "../../contract/tidy.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { WaitPreference } from "../../platform/http/prefer.ts";
import { type JobDefinition, type JobOutcome, runOrStartJob } from "../../platform/jobs/run.ts";
import { readLastLook } from "./list-store.ts";
import { continueLook, deletePieces, type LookProgress } from "./look-store.ts";
import { countOpen } from "./read-store.ts";

/** Changes made during a look are covered by the next one. */
export const TIDY_JOB: JobDefinition<Partial<LookProgress>, TidyLook> = {
  kind: "tidy",
  step: continueLook,
  result: ({ ctx }) => readLastLook(ctx),
  cancelStatements: ({ ctx }) => [deletePieces(ctx)],
};

/** Starts a look through the account, or continues one in progress. */
export async function startLook(ctx: Ctx, prefer?: WaitPreference): Promise<JobOutcome<TidyLook>> {
  const total = await countOpen(ctx);
  const job = { key: "look", title: "Look for what can be tidied up", total, payload: {} };
  return runOrStartJob(ctx, TIDY_JOB, job, prefer);
}

const DAY_MS = 86_400_000;

/** Starts a look if something changed since the last one, or if that is more than a day old. */
export async function startLookIfChanged(ctx: Ctx): Promise<Partial<JobOutcome<TidyLook>>> {
  const [row] = await ctx.db.all<{ ended: string | null; changed: string | null }>(sql`SELECT
    (SELECT value FROM tidy_looks WHERE owner = ${ctx.owner} AND part = 'ended') AS ended,
    (SELECT at FROM activity WHERE owner = ${ctx.owner} ORDER BY number DESC LIMIT 1) AS changed`);
  const looked_at = row?.ended ? TidyLook.parse(JSON.parse(row.ended)).looked_at : "";
  const isRecent = ctx.now.getTime() - Date.parse(looked_at) < DAY_MS;
  return isRecent && (row?.changed ?? "") < looked_at ? {} : startLook(ctx);
}
