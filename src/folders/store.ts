import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { badRequest, notFound, unavailable } from "../core/errors.ts";
import { type Idempotency, onceStatements, storedAnswer } from "../core/idempotency.ts";
import { folders } from "../db/tables.ts";
import { leaveFolders, type OnContent } from "../documents/folder-store.ts";
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
    WHERE d.owner = folders.owner AND d.folder_id = folders.id AND d.trashed_at IS NULL)`,
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

/**
 * Creates a folder. With `once`, a repetition of the same request answers what the first one did.
 * Throws 404 for a parent that is not the caller's, 422 for a key that was used for another body.
 */
export async function createFolder(
  ctx: Ctx,
  input: FolderCreateRequest,
  once?: Idempotency,
): Promise<Folder> {
  const now = ctx.now.toISOString();
  const parent_id = input.parent_id ?? null;
  const folder = {
    id: uuid(),
    name: input.name,
    parent_id,
    document_count: 0,
    created_at: now,
    updated_at: now,
  };
  const allowed = parentIsMine(ctx, parent_id);
  const insert = (when: SQL) =>
    ctx.db.all(sql`
      INSERT INTO folders (id, owner, name, parent_id, created_at, updated_at)
      SELECT ${folder.id}, ${ctx.user.number}, ${folder.name}, ${parent_id}, ${now}, ${now} WHERE ${when} RETURNING id`);
  if (!once) {
    const inserted = await insert(allowed);
    if (inserted.length === 0) throw notFound("parent_id");
    return folder;
  }
  const { claim, stored, mine } = onceStatements(ctx, once, JSON.stringify(folder), allowed);
  const [, [found]] = await ctx.db.batch([claim, stored, insert(sql`${allowed} AND ${mine}`)]);
  const answer = storedAnswer(once, found);
  if (answer === undefined) throw notFound("parent_id");
  return JSON.parse(answer) as Folder;
}

/** One of the caller's folders. Throws 404. */
export async function getFolder(ctx: Ctx, id: string): Promise<Folder> {
  const [folder] = await ctx.db.select(visible).from(folders).where(own(ctx, id));
  if (!folder) throw notFound();
  return folder;
}

/** The caller's folders by name; their `parent_id`s make the tree. Throws 404 for a parent that is not the caller's. */
export async function listFolders(ctx: Ctx, query: FolderListQuery): Promise<FolderList> {
  const { parent_id } = query;
  const mine = eq(folders.owner, ctx.user.number);
  const inParent = parent_id === "none" ? isNull(folders.parent_id) : eq(folders.parent_id, parent_id ?? "");
  const where = parent_id ? and(mine, inParent) : mine;
  const parentId = parent_id === "none" ? null : (parent_id ?? null);
  const [items, [count], [parent]] = await ctx.db.batch([
    ctx.db
      .select(visible)
      .from(folders)
      .where(where)
      .orderBy(sql`${folders.name} COLLATE NOCASE`, folders.id)
      .limit(query.limit)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(folders).where(where),
    ctx.db.all<{ mine: number }>(sql`SELECT ${parentIsMine(ctx, parentId)} AS mine`),
  ]);
  if (!parent?.mine) throw notFound("parent_id");
  return { items, total: count?.total ?? 0 };
}

/** Renames or moves a folder; a change of nothing leaves `updated_at`. Throws 404 for a folder or parent that is not the caller's, 400 for a cycle. */
export async function updateFolder(ctx: Ctx, id: string, change: FolderUpdateRequest): Promise<Folder> {
  if (Object.keys(change).length === 0) return getFolder(ctx, id);
  const moves = change.parent_id !== undefined;
  const parentId = change.parent_id ?? null;
  const same = sql`name = ${change.name ?? sql`name`} AND parent_id IS ${moves ? parentId : sql`parent_id`}`;
  const cycle = moves ? wouldBeCycle(id, parentId) : sql`false`;
  const [[state], updated, found] = await ctx.db.batch([
    ctx.db.all<{ parent: number; cycle: number }>(
      sql`SELECT ${parentIsMine(ctx, parentId)} AS parent, ${cycle} AS cycle`,
    ),
    ctx.db
      .update(folders)
      .set({ ...change, updated_at: sql`iif(${same}, updated_at, ${ctx.now.toISOString()})` })
      .where(and(own(ctx, id), parentIsMine(ctx, parentId), sql`NOT ${cycle}`))
      .returning({ id: folders.id }),
    ctx.db.select(visible).from(folders).where(own(ctx, id)),
  ]);
  const [folder] = found;
  if (!folder) throw notFound();
  if (!state?.parent) throw notFound("parent_id");
  if (updated.length === 0)
    throw badRequest("A folder cannot be moved into itself or into a folder inside it");
  return folder;
}

/** How often a deletion starts again because something came into the folder meanwhile. */
const MAX_ATTEMPTS = 20;

/** True in SQL for the folders that a deletion takes: the folder, and with `trash` those inside it. */
const doomed = (ctx: Ctx, id: string, onContent: OnContent | undefined) =>
  onContent === "trash"
    ? sql`(WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.user.number}
        UNION SELECT f.id FROM folders AS f JOIN below ON f.parent_id = below.id)
      SELECT id FROM below)`
    : sql`(SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.user.number})`;

/**
 * Deletes a folder. With `move_up` its documents and folders move to where it was; with `trash` its documents and
 * those of the folders in it go to the trash, and the folders go; without, it must be empty. Documents move in
 * bounded steps, and the folders go last: a broken run can be repeated.
 * Throws 404, or 400 when it is not empty.
 */
export async function deleteFolder(ctx: Ctx, id: string, onContent: OnContent | undefined): Promise<void> {
  const { parent_id } = await getFolder(ctx, id);
  if (!onContent) await needEmpty(ctx, id);
  const taken = doomed(ctx, id, onContent);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await leaveFolders(ctx, taken, { onContent, parent_id });
    if (await deleteEmptyFolders(ctx, id, { onContent, parent_id, taken })) return;
  }
  throw unavailable("The folder is being filled while it is deleted: try again");
}

/** Throws 400 when a folder has documents or folders in it. */
async function needEmpty(ctx: Ctx, id: string): Promise<void> {
  const [content] = await ctx.db.all(sql`
    SELECT 1 FROM documents WHERE owner = ${ctx.user.number} AND folder_id = ${id} AND trashed_at IS NULL
    UNION ALL SELECT 1 FROM folders WHERE owner = ${ctx.user.number} AND parent_id = ${id} LIMIT 1`);
  if (!content) return;
  throw badRequest(
    "The folder is not empty: move its content first, or delete it with on_content=move_up or on_content=trash",
  );
}

type Deletion = { onContent: OnContent | undefined; parent_id: string | null };

/** Deletes the folders if no document is left in them, in one transaction; says whether it did. */
async function deleteEmptyFolders(
  ctx: Ctx,
  id: string,
  { onContent, parent_id, taken }: Deletion & { taken: SQL },
) {
  const owner = ctx.user.number;
  const isEmpty = sql`NOT EXISTS (SELECT 1 FROM documents WHERE owner = ${owner} AND folder_id IN ${taken})`;
  const results = await ctx.db.batch([
    ctx.db.run(sql`PRAGMA defer_foreign_keys = on`),
    ctx.db.run(sql`UPDATE folders SET parent_id = ${parent_id}, updated_at = ${ctx.now.toISOString()}
      WHERE owner = ${owner} AND parent_id = ${id} AND ${onContent === "move_up" ? 1 : 0} AND ${isEmpty}`),
    ctx.db.all(sql`DELETE FROM folders WHERE owner = ${owner} AND id IN ${taken} AND ${isEmpty}
      AND (${onContent === "trash" ? 1 : 0} OR NOT EXISTS (SELECT 1 FROM folders AS child WHERE child.parent_id = ${id})) RETURNING id`),
  ]);
  return results[2].length > 0;
}
