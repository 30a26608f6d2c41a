import { type SQL, sql } from "drizzle-orm";
import { type StoredFile, UNUSED_FILE_DAYS } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { files } from "../../platform/db/tables.ts";
import { columns, daysFromNow, type FileRow, ownedById, presentFile, requireBucket } from "./row-store.ts";

// Attachments of files to documents and records. A trigger records when a file's last attachment is removed.

export type FileHolder = { document_id?: string | null | undefined; memory_id?: number | null | undefined };

type Kind = "document" | "memory";
const LINKS = {
  document: { table: sql.raw("document_files"), column: sql.raw("document_id"), of: sql.raw("documents") },
  memory: { table: sql.raw("memory_files"), column: sql.raw("memory_id"), of: sql.raw("memories") },
};

export const isAttached = sql`(EXISTS (SELECT 1 FROM document_files AS l WHERE l.file_id = files.id)
  OR EXISTS (SELECT 1 FROM memory_files AS l WHERE l.file_id = files.id))`;

const holderEntries = ({ document_id, memory_id }: FileHolder): [Kind, string | number][] => [
  ...(document_id ? [["document", document_id] as [Kind, string]] : []),
  ...(memory_id ? [["memory", memory_id] as [Kind, number]] : []),
];

const isPresent = (ctx: Ctx, [kind, id]: [Kind, string | number]): SQL =>
  sql`EXISTS (SELECT 1 FROM ${LINKS[kind].of} WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`;

/** Aborts the batch unless the holder is the caller's and not in the trash. */
export const assertHolder = (ctx: Ctx, holder: FileHolder): BatchItem[] =>
  holderEntries(holder).map((one) => assertInBatch(ctx, isPresent(ctx, one), `${one[0]}-not-found`));

/** Attaches files if the holder still exists. `which`: a condition on `files`. */
export const attachStatements = (ctx: Ctx, which: SQL, holder: FileHolder): BatchItem[] =>
  holderEntries(holder).map(([kind, id]) => {
    const { table, column } = LINKS[kind];
    return ctx.db.run(sql`INSERT INTO ${table} (${column}, file_id, owner, created_at)
      SELECT ${id}, files.id, ${ctx.owner}, ${ctx.now.toISOString()} FROM files
      WHERE files.owner = ${ctx.owner} AND ${which} AND ${isPresent(ctx, [kind, id])} ON CONFLICT DO NOTHING`);
  });

/** Restores files from the trash. `which`: a condition on `files`. */
export function restoreStatement(ctx: Ctx, which: SQL) {
  const now = ctx.now.toISOString();
  return ctx.db.run(sql`UPDATE files SET trashed_at = NULL, updated_at = ${now}, due_at = ${daysFromNow(ctx, UNUSED_FILE_DAYS)},
    unused_since = iif(${isAttached}, NULL, ${now}) WHERE ${which} AND trashed_at IS NOT NULL`);
}

const isOwned = (ctx: Ctx, id: string) =>
  sql`EXISTS (SELECT 1 FROM files WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`;

const assertOwned = (ctx: Ctx, id: string) => assertInBatch(ctx, isOwned(ctx, id), "not-found");

/** Attaches a file to a document or record. Idempotent. Throws 404. */
export async function attachFile(ctx: Ctx, id: string, holder: FileHolder): Promise<void> {
  requireBucket(ctx);
  await sendBatch(ctx, [
    assertOwned(ctx, id),
    ...assertHolder(ctx, holder),
    ...attachStatements(ctx, sql`files.id = ${id}`, holder),
  ]);
}

/** Removes an attachment. Idempotent. Throws 404 for an unknown file. */
export async function detachFile(ctx: Ctx, id: string, holder: FileHolder): Promise<void> {
  requireBucket(ctx);
  const deleteStatements = holderEntries(holder).map(([kind, of]) => {
    const { table, column } = LINKS[kind];
    return ctx.db.run(
      sql`DELETE FROM ${table} WHERE file_id = ${id} AND ${column} = ${of} AND owner = ${ctx.owner}`,
    );
  });
  await sendBatch(ctx, [assertOwned(ctx, id), ...deleteStatements]);
}

/** Replaces a file with another wherever it is attached; returns the other. Throws 404 for either. */
export async function replaceFile(ctx: Ctx, id: string, by: string): Promise<StoredFile> {
  requireBucket(ctx);
  const replaceStatements = [
    ...Object.values(LINKS).flatMap(({ table, column }) => [
      ctx.db.run(sql`INSERT INTO ${table} (${column}, file_id, owner, created_at)
        SELECT ${column}, ${by}, owner, created_at FROM ${table} WHERE file_id = ${id} AND owner = ${ctx.owner}
        ON CONFLICT DO NOTHING`),
      ctx.db.run(sql`DELETE FROM ${table} WHERE file_id = ${id} AND owner = ${ctx.owner}`),
    ]),
    ctx.db.run(sql`UPDATE files SET replaces_id = ${id}, updated_at = ${ctx.now.toISOString()},
      due_at = ${daysFromNow(ctx, UNUSED_FILE_DAYS)} WHERE id = ${by} AND owner = ${ctx.owner}`),
  ];
  const results = await ctx.db.batch([
    assertOwned(ctx, id),
    assertInBatch(ctx, isOwned(ctx, by), "file-not-found"),
    ...(id === by ? [] : replaceStatements),
    ctx.db.select(columns).from(files).where(ownedById(ctx, by)),
  ]);
  const [row] = results.at(-1) as FileRow[];
  return presentFile(ctx, row);
}
