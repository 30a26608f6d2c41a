import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { mustHaveRoom } from "../features/billing/quota-store.ts";
import { folderBytes } from "../features/billing/sizes.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { notFound } from "../platform/core/errors.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { must, send, unless } from "../platform/db/call.ts";
import { columnsBut } from "../platform/db/columns.ts";
import { folders } from "../db/tables.ts";
import { leaveFolders, type OnContent } from "../features/documents/folder-store.ts";
import { type Idempotency, writeOnce } from "../idempotency/store.ts";
import { type Entry, lastNumber, numbered, type Recorded, recorded, type Told } from "../platform/ledger/store.ts";
import type {
  Folder,
  FolderCreateRequest,
  FolderList,
  FolderListQuery,
  FolderUpdateRequest,
} from "../contract/folder.ts";

const shown = {
  ...columnsBut(folders, "owner", "activity"),
  // Raw SQL, because drizzle omits the table's name, and the columns would be those of the inner table.
  document_count: sql<number>`coalesce((SELECT t.documents FROM folder_totals AS t WHERE t.folder_id = folders.id), 0)`,
};

const own = (ctx: Ctx, id: string) => and(eq(folders.id, id), eq(folders.owner, ctx.owner));

/** Refuses the batch unless the parent is the caller's, or null for the top level. */
const mustOwnParent = (ctx: Ctx, parentId: string | null | undefined) =>
  parentId
    ? [
        must(
          ctx,
          sql`EXISTS (SELECT 1 FROM folders WHERE id = ${parentId} AND owner = ${ctx.owner})`,
          "parent-not-found",
        ),
      ]
    : [];

/** A folder as it is, for the ledger. */
export const FOLDER_STATE = sql`json_object('name', name, 'parent_id', parent_id, 'created_at', created_at)`;

/** The ledger's entry for the folders of `from`, which are about to change. */
const entryOf = (verb: Entry["verb"], from: SQL): Recorded => ({
  ...{ verb, kind: "folder", record: sql`id`, title: sql`name`, state: FOLDER_STATE, from },
});

/** True in SQL when `id` is `parentId` itself or one of the folders above it. */
const wouldBeCycle = (id: string, parentId: string | null) => sql`${id} IN (
  WITH RECURSIVE above(id) AS (
    SELECT ${parentId} UNION SELECT f.parent_id FROM folders AS f JOIN above ON f.id = above.id)
  SELECT id FROM above WHERE id IS NOT NULL)`;

/**
 * Creates a folder. With `once`, a repetition of the same request returns the first one's answer.
 * Throws 404 for a parent that is not the caller's, 422 for a key that was used for a different body.
 */
export async function createFolder(
  ctx: Ctx,
  input: FolderCreateRequest,
  once?: Idempotency,
): Promise<Folder> {
  const now = ctx.now.toISOString();
  const row = {
    id: uuid(),
    name: input.name,
    parent_id: input.parent_id ?? null,
    created_at: now,
    updated_at: now,
  };
  return writeOnce(ctx, once, { ...row, document_count: 0 }, [
    ...mustHaveRoom(ctx, { bytes: folderBytes(row.name) }),
    ...mustOwnParent(ctx, row.parent_id),
    ...recorded(ctx, { verb: "created", kind: "folder", record: row.id, title: row.name }),
    ctx.db.insert(folders).values({ ...row, owner: ctx.owner, activity: lastNumber(ctx) }),
  ]);
}

/** One of the caller's folders. Throws 404. */
export async function getFolder(ctx: Ctx, id: string): Promise<Folder> {
  const [folder] = await ctx.db.select(shown).from(folders).where(own(ctx, id));
  if (!folder) throw notFound();
  return folder;
}

/** The caller's folders, sorted by name. Throws 404 for a parent that is not the caller's. */
export async function listFolders(ctx: Ctx, query: FolderListQuery): Promise<FolderList> {
  const { parent_id } = query;
  const mine = eq(folders.owner, ctx.owner);
  const inParent = parent_id === "none" ? isNull(folders.parent_id) : eq(folders.parent_id, parent_id ?? "");
  const where = parent_id ? and(mine, inParent) : mine;
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(shown)
      .from(folders)
      .where(where)
      .orderBy(sql`${folders.name} COLLATE NOCASE`, folders.id)
      .limit(query.limit)
      .offset(query.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(folders).where(where),
    ...mustOwnParent(ctx, parent_id === "none" ? null : parent_id),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** Whether another folder has the name and the place that a change would give one. */
export async function hasTwin(
  { db, owner }: Ctx,
  id: string,
  { name, parent_id }: FolderUpdateRequest,
): Promise<boolean> {
  const place = parent_id === undefined ? sql`f.parent_id` : sql`${parent_id}`;
  const twins = await db.all(sql`SELECT twin.id FROM folders AS f CROSS JOIN folders AS twin
    ON twin.owner = f.owner AND twin.id <> f.id AND twin.name = ${name ?? sql`f.name`} AND twin.parent_id IS ${place}
    WHERE f.id = ${id} AND f.owner = ${owner} LIMIT 1`);
  return twins.length > 0;
}

/** The bytes of a folder's name, in SQL. */
const nameBytes = (ctx: Ctx, id: string) =>
  sql`(SELECT octet_length(name) FROM folders WHERE ${own(ctx, id)})`;

/**
 * Renames or moves a folder; a change of nothing keeps `updated_at`. Throws 404 for a folder or parent that is not the
 * caller's, 400 for a cycle.
 */
export async function updateFolder(
  ctx: Ctx,
  id: string,
  change: FolderUpdateRequest,
  told: Told = {},
): Promise<Folder> {
  if (Object.keys(change).length === 0) return getFolder(ctx, id);
  const { name, parent_id } = change;
  const same = sql`name = ${name ?? sql`name`} AND parent_id IS ${parent_id === undefined ? sql`parent_id` : parent_id}`;
  const results = await ctx.db.batch([
    must(ctx, sql`EXISTS (SELECT 1 FROM folders WHERE ${own(ctx, id)})`, "not-found"),
    ...(name === undefined
      ? []
      : mustHaveRoom(ctx, { bytes: sql`octet_length(${name}) - ${nameBytes(ctx, id)}` })),
    ...mustOwnParent(ctx, parent_id),
    ...(parent_id ? [must(ctx, sql`NOT ${wouldBeCycle(id, parent_id)}`, "folder-cycle")] : []),
    ...recorded(
      ctx,
      {
        ...entryOf(
          sql`iif(name = ${name ?? sql`name`}, 'moved', 'changed')`,
          sql`FROM folders WHERE ${own(ctx, id)} AND NOT (${same})`,
        ),
        ...{ record: id, title: name ?? sql`name` },
      },
      told,
    ),
    ctx.db
      .update(folders)
      .set({
        ...change,
        updated_at: sql`iif(${same}, updated_at, ${ctx.now.toISOString()})`,
        activity: sql`iif(${same}, activity, ${lastNumber(ctx)})`,
      })
      .where(own(ctx, id)),
    ctx.db.select(shown).from(folders).where(own(ctx, id)),
  ]);
  const [folder] = results.at(-1) as Folder[];
  if (!folder) throw notFound();
  return folder;
}

/** True in SQL for the folders that a deletion removes: the folder and, with `trash`, those inside it. */
const doomed = (ctx: Ctx, id: string, onContent: OnContent | undefined) =>
  onContent === "trash"
    ? sql`(WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner}
        UNION SELECT f.id FROM folders AS f JOIN below ON f.parent_id = below.id)
      SELECT id FROM below)`
    : sql`(SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner})`;

/**
 * Deletes a folder. `move_up` moves its documents and folders to its parent; `trash` moves its documents, and those of
 * the folders in it, to the trash and deletes these folders; otherwise it must be empty. Documents are moved in bounded
 * steps and the folders deleted last, so an interrupted deletion can be repeated.
 * Throws 404, or 400 when it is not empty.
 */
export async function deleteFolder(
  ctx: Ctx,
  id: string,
  onContent: OnContent | undefined,
  told: Told = {},
): Promise<void> {
  const { parent_id } = await getFolder(ctx, id);
  const taken = doomed(ctx, id, onContent);
  if (!onContent) await send(ctx, mustBeEmpty(ctx, id));
  await untilWritten("folder", async () => {
    await leaveFolders(ctx, taken, { onContent, parent_id });
    const { refusal } = await unless(
      deleteLeftFolders(ctx, id, { onContent, parent_id, taken, told }),
      "stale",
    );
    return refusal ? undefined : true;
  });
}

/** Refuses the batch when the folder contains documents or folders. */
const mustBeEmpty = (ctx: Ctx, id: string) => [
  must(
    ctx,
    sql`NOT EXISTS (SELECT 1 FROM documents INDEXED BY documents_folder_id_idx
        WHERE owner = ${ctx.owner} AND folder_id = ${id} AND trashed_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM folders WHERE owner = ${ctx.owner} AND parent_id = ${id})`,
    "folder-not-empty",
  ),
];

/**
 * The ledger's entries of deleted folders, the innermost first, so that undoing them from the last one finds each parent.
 * A deletion that undoes a creation is that of one folder.
 */
const deletionOf = (ctx: Ctx, { id, taken, told }: { id: string; taken: SQL; told: Told }): Entry => ({
  ...entryOf(
    "deleted",
    sql`FROM (
      WITH RECURSIVE below(id, depth) AS (
        SELECT ${id}, 0 UNION SELECT f.id, depth + 1 FROM folders AS f JOIN below ON f.parent_id = below.id)
      SELECT f.*, below.depth FROM below JOIN folders AS f ON f.id = below.id
      WHERE f.owner = ${ctx.owner} AND f.id IN ${taken})`,
  ),
  ...(told.undoing === undefined ? { order: sql`-depth, id` } : { record: id }),
});

/** The statements that move the folders in a folder to its parent. */
function moveUpStatements(ctx: Ctx, id: string, parent_id: string | null) {
  const entry = entryOf("moved", sql`FROM folders WHERE owner = ${ctx.owner} AND parent_id = ${id}`);
  return [
    ...recorded(ctx, entry),
    ctx.db.run(sql`UPDATE folders SET parent_id = ${parent_id}, updated_at = ${ctx.now.toISOString()},
        activity = entry.number
      FROM (${numbered(sql`${ctx.owner}`, entry)}) AS entry WHERE folders.id = entry.record`),
  ];
}

type Deletion = { onContent: OnContent | undefined; parent_id: string | null; taken: SQL; told: Told };

/** Deletes emptied folders in one transaction. Refuses as stale when a document has been added since. */
const deleteLeftFolders = (ctx: Ctx, id: string, { onContent, parent_id, taken, told }: Deletion) =>
  send(ctx, [
    must(
      ctx,
      sql`NOT EXISTS (SELECT 1 FROM documents INDEXED BY documents_folder_id_idx
        WHERE owner = ${ctx.owner} AND folder_id IN ${taken})`,
      "stale",
    ),
    ...(onContent ? [] : mustBeEmpty(ctx, id)),
    // A folder may be deleted before the ones inside it.
    ctx.db.run(sql`PRAGMA defer_foreign_keys = on`),
    ...(onContent === "move_up" ? moveUpStatements(ctx, id, parent_id) : []),
    ...recorded(ctx, deletionOf(ctx, { id, taken, told }), told),
    ctx.db.run(sql`DELETE FROM folders WHERE owner = ${ctx.owner} AND id IN ${taken}`),
  ]);

/** A folder as the ledger keeps it. */
export type KeptFolder = { name: string; parent_id: string | null; created_at: string };

/** Creates a deleted folder again, empty. Throws 404 when its parent no longer exists. */
export async function restoreFolder(ctx: Ctx, id: string, kept: KeptFolder, told: Told): Promise<void> {
  const row = { id, ...kept, updated_at: ctx.now.toISOString() };
  await send(ctx, [
    must(ctx, sql`NOT EXISTS (SELECT 1 FROM folders WHERE id = ${id})`, "overtaken"),
    ...mustHaveRoom(ctx, { bytes: folderBytes(kept.name) }),
    ...mustOwnParent(ctx, kept.parent_id),
    ...recorded(ctx, { verb: "restored", kind: "folder", record: id, title: kept.name }, told),
    ctx.db.insert(folders).values({ ...row, owner: ctx.owner, activity: lastNumber(ctx) }),
  ]);
}
