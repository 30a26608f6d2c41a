import { type SQL, sql } from "drizzle-orm";
import { THUMBNAIL_WIDTHS } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { thumbnailKey } from "./bytes.ts";
import { bucketKeyOf } from "./row-store.ts";

// Bytes are deleted after the row of their file. Until then, a row in file_uploads records what is left to delete.

const UPLOAD_BATCH = 50;
/** Small, because each file may have an index entry of 500 pages. */
const FILE_BATCH = 10;

type Leftover = { id: string; multipart_id: string | null };

/** Deletes the bytes of these from the bucket, then their rows. Idempotent; without a bucket, only the rows are deleted. */
export async function deleteUploads(ctx: Ctx, leftovers: Leftover[]): Promise<void> {
  if (leftovers.length === 0) return;
  if (ctx.bucket) {
    const keys: string[] = [];
    for (const { id, multipart_id } of leftovers) {
      const key = await bucketKeyOf(ctx, id);
      // It may already have been aborted or completed.
      if (multipart_id)
        await ctx.bucket
          .resumeMultipartUpload(key, multipart_id)
          .abort()
          .catch(() => undefined);
      keys.push(key, ...THUMBNAIL_WIDTHS.map((width) => thumbnailKey(key, width)));
    }
    await ctx.bucket.delete(keys);
  }
  await ctx.db.run(sql`DELETE FROM file_uploads WHERE owner = ${ctx.owner} AND state = 'erasing'
    AND id IN ${sqlList(leftovers.map(({ id }) => id))}`);
}

/** Deletes a batch of abandoned uploads and leftovers of interrupted erasures; returns whether there may be more. */
export async function deleteUploadBatch(
  ctx: Ctx,
  which: SQL = sql`due_at <= ${ctx.now.toISOString()}`,
): Promise<boolean> {
  const leftovers =
    await ctx.db.returning<Leftover>(sql`UPDATE file_uploads SET state = 'erasing' WHERE id IN (
    SELECT id FROM file_uploads WHERE owner = ${ctx.owner} AND ${which} LIMIT ${UPLOAD_BATCH})
    RETURNING id, multipart_id`);
  await deleteUploads(ctx, leftovers);
  return leftovers.length > 0;
}

/** Permanently erases a batch of the caller's files, rows first; returns how many. `which`: a condition on `files`. */
export async function eraseFileBatch(ctx: Ctx, which: SQL): Promise<number> {
  const now = ctx.now.toISOString();
  const ids = sql`(SELECT id FROM files WHERE files.owner = ${ctx.owner} AND ${which} ORDER BY id LIMIT ${FILE_BATCH})`;
  const [, erased] = await ctx.db.batch([
    ctx.db.run(sql`INSERT INTO file_uploads (id, owner, state, name, bytes, due_at, created_at)
      SELECT id, owner, 'erasing', '', 0, ${now}, ${now} FROM files WHERE id IN ${ids}`),
    ctx.db.returning<{ id: string }>(sql`DELETE FROM files WHERE id IN ${ids} RETURNING id`),
  ]);
  const leftovers = erased.map(({ id }) => ({ id, multipart_id: null }));
  await deleteUploads(ctx, leftovers);
  return erased.length;
}

/** Erases a batch of a closed account's files; returns whether there were any. A moved account has no rows left here. */
export async function eraseAccountFileBatch(ctx: Ctx): Promise<boolean> {
  if ((await eraseFileBatch(ctx, sql`true`)) > 0) return true;
  return deleteUploadBatch(ctx, sql`true`);
}
