import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { fieldNamesWith } from "../../contract/field-spec.ts";
import {
  FOLDER_FIELDS,
  type Folder,
  type FolderCreateRequest,
  type FolderList,
  type FolderListQuery,
  type FolderSnapshot,
  type FolderUpdateRequest,
} from "../../contract/folder.ts";
import { folderPathKey } from "../../contract/folder-key.ts";
import { toNfc } from "../../contract/name-key.ts";
import {
  type ActivityEntry,
  type BulkActivityEntry,
  lastActivityNumber,
  recordActivity,
  type WriteContext,
} from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, sendBatch, sendRecoverable } from "../../platform/db/call.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { folders } from "../../platform/db/tables.ts";
import { erasedSinceError, type Idempotency, writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { folderBytes } from "../billing/sizes.ts";
import { isOwnFolder } from "../documents/statement-store.ts";

const columns = {
  ...columnsExcept(folders, "owner", "activity", "key"),
  // Raw SQL, because drizzle omits the table name, which would refer to the inner table.
  document_count: sql<number>`coalesce((SELECT t.documents FROM folder_totals AS t WHERE t.folder_id = folders.id), 0)`,
};

const ownedById = (ctx: Ctx, id: string) => and(eq(folders.id, id), eq(folders.owner, ctx.owner));

/** Aborts the batch unless the parent is the caller's folder or the top level. */
const assertOwnParent = (ctx: Ctx, parentId: string | null | undefined) =>
  parentId ? [assertInBatch(ctx, isOwnFolder(ctx, parentId), "parent-not-found")] : [];

export const FOLDER_STATE = sql.raw(
  `json_object(${fieldNamesWith(FOLDER_FIELDS, "versioned").map((name) => `'${name}', ${name}`)})`,
);

export const folderEntry = (verb: ActivityEntry["verb"], from: SQL): BulkActivityEntry => ({
  verb,
  kind: "folder",
  record: sql`id`,
  title: sql`name`,
  state: FOLDER_STATE,
  from,
});

export const wouldCreateCycle = (id: string, parentId: string | null) => sql`${id} IN (
  WITH RECURSIVE above(id) AS (
    SELECT ${parentId} UNION SELECT f.parent_id FROM folders AS f JOIN above ON f.id = above.id)
  SELECT id FROM above WHERE id IS NOT NULL)`;

async function readFolderAgain(ctx: Ctx, { id }: { id: string }): Promise<Folder> {
  const [folder] = await ctx.db.select(columns).from(folders).where(ownedById(ctx, id));
  if (!folder) throw erasedSinceError();
  return folder;
}

/** `once`: a repeated request gets the folder as it is now, or 410. Throws 404 for an unknown parent, 422. */
export async function createFolder(
  ctx: Ctx,
  input: FolderCreateRequest,
  { once, ...writeContext }: WriteContext & { once?: Idempotency | undefined } = {},
) {
  const now = ctx.now.toISOString();
  const row = {
    id: uuid(),
    name: input.name,
    parent_id: input.parent_id ?? null,
    created_at: now,
    updated_at: now,
  };
  const answer = () => ({ ...row, document_count: 0 });
  return writeOnce(ctx, once, { answer, stored: { id: row.id }, again: readFolderAgain }, [
    ...assertQuotaLeft(ctx, { bytes: folderBytes(row) }),
    ...assertOwnParent(ctx, row.parent_id),
    ...recordActivity(
      ctx,
      { verb: "created", kind: "folder", record: row.id, title: row.name },
      writeContext,
    ),
    ctx.db
      .insert(folders)
      .values({ ...row, key: folderPathKey(row.name), owner: ctx.owner, activity: lastActivityNumber(ctx) }),
  ]);
}

export async function getFolder(ctx: Ctx, id: string): Promise<Folder> {
  const [folder] = await ctx.db.select(columns).from(folders).where(ownedById(ctx, id));
  if (!folder) throw notFound();
  return folder;
}

/** The caller's folders, sorted by name. Throws 404 for an unknown parent. */
export async function listFolders(ctx: Ctx, query: FolderListQuery): Promise<FolderList> {
  const { parent_id } = query;
  const owned = eq(folders.owner, ctx.owner);
  const inParent = parent_id === "none" ? isNull(folders.parent_id) : eq(folders.parent_id, parent_id ?? "");
  const where = parent_id ? and(owned, inParent) : owned;
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(folders)
      .where(where)
      .orderBy(sql`${folders.name} COLLATE NOCASE`, folders.id)
      .limit(query.limit)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(folders).where(where),
    ...assertOwnParent(ctx, parent_id === "none" ? null : parent_id),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** Whether another folder has the name and parent that this one would get. */
export async function hasDuplicate({ db, owner }: Ctx, id: string, { name, parent_id }: FolderUpdateRequest) {
  const parent = parent_id === undefined ? sql`f.parent_id` : sql`${parent_id}`;
  const others = await db.all(sql`SELECT other.id FROM folders AS f CROSS JOIN folders AS other
    ON other.owner = f.owner AND other.id <> f.id AND other.name = ${name ?? sql`f.name`} AND other.parent_id IS ${parent}
    WHERE f.id = ${id} AND f.owner = ${owner} LIMIT 1`);
  return others.length > 0;
}

/** Statements that rename or move a folder. They change nothing if it already has that name and parent. */
function changeStatements(ctx: Ctx, id: string, change: FolderUpdateRequest, writeContext: WriteContext) {
  const { name, parent_id } = change;
  const isSame = sql`name = ${name ?? sql`name`} AND parent_id IS ${parent_id === undefined ? sql`parent_id` : parent_id}`;
  const entry = {
    ...folderEntry(
      sql`iif(name = ${name ?? sql`name`}, 'moved', 'changed')`,
      sql`FROM folders WHERE ${ownedById(ctx, id)} AND NOT (${isSame})`,
    ),
    record: id,
    title: name ?? sql`name`,
  };
  return [
    ...recordActivity(ctx, entry, writeContext),
    ctx.db
      .update(folders)
      .set({
        ...change,
        ...(name !== undefined && { key: folderPathKey(name) }),
        updated_at: sql`iif(${isSame}, updated_at, ${ctx.now.toISOString()})`,
        activity: sql`iif(${isSame}, activity, ${lastActivityNumber(ctx)})`,
      })
      .where(ownedById(ctx, id)),
  ];
}

/** Renames or moves a folder. `ahead`: statements that come first in the transaction. Throws 404, 400 for a cycle. */
export async function updateFolder(
  ctx: Ctx,
  id: string,
  change: FolderUpdateRequest,
  { ahead = [], ...writeContext }: WriteContext & { ahead?: readonly BatchItem[] } = {},
): Promise<Folder> {
  if (Object.keys(change).length === 0) return getFolder(ctx, id);
  const { name, parent_id } = change;
  const more = sql`octet_length(${name}) - (SELECT octet_length(name) FROM folders WHERE ${ownedById(ctx, id)})`;
  const { results } = await sendRecoverable(ctx, [
    assertInBatch(ctx, isOwnFolder(ctx, id), "not-found"),
    ...ahead,
    ...(name === undefined ? [] : assertQuotaLeft(ctx, { bytes: more })),
    ...assertOwnParent(ctx, parent_id),
    ...(parent_id ? [assertInBatch(ctx, sql`NOT ${wouldCreateCycle(id, parent_id)}`, "folder-cycle")] : []),
    ...changeStatements(ctx, id, change, writeContext),
    ctx.db.select(columns).from(folders).where(ownedById(ctx, id)),
  ]);
  if (!results) return getFolder(ctx, id);
  const [folder] = results.at(-1) as Folder[];
  if (!folder) throw notFound();
  return folder;
}

/** Recreates a deleted folder, empty. Throws 404 if its parent no longer exists. */
export async function restoreFolder(ctx: Ctx, id: string, kept: FolderSnapshot, writeContext: WriteContext) {
  // For a name that an earlier version stored in NFD, the cron handler writes the key.
  const key = kept.name === toNfc(kept.name) ? folderPathKey(kept.name) : null;
  const row = { id, ...kept, key, updated_at: ctx.now.toISOString() };
  await sendBatch(ctx, [
    assertInBatch(ctx, sql`NOT EXISTS (SELECT 1 FROM folders WHERE id = ${id})`, "overtaken"),
    ...assertQuotaLeft(ctx, { bytes: folderBytes(kept) }),
    ...assertOwnParent(ctx, kept.parent_id),
    ...recordActivity(ctx, { verb: "restored", kind: "folder", record: id, title: kept.name }, writeContext),
    ctx.db.insert(folders).values({ ...row, owner: ctx.owner, activity: lastActivityNumber(ctx) }),
  ]);
}
