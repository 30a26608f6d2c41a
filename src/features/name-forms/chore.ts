import { type SQL, sql } from "drizzle-orm";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { inGroups } from "../../platform/core/groups.ts";
import { unfenced } from "../../platform/db/fence.ts";
import type { Budget } from "../../platform/later/run.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { composeFolders } from "../folders/twin-store.ts";
import { composeSome, decomposedNames } from "./store.ts";

// An account that has names in NFD makes them those in NFC. `users.names_at` says when: what writes the keys of names sets it
// (platform/db/spellings.ts), and this when it is done.

export const namesMoment = (owner: SQL): SQL =>
  sql`(SELECT names_at FROM users AS u WHERE u.number = ${owner})`;

const ACCOUNTS_AT_ONCE = 50;

export const ownersToCompose = ({ now }: BaseCtx): SQL =>
  sql`SELECT owner FROM (SELECT number AS owner FROM users INDEXED BY users_names_at_idx
    WHERE names_at <= ${now.toISOString()} AND deleted_at IS NULL AND closed_at IS NULL AND ${unfenced("users.number")}
    LIMIT ${ACCOUNTS_AT_ONCE})`;

const NAMES_AT_ONCE = 50;

/** Returns whether all is done: not when the budget is spent. */
async function composeAll(ctx: Ctx, isLeft: Budget): Promise<boolean> {
  for (const names of inGroups(await decomposedNames(ctx), () => 1, NAMES_AT_ONCE))
    while (await withRest(() => composeSome(ctx, names))) if (!isLeft()) return false;
  return composeFolders(ctx, isLeft);
}

/** Makes an account's names those in NFC, and one of two that are the same name. Goes on where it was killed. */
export async function composeNames(ctx: Ctx, _: Env, isLeft: Budget): Promise<void> {
  const owned = sql`number = ${ctx.owner}`;
  // Until when nothing is tried again that fails.
  const at = new Date(ctx.now.getTime() + 3_600_000).toISOString();
  await ctx.db.run(sql`UPDATE users SET names_at = ${at} WHERE ${owned}`);
  const isDone = await composeAll(ctx, isLeft);
  // Others that were found meanwhile have set it anew.
  await ctx.db.run(
    sql`UPDATE users SET names_at = ${isDone ? null : ""} WHERE ${owned} AND names_at = ${at}`,
  );
}
