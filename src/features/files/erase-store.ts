import { type SQL, sql } from "drizzle-orm";
import { THUMBNAIL_WIDTHS } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { listOf } from "../../platform/db/list.ts";
import { thumbnailKey } from "./bytes.ts";
import { placeOf } from "./row-store.ts";

// Bytes are deleted after the row of their file, and what is still to be deleted has a row in file_uploads until it is.

const AT_ONCE = 50;
/** Each may have an entry in the index for 500 pages. */
const FILES_AT_ONCE = 10;

type Left = { id: string; multipart_id: string | null };

/** Deletes what the bucket has of these, and then their rows. May be repeated; without a bucket only the rows go. */
export async function clearUploads(ctx: Ctx, left: Left[]): Promise<void> {
  if (left.length === 0) return;
  if (ctx.bucket) {
    const keys: string[] = [];
    for (const { id, multipart_id } of left) {
      const place = await placeOf(ctx, id);
      // Whoever came first has ended it.
      if (multipart_id)
        await ctx.bucket
          .resumeMultipartUpload(place, multipart_id)
          .abort()
          .catch(() => undefined);
      keys.push(place, ...THUMBNAIL_WIDTHS.map((width) => thumbnailKey(place, width)));
    }
    await ctx.bucket.delete(keys);
  }
  await ctx.db.run(sql`DELETE FROM file_uploads WHERE owner = ${ctx.owner} AND state = 'erasing'
    AND id IN ${listOf(left.map(({ id }) => id))}`);
}

/** Goes on with what was given up or erased, and was interrupted; returns whether there may be more. */
export async function clearSome(
  ctx: Ctx,
  which: SQL = sql`due_at <= ${ctx.now.toISOString()}`,
): Promise<boolean> {
  const left = await ctx.db.all<Left>(sql`UPDATE file_uploads SET state = 'erasing' WHERE id IN (
    SELECT id FROM file_uploads WHERE owner = ${ctx.owner} AND ${which} LIMIT ${AT_ONCE})
    RETURNING id, multipart_id`);
  await clearUploads(ctx, left);
  return left.length > 0;
}

/** Erases some files of the caller's for good, rows first; returns how many. `which` is a condition of `files`. */
export async function eraseSome(ctx: Ctx, which: SQL): Promise<number> {
  const now = ctx.now.toISOString();
  const ids = sql`(SELECT id FROM files WHERE files.owner = ${ctx.owner} AND ${which} ORDER BY id LIMIT ${FILES_AT_ONCE})`;
  const [, erased] = await ctx.db.batch([
    ctx.db.run(sql`INSERT INTO file_uploads (id, owner, state, name, bytes, due_at, created_at)
      SELECT id, owner, 'erasing', '', 0, ${now}, ${now} FROM files WHERE id IN ${ids}`),
    ctx.db.all<{ id: string }>(sql`DELETE FROM files WHERE id IN ${ids} RETURNING id`),
  ]);
  await clearUploads(
    ctx,
    erased.map(({ id }) => ({ id, multipart_id: null })),
  );
  return erased.length;
}

/**
 * Erases some of what a closed account has in the bucket; returns whether there was something. The rows of an account that
 * has moved to another home belong to another name by then (features/moving), so that its bytes stay.
 */
export async function eraseSomeFiles(ctx: Ctx): Promise<boolean> {
  if ((await eraseSome(ctx, sql`true`)) > 0) return true;
  return clearSome(ctx, sql`true`);
}
