import { and, desc, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import {
  type FileList,
  type FileListQuery,
  type FileUpdateRequest,
  type StoredFile,
  type ThumbnailWidth,
  UNUSED_DAYS,
} from "../../contract/file.ts";
import { given } from "../../contract/given.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { cutPage, type Keyset, rowsAfter } from "../../platform/db/keyset.ts";
import { files } from "../../platform/db/tables.ts";
import { wake } from "../../platform/later/wake.ts";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { thumbnailKey } from "./bytes.ts";
import { fileName } from "./disposition.ts";
import { eraseSome } from "./erase-store.ts";
import { isAttached, mustHold } from "./link-store.ts";
import {
  bucketOf,
  columns,
  inDays,
  ownedBy,
  ownedById,
  ownedByIdAnywhere,
  placeOf,
  present,
  presentAll,
  type Row,
  requireAccess,
} from "./row-store.ts";
import { isWebp } from "./sniff.ts";

const KEYSET: Keyset = { name: "files", direction: "desc", key: Timestamp, id: Uuid };

const attachedTo = (table: string, column: string, id: string | number | undefined) =>
  id === undefined
    ? undefined
    : sql`files.id IN (SELECT file_id FROM ${sql.raw(table)} AS l WHERE l.owner = files.owner AND ${sql.raw(column)} = ${id})`;

/** The caller's files, newest first. Throws 404 for an unknown document or record. */
export async function listFiles(ctx: Ctx, query: FileListQuery): Promise<FileList> {
  bucketOf(ctx);
  if (query.memory_id !== undefined) await requireAccess(ctx, "memory:read");
  const where = and(
    ownedBy(ctx),
    query.trashed ? isNotNull(files.trashed_at) : isNull(files.trashed_at),
    query.kind && eq(files.kind, query.kind),
    attachedTo("document_files", "document_id", query.document_id),
    attachedTo("memory_files", "memory_id", query.memory_id),
  );
  const after = rowsAfter(KEYSET, query, { key: sql`${files.created_at}`, id: sql`${files.id}` });
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(files)
      .where(and(where, after))
      .orderBy(desc(files.created_at), desc(files.id))
      .limit(query.limit + 1)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(files).where(where),
    ...mustHold(ctx, query),
  ]);
  const page = cutPage(KEYSET, query, { rows: rows as Row[], keyOf: ({ created_at }) => created_at });
  const { rows: shown, ...rest } = page;
  return { items: await presentAll(ctx, shown), ...rest, total: count?.total ?? 0 };
}

/** A file, also from the trash. Throws 404. */
export async function getFile(ctx: Ctx, id: string): Promise<StoredFile> {
  bucketOf(ctx);
  const [row] = await ctx.db.select(columns).from(files).where(ownedByIdAnywhere(ctx, id));
  if (!row) throw notFound();
  return present(ctx, row);
}

/** A file with its key in the bucket. Throws 404, also for a file in the trash. */
export async function findFile(
  ctx: Ctx,
  id: string,
): Promise<{ file: StoredFile; place: string; bucket: R2Bucket }> {
  const bucket = bucketOf(ctx);
  const [row] = await ctx.db.select(columns).from(files).where(ownedById(ctx, id));
  if (!row) throw notFound();
  return { file: await present(ctx, row), place: await placeOf(ctx, id), bucket };
}

/** Changes a file's metadata. Throws 404. */
export async function updateFile(ctx: Ctx, id: string, changes: FileUpdateRequest): Promise<StoredFile> {
  bucketOf(ctx);
  const { name, ...others } = changes;
  const set = { ...given(others), ...(name !== undefined && { name: fileName(name) }) };
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
  wake(ctx);
  return present(ctx, row);
}

/** Moves a file to the trash, or erases it with its bytes. References to it stay. Throws 404. */
export async function deleteFile(ctx: Ctx, id: string, { permanent }: { permanent: boolean }): Promise<void> {
  bucketOf(ctx);
  if (permanent) {
    if ((await eraseSome(ctx, sql`id = ${id}`)) === 0) throw notFound();
    return;
  }
  const now = ctx.now.toISOString();
  const trashed = await ctx.db
    .update(files)
    .set({ trashed_at: now, updated_at: now, due_at: inDays(ctx, UNUSED_DAYS) })
    .where(ownedById(ctx, id))
    .returning({ id: files.id });
  if (trashed.length === 0) throw notFound();
}

/** Restores a file from the trash, with its attachments. A file that is not in the trash stays as it is. Throws 404. */
export async function restoreFile(ctx: Ctx, id: string): Promise<StoredFile> {
  bucketOf(ctx);
  const now = ctx.now.toISOString();
  const [, [row]] = await ctx.db.batch([
    ctx.db.run(sql`UPDATE files SET trashed_at = NULL, updated_at = ${now}, due_at = ${inDays(ctx, UNUSED_DAYS)},
      unused_since = iif(${isAttached}, NULL, ${now})
      WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NOT NULL`),
    ctx.db.select(columns).from(files).where(ownedById(ctx, id)),
  ]);
  if (!row) throw notFound();
  return present(ctx, row);
}

/** Stores or replaces a thumbnail. Throws 400 if it is not WebP, 403, 404. */
export async function storeThumbnail(
  ctx: Ctx,
  id: string,
  { width, bytes }: { width: ThumbnailWidth; bytes: ArrayBuffer },
): Promise<void> {
  const bucket = bucketOf(ctx);
  if (!isWebp(new Uint8Array(bytes))) throw badRequest("A thumbnail must be a WebP image");
  const size = bytes.byteLength;
  const [[found]] = await ctx.db.batch([
    ctx.db.select({ id: files.id }).from(files).where(ownedById(ctx, id)),
    ...mustHaveRoom(ctx, { bytes: size }),
  ]);
  if (!found) throw notFound();
  const key = thumbnailKey(await placeOf(ctx, id), width);
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
  const { file, place, bucket } = await findFile(ctx, id);
  const found = file.thumbnails.includes(width) && (await bucket.get(thumbnailKey(place, width)));
  if (!found) throw notFound();
  return found;
}
