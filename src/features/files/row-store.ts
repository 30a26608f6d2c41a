import { and, eq, isNull, sql } from "drizzle-orm";
import type { Access, KeyScope } from "../../contract/access.ts";
import type { StoredFile } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { filesNotConfigured, forbidden, notFound } from "../../platform/core/errors.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { files } from "../../platform/db/tables.ts";
import { fileKey } from "./bytes.ts";

const MAX_LINKS = 100;

const linkedIds = (table: string, column: string) =>
  sql<string>`(SELECT json_group_array(${sql.raw(column)}) FROM (SELECT ${sql.raw(column)} FROM ${sql.raw(table)} AS l
    WHERE l.file_id = files.id AND l.owner = files.owner ORDER BY created_at DESC LIMIT ${sql.raw(String(MAX_LINKS))}))`;

export const columns = {
  ...columnsExcept(files, "owner", "due_at"),
  document_ids: linkedIds("document_files", "document_id"),
  memory_ids: linkedIds("memory_files", "memory_id"),
};

export type FileRow = Omit<typeof files.$inferSelect, "owner" | "due_at"> & {
  document_ids: string;
  memory_ids: string;
};

async function allows(ctx: Ctx, needed: Access): Promise<boolean> {
  const scopes: readonly KeyScope[] | undefined = ctx.scopes ?? (await ctx.keyScopes?.());
  return scopes === undefined || scopes.includes(needed);
}

/** Throws 403 for a key without a scope that only some requests of the operation need. */
export async function requireAccess(ctx: Ctx, needed: Access): Promise<void> {
  if (!(await allows(ctx, needed))) throw forbidden(`The API key lacks the scope ${needed}`);
}

/** Files as returned by the API. A key without `memory:read` does not see the ids of records. */
export async function presentFiles(ctx: Ctx, rows: FileRow[]): Promise<StoredFile[]> {
  const withRecords = await allows(ctx, "memory:read");
  return rows.map(({ thumbnails, document_ids, memory_ids, ...row }) => ({
    ...row,
    thumbnails: Object.keys(thumbnails).map(Number),
    document_ids: JSON.parse(document_ids) as string[],
    memory_ids: withRecords ? (JSON.parse(memory_ids) as number[]) : [],
  }));
}

/** Throws 404 without a row. */
export async function presentFile(ctx: Ctx, row: FileRow | undefined): Promise<StoredFile> {
  const [file] = await presentFiles(ctx, row ? [row] : []);
  if (!file) throw notFound();
  return file;
}

export const ownedBy = (ctx: Ctx) => eq(files.owner, ctx.owner);
export const ownedByIdOrTrashed = (ctx: Ctx, id: string) => and(eq(files.id, id), ownedBy(ctx));
export const ownedById = (ctx: Ctx, id: string) => and(ownedByIdOrTrashed(ctx, id), isNull(files.trashed_at));

/** The bucket. Throws 501 if the service has none. */
export function requireBucket(ctx: Ctx): R2Bucket {
  if (!ctx.bucket) throw filesNotConfigured();
  return ctx.bucket;
}

export const bucketKeyOf = async (ctx: Ctx, id: string): Promise<string> =>
  fileKey((await ctx.user()).id, id);

const MS_PER_DAY = 86_400_000;

export const daysFromNow = ({ now }: { now: Date }, days: number): string =>
  new Date(now.getTime() + days * MS_PER_DAY).toISOString();
