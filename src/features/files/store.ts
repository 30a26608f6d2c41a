import { and, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import {
  type FileList,
  type FileListQuery,
  type FileUpdateRequest,
  type StoredFile,
  type ThumbnailWidth,
  UNUSED_FILE_DAYS,
} from "../../contract/file.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { cutPage, isAfterCursor, type Keyset } from "../../platform/db/keyset.ts";
import { files } from "../../platform/db/tables.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { thumbnailKey } from "./bytes.ts";
import { sanitizeFileName } from "./disposition.ts";
import { eraseFileBatch } from "./erase-store.ts";
import { assertHolder, restoreStatement } from "./link-store.ts";
import {
  bucketKeyOf,
  columns,
  daysFromNow,
  type FileRow,
  ownedBy,
  ownedById,
  ownedByIdOrTrashed,
  presentFile,
  presentFiles,
  requireAccess,
  requireBucket,
} from "./row-store.ts";
import { isWebp } from "./sniff.ts";

const KEYSET: Keyset = { name: "files", direction: "desc", key: Timestamp, id: Uuid };

const attachedTo = (table: string, column: string, id: string | number | undefined) =>
  id === undefined
    ? undefined
    : sql`files.id IN (SELECT file_id FROM ${sql.raw(table)} AS l WHERE l.owner = files.owner AND ${sql.raw(column)} = ${id})`;

/** The caller's files, newest first. Throws 404 for an unknown document or record. */
export async function listFiles(ctx: Ctx, query: FileListQuery): Promise<FileList> {
  requireBucket(ctx);
  if (query.memory_id !== undefined) await requireAccess(ctx, "memory:read");
  const where = and(
    ownedBy(ctx),
    query.trashed ? isNotNull(files.trashed_at) : isNull(files.trashed_at),
    query.kind && eq(files.kind, query.kind),
    attachedTo("document_files", "document_id", query.document_id),
    attachedTo("memory_files", "memory_id", query.memory_id),
  );
  const after = isAfterCursor(KEYSET, query, { key: sql`${files.created_at}`, id: sql`${files.id}` });
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(files)
      .where(and(where, after))
      .orderBy(desc(files.created_at), desc(files.id))
      .limit(query.limit + 1)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(files).where(where),
    ...assertHolder(ctx, query),
  ]);
  const page = cutPage(KEYSET, query, { rows: rows as FileRow[], keyOf: ({ created_at }) => created_at });
  const { rows: shown, ...rest } = page;
  return { items: await presentFiles(ctx, shown), ...rest, total: count?.total ?? 0 };
}

/** A file, also from the trash. Throws 404. */
export async function getFile(ctx: Ctx, id: string): Promise<StoredFile> {
  requireBucket(ctx);
  const [row] = await ctx.db.select(columns).from(files).where(ownedByIdOrTrashed(ctx, id));
  return presentFile(ctx, row);
}

/** A file with its key in the bucket. Throws 404, also for a file in the trash. */
export async function findFile(ctx: Ctx, id: string) {
  const bucket = requireBucket(ctx);
  const [row] = await ctx.db.select(columns).from(files).where(ownedById(ctx, id));
  return { file: await presentFile(ctx, row), key: await bucketKeyOf(ctx, id), bucket };
}

/** Changes a file's metadata. Throws 404. */
export async function updateFile(ctx: Ctx, id: string, changes: FileUpdateRequest): Promise<StoredFile> {
  requireBucket(ctx);
  const { name, ...others } = changes;
  const set = { ...omitUndefined(others), ...(name !== undefined && { name: sanitizeFileName(name) }) };
  const isChanged = Object.entries(set).map(
    ([column, value]) => sql`${sql.identifier(column)} IS NOT ${value}`,
  );
  const [, [row]] = await ctx.db.batch([
    ctx.db
      .update(files)
      .set({ ...set, updated_at: ctx.now.toISOString() })
      .where(and(ownedById(ctx, id), or(sql`false`, ...isChanged))),
    ctx.db.select(columns).from(files).where(ownedById(ctx, id)),
  ]);
  if (!row) throw notFound();
  // The new name and caption are indexed after the answer.
  wakeAccount(ctx);
  return presentFile(ctx, row);
}

/** Moves a file to the trash, or erases it with its bytes. References to it stay. Throws 404. */
export async function deleteFile(ctx: Ctx, id: string, { permanent }: { permanent: boolean }): Promise<void> {
  requireBucket(ctx);
  if (permanent) {
    if ((await eraseFileBatch(ctx, sql`id = ${id}`)) === 0) throw notFound();
    return;
  }
  const now = ctx.now.toISOString();
  const trashed = await ctx.db
    .update(files)
    .set({ trashed_at: now, updated_at: now, due_at: daysFromNow(ctx, UNUSED_FILE_DAYS) })
    .where(ownedById(ctx, id))
    .returning({ id: files.id });
  if (trashed.length === 0) throw notFound();
}

/** Restores a file from the trash, with its attachments. A file that is not in the trash stays as it is. Throws 404. */
export async function restoreFile(ctx: Ctx, id: string): Promise<StoredFile> {
  requireBucket(ctx);
  const [, [row]] = await ctx.db.batch([
    restoreStatement(ctx, sql`id = ${id} AND owner = ${ctx.owner}`),
    ctx.db.select(columns).from(files).where(ownedById(ctx, id)),
  ]);
  return presentFile(ctx, row);
}

/** Stores or replaces a thumbnail. Throws 400 if it is not WebP, 403, 404. */
export async function storeThumbnail(
  ctx: Ctx,
  id: string,
  { width, bytes }: { width: ThumbnailWidth; bytes: ArrayBuffer },
): Promise<void> {
  const bucket = requireBucket(ctx);
  if (!isWebp(new Uint8Array(bytes))) throw badRequest("A thumbnail must be a WebP image");
  const size = bytes.byteLength;
  const [[found]] = await ctx.db.batch([
    ctx.db.select({ id: files.id }).from(files).where(ownedById(ctx, id)),
    ...assertQuotaLeft(ctx, { bytes: size }),
  ]);
  if (!found) throw notFound();
  const key = thumbnailKey(await bucketKeyOf(ctx, id), width);
  await bucket.put(key, bytes);
  const recorded = await ctx.db
    .update(files)
    .set({ thumbnails: sql`json_set(thumbnails, ${`$."${width}"`}, ${size})` })
    .where(ownedById(ctx, id))
    .returning({ id: files.id });
  if (recorded.length > 0) return;
  // The file was erased in the meantime.
  await bucket.delete(key);
  throw notFound();
}

/** Throws 404. */
export async function readThumbnail(ctx: Ctx, id: string, width: ThumbnailWidth): Promise<R2ObjectBody> {
  const { file, key, bucket } = await findFile(ctx, id);
  const found = file.thumbnails.includes(width) && (await bucket.get(thumbnailKey(key, width)));
  if (!found) throw notFound();
  return found;
}
