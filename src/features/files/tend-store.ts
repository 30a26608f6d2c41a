import { type SQL, sql } from "drizzle-orm";
import { FILE_SCHEME, UNUSED_DAYS } from "../../contract/file.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { clearSome, eraseSome } from "./erase-store.ts";
import { isAttached } from "./link-store.ts";
import { lookThrough } from "./look-store.ts";
import { inDays } from "./row-store.ts";

// What an account's files need with time. `due_at` of a row says when: in the trash, when it is erased; otherwise when it is
// to be seen whether something still refers to it. Uploads have it, too.

/** When an account's files need something next, in SQL. */
export const dueMoment = (owner: SQL): SQL =>
  sql`(SELECT min(at) FROM (SELECT min(due_at) AS at FROM files WHERE owner = ${owner}
    UNION ALL SELECT min(due_at) FROM file_uploads WHERE owner = ${owner}))`;

/** The accounts (`owner`) whose files need something that is overdue, in SQL. */
export const ownersWithDue = ({ now }: BaseCtx): SQL => sql`
  SELECT owner FROM files INDEXED BY files_due_at_idx WHERE due_at <= ${now.toISOString()}
  UNION ALL SELECT owner FROM file_uploads INDEXED BY file_uploads_due_at_idx WHERE due_at <= ${now.toISOString()}`;

const isDue = ({ now }: BaseCtx) => sql`files.due_at <= ${now.toISOString()}`;

/** What is attached to something is looked at again in a month, without reading a text. */
const keepAttached = (ctx: Ctx) =>
  ctx.db.run(sql`UPDATE files SET due_at = ${inDays(ctx, UNUSED_DAYS)}, unused_since = NULL
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL AND ${isAttached}`);

async function hasUncertain(ctx: Ctx): Promise<boolean> {
  const found = await ctx.db.all(sql`SELECT 1 FROM files
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL LIMIT 1`);
  return found.length > 0;
}

/** Whether a text that has changed since a look began names a file: the look may have passed it before. */
const isNamedSince = (ctx: Ctx, began: string) => sql`(
  EXISTS (SELECT 1 FROM documents WHERE documents.owner = ${ctx.owner} AND documents.updated_at >= ${began}
    AND instr(documents.content, ${FILE_SCHEME} || files.id) > 0)
  OR EXISTS (SELECT 1 FROM memories WHERE memories.owner = ${ctx.owner} AND memories.updated_at >= ${began}
    AND instr(memories.content || coalesce(memories.note, ''), ${FILE_SCHEME} || files.id) > 0))`;

/** After a look through all texts: what none of them names is erased, or is unused from now on. */
async function settleUnnamed(ctx: Ctx, began: string): Promise<boolean> {
  // What has become due since may be named in a text that was read before.
  const unnamed = sql`files.due_at <= ${began} AND trashed_at IS NULL AND NOT ${isAttached}`;
  const cutoff = inDays(ctx, -UNUSED_DAYS);
  const erased = await eraseSome(
    ctx,
    sql`${unnamed} AND unused_since <= ${cutoff} AND NOT ${isNamedSince(ctx, began)}`,
  );
  if (erased > 0) return true;
  await ctx.db.batch([
    ctx.db.run(sql`UPDATE files SET unused_since = coalesce(unused_since, ${began}),
      due_at = strftime('%Y-%m-%dT%H:%M:%fZ', max(coalesce(unused_since, ${began}), ${cutoff}), ${`+${UNUSED_DAYS} days`}, '+1 hour')
      WHERE owner = ${ctx.owner} AND ${unnamed}`),
    ctx.db.run(sql`DELETE FROM file_looks WHERE owner = ${ctx.owner}`),
  ]);
  return false;
}

/** Ends uploads that were left, erases what the trash has had for long enough, or what nothing refers to: some of it. Returns whether there may be more. */
export async function tendSome(ctx: Ctx): Promise<boolean> {
  if (await clearSome(ctx)) return true;
  if ((await eraseSome(ctx, sql`${isDue(ctx)} AND trashed_at IS NOT NULL`)) > 0) return true;
  await keepAttached(ctx);
  if (!(await hasUncertain(ctx))) return false;
  const began = await lookThrough(ctx);
  return began === undefined || settleUnnamed(ctx, began);
}
