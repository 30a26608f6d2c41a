import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import { notFenced } from "../../platform/db/fence.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { composeFolderNames } from "../folders/duplicate-store.ts";
import { composeNextNames, decomposedNames } from "./store.ts";

// Converts names in NFD to NFC, account by account. `users.names_at` says when an account is due: it is set by
// platform/db/spellings.ts when name keys are written, and cleared here.

export const namesDueAt = (owner: SQL): SQL =>
  sql`(SELECT names_at FROM users AS u WHERE u.number = ${owner})`;

const ACCOUNTS_AT_ONCE = 50;

export const ownersToCompose = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM (SELECT number AS owner FROM users INDEXED BY users_names_at_idx
    WHERE names_at <= ${now.toISOString()} AND deleted_at IS NULL AND closed_at IS NULL AND ${notFenced("users.number")}
    LIMIT ${ACCOUNTS_AT_ONCE})`;

const NAMES_AT_ONCE = 50;

/** Returns whether everything is done; false if the budget ran out. */
async function composeAll(ctx: Ctx, isLeft: StepBudget): Promise<boolean> {
  for (const names of groupBySize(await decomposedNames(ctx), () => 1, NAMES_AT_ONCE))
    while (await withRest(() => composeNextNames(ctx, names))) if (!isLeft()) return false;
  return composeFolderNames(ctx, isLeft);
}

/** Converts the names of an account to NFC, and merges folders that then have the same name. Can be interrupted at any point. */
export async function composeNames(ctx: Ctx, _: Env, isLeft: StepBudget): Promise<void> {
  const owned = sql`number = ${ctx.owner}`;
  // If this fails, it is retried after this time.
  const at = new Date(ctx.now.getTime() + 3_600_000).toISOString();
  await ctx.db.run(sql`UPDATE users SET names_at = ${at} WHERE ${owned}`);
  const isDone = await composeAll(ctx, isLeft);
  // Not if it was set again meanwhile, because further names were found.
  await ctx.db.run(
    sql`UPDATE users SET names_at = ${isDone ? null : ""} WHERE ${owned} AND names_at = ${at}`,
  );
}
