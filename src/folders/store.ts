import { and, eq, isNull, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { badRequest, notFound } from "../core/errors.ts";
import { folders } from "../db/tables.ts";
import type {
  Folder,
  FolderCreateRequest,
  FolderList,
  FolderListQuery,
  FolderUpdateRequest,
} from "./schema.ts";

const visible = {
  id: folders.id,
  name: folders.name,
  parent_id: folders.parent_id,
  // By hand: drizzle leaves the table's name out, and the columns would be those of the inner table.
  document_count: sql<number>`(SELECT count(*) FROM documents AS d
    WHERE d.owner = folders.owner AND d.folder_id = folders.id)`,
  created_at: folders.created_at,
  updated_at: folders.updated_at,
};

const own = (ctx: Ctx, id: string) => and(eq(folders.id, id), eq(folders.owner, ctx.user.number));

/** True in SQL when the folder is the caller's, or when there is none (the top). */
const parentIsMine = (ctx: Ctx, parentId: string | null) =>
  parentId
    ? sql`EXISTS (SELECT 1 FROM folders AS p WHERE p.id = ${parentId} AND p.owner = ${ctx.user.number})`
    : sql`true`;

/** True in SQL when `id` is `parentId` itself or one of the folders above it. */
const wouldBeCycle = (id: string, parentId: string | null) => sql`${id} IN (
  WITH RECURSIVE above(id) AS (
    SELECT ${parentId} UNION SELECT f.parent_id FROM folders AS f JOIN above ON f.id = above.id)
  SELECT id FROM above WHERE id IS NOT NULL)`;

/** Creates a folder. Throws 404 for a parent that is not the caller's. */
export async function createFolder(ctx: Ctx, input: FolderCreateRequest): Promise<Folder> {
  const now = ctx.now.toISOString();
  const parent_id = input.parent_id ?? null;
  const folder = { id: uuid(), name: input.name, parent_id, created_at: now, updated_at: now };
  const inserted = await ctx.db.all(sql`
    INSERT INTO folders (id, owner, name, parent_id, created_at, updated_at)
    SELECT ${folder.id}, ${ctx.user.number}, ${folder.name}, ${parent_id}, ${now}, ${now}
    WHERE ${parentIsMine(ctx, parent_id)} RETURNING id`);
  if (inserted.length === 0) throw notFound();
  return { ...folder, document_count: 0 };
}

/** One of the caller's folders. Throws 404. */
export async function getFolder(ctx: Ctx, id: string): Promise<Folder> {
  const [folder] = await ctx.db.select(visible).from(folders).where(own(ctx, id));
  if (!folder) throw notFound();
  return folder;
}

/** The caller's folders by name; their `parent_id`s make the tree. */
export async function listFolders(ctx: Ctx, query: FolderListQuery): Promise<FolderList> {
  const { parent_id } = query;
  const mine = eq(folders.owner, ctx.user.number);
  const inParent = parent_id === "none" ? isNull(folders.parent_id) : eq(folders.parent_id, parent_id ?? "");
  const where = parent_id ? and(mine, inParent) : mine;
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(visible)
      .from(folders)
      .where(where)
      .orderBy(sql`${folders.name} COLLATE NOCASE`, folders.id)
      .limit(query.limit)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(folders).where(where),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** Renames or moves a folder. Throws 404 for a folder or parent that is not the caller's, 400 for a cycle. */
export async function updateFolder(ctx: Ctx, id: string, change: FolderUpdateRequest): Promise<Folder> {
  if (Object.keys(change).length === 0) return getFolder(ctx, id);
  const moves = change.parent_id !== undefined;
  const parentId = change.parent_id ?? null;
  const cycle = moves ? wouldBeCycle(id, parentId) : sql`false`;
  const [[state], updated, found] = await ctx.db.batch([
    ctx.db.all<{ parent: number; cycle: number }>(
      sql`SELECT ${parentIsMine(ctx, parentId)} AS parent, ${cycle} AS cycle`,
    ),
    ctx.db
      .update(folders)
      .set({ ...change, updated_at: ctx.now.toISOString() })
      .where(and(own(ctx, id), parentIsMine(ctx, parentId), sql`NOT ${cycle}`))
      .returning({ id: folders.id }),
    ctx.db.select(visible).from(folders).where(own(ctx, id)),
  ]);
  const [folder] = found;
  if (!folder || !state?.parent) throw notFound();
  if (updated.length === 0)
    throw badRequest("A folder cannot be moved into itself or into a folder inside it");
  return folder;
}

/**
 * Deletes a folder. With `move_up` its documents and folders move to where it was; without, it must be empty.
 * Throws 404, or 400 when it is not empty.
 */
export async function deleteFolder(ctx: Ctx, id: string, onContent: "move_up" | undefined): Promise<void> {
  const now = ctx.now.toISOString();
  const moving = sql`${onContent === "move_up" ? 1 : 0}`;
  const parent = sql`(SELECT parent_id FROM folders WHERE id = ${id} AND owner = ${ctx.user.number})`;
  const [, , deleted, found] = await ctx.db.batch([
    ctx.db.run(sql`UPDATE documents SET folder_id = ${parent}, version = version + 1, updated_at = ${now}
      WHERE owner = ${ctx.user.number} AND folder_id = ${id} AND ${moving}`),
    ctx.db.run(sql`UPDATE folders SET parent_id = ${parent}, updated_at = ${now}
      WHERE owner = ${ctx.user.number} AND parent_id = ${id} AND ${moving}`),
    ctx.db.all(sql`DELETE FROM folders WHERE id = ${id} AND owner = ${ctx.user.number}
      AND NOT EXISTS (SELECT 1 FROM documents WHERE owner = ${ctx.user.number} AND folder_id = ${id})
      AND NOT EXISTS (SELECT 1 FROM folders AS child WHERE child.parent_id = ${id}) RETURNING id`),
    ctx.db.select({ id: folders.id }).from(folders).where(own(ctx, id)),
  ]);
  if (deleted.length === 1) return;
  if (found.length === 0) throw notFound();
  throw badRequest("The folder is not empty: move its content first, or delete it with on_content=move_up");
}
