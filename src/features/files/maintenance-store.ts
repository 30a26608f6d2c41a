import { type SQL, sql } from "drizzle-orm";
import { FILE_SCHEME, UNUSED_FILE_DAYS } from "../../contract/file.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { deleteUploadBatch, eraseFileBatch } from "./erase-store.ts";
import { isAttached } from "./link-store.ts";
import { daysFromNow } from "./row-store.ts";
import { scanTextPage } from "./scan-store.ts";

// Maintenance of an account's files. `due_at`: for a trashed file, when it is erased; for others, when to check whether
// anything still refers to them; for uploads, when they are abandoned.

export const nextMaintenanceAt = (owner: SQL): SQL =>
  sql`(SELECT min(at) FROM (SELECT min(due_at) AS at FROM files WHERE owner = ${owner}
    UNION ALL SELECT min(due_at) FROM file_uploads WHERE owner = ${owner}))`;

export const ownersDueForMaintenance = ({ now }: BaseCtx): SQL => sql`
  SELECT owner FROM files INDEXED BY files_due_at_idx WHERE due_at <= ${now.toISOString()}
  UNION ALL SELECT owner FROM file_uploads INDEXED BY file_uploads_due_at_idx WHERE due_at <= ${now.toISOString()}`;

const isDue = ({ now }: BaseCtx) => sql`files.due_at <= ${now.toISOString()}`;

/** Attached files are checked again in a month, without scanning texts. */
const postponeAttached = (ctx: Ctx) =>
  ctx.db.run(sql`UPDATE files SET due_at = ${daysFromNow(ctx, UNUSED_FILE_DAYS)}, unused_since = NULL
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL AND ${isAttached}`);

async function hasUnchecked(ctx: Ctx): Promise<boolean> {
  const found = await ctx.db.all(sql`SELECT 1 FROM files
    WHERE owner = ${ctx.owner} AND ${isDue(ctx)} AND trashed_at IS NULL LIMIT 1`);
  return found.length > 0;
}

/** Whether a text changed since the scan started references a file: the scan may have read it before. */
const isReferencedSince = (ctx: Ctx, began: string) => sql`(
  EXISTS (SELECT 1 FROM documents WHERE documents.owner = ${ctx.owner} AND documents.updated_at >= ${began}
    AND instr(documents.content, ${FILE_SCHEME} || files.id) > 0)
  OR EXISTS (SELECT 1 FROM memories WHERE memories.owner = ${ctx.owner} AND memories.updated_at >= ${began}
    AND instr(memories.content || coalesce(memories.note, ''), ${FILE_SCHEME} || files.id) > 0))`;

/** After a scan of all texts: unreferenced files are marked as unused, or erased if they have been unused for long enough. */
async function expireUnreferenced(ctx: Ctx, began: string): Promise<boolean> {
  // Files that became due during the scan may be referenced in texts read before.
  const unreferenced = sql`files.due_at <= ${began} AND trashed_at IS NULL AND NOT ${isAttached}`;
  const cutoff = daysFromNow(ctx, -UNUSED_FILE_DAYS);
  const erased = await eraseFileBatch(
    ctx,
    sql`${unreferenced} AND unused_since <= ${cutoff} AND NOT ${isReferencedSince(ctx, began)}`,
  );
  if (erased > 0) return true;
  await ctx.db.batch([
    ctx.db.run(sql`UPDATE files SET unused_since = coalesce(unused_since, ${began}),
      due_at = strftime('%Y-%m-%dT%H:%M:%fZ', max(coalesce(unused_since, ${began}), ${cutoff}), ${`+${UNUSED_FILE_DAYS} days`}, '+1 hour')
      WHERE owner = ${ctx.owner} AND ${unreferenced}`),
    ctx.db.run(sql`DELETE FROM file_looks WHERE owner = ${ctx.owner}`),
  ]);
  return false;
}

/** One step of deleting abandoned uploads, expired trash and unused files. Returns whether there may be more. */
export async function maintainFilesStep(ctx: Ctx): Promise<boolean> {
  if (await deleteUploadBatch(ctx)) return true;
  if ((await eraseFileBatch(ctx, sql`${isDue(ctx)} AND trashed_at IS NOT NULL`)) > 0) return true;
  await postponeAttached(ctx);
  if (!(await hasUnchecked(ctx))) return false;
  const began = await scanTextPage(ctx);
  return began === undefined || expireUnreferenced(ctx, began);
}
