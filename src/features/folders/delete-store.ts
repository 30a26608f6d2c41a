import { type SQL, sql } from "drizzle-orm";
import {
  type ActivityEntry,
  numberedEntries,
  recordActivity,
  type WriteContext,
} from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../platform/db/call.ts";
import {
  type FolderContentAction,
  type FolderRemoval,
  moveOutOfFolders,
  type ProgressStatements,
} from "../documents/folder-store.ts";
import { folderEntry, getFolder } from "./store.ts";

/** The ids of the folders that a deletion removes, in SQL: the folder and, with `trash`, those inside it. */
const foldersToDelete = (ctx: Ctx, id: string, onContent: FolderContentAction | undefined) =>
  onContent === "trash"
    ? sql`(WITH RECURSIVE below(id) AS (
        SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner}
        UNION SELECT f.id FROM folders AS f JOIN below ON f.parent_id = below.id)
      SELECT id FROM below)`
    : sql`(SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner})`;

export type FolderDeletion = {
  id: string;
  /** `move_up` moves the content to the parent, `trash` moves documents to the trash; null requires an empty folder. */
  onContent: FolderContentAction | null;
  /** With `move_up`: a duplicate of the folder that gets the content instead of the parent. */
  mergeInto?: string;
};

/** The payload of a deletion, and how many documents it concerns. Throws 404, 400 when the folder is not empty. */
export async function prepareFolderDeletion(
  ctx: Ctx,
  id: string,
  onContent: FolderContentAction | undefined,
): Promise<FolderDeletion & { name: string; total: number }> {
  const folderIds = foldersToDelete(ctx, id, onContent);
  const { name } = await getFolder(ctx, id);
  const counted = ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total
    FROM documents INDEXED BY documents_folder_id_idx WHERE owner = ${ctx.owner} AND folder_id IN ${folderIds}`);
  const [[row]] = await ctx.db.batch([counted, ...(onContent ? [] : assertEmpty(ctx, id))]);
  return { id, onContent: onContent ?? null, name, total: row?.total ?? 0 };
}

/** One step of a deletion; returns whether it is done. Throws 400 if something was added to a folder that must be empty. */
export async function deleteFolderStep(
  ctx: Ctx,
  { id, mergeInto, ...rest }: FolderDeletion,
  progressStatements: ProgressStatements = () => [],
  writeContext: WriteContext = {},
): Promise<boolean> {
  const onContent = rest.onContent ?? undefined;
  const folders = foldersToDelete(ctx, id, onContent);
  // Read in the statement, because the folder may be moved meanwhile.
  const parent = sql`(SELECT ${mergeInto ?? sql`parent_id`} FROM folders WHERE id = ${id} AND owner = ${ctx.owner})`;
  const removal = { folders, onContent, parent, isMerge: mergeInto !== undefined };
  if (await moveOutOfFolders(ctx, removal, progressStatements)) return false;
  const deletion = deletionStatements(ctx, id, removal, writeContext);
  const { refusal } = await catchRefusal(sendBatch(ctx, [...progressStatements(0), ...deletion]), "stale");
  return !refusal;
}

/** Deletes an empty folder, for an undo. Throws 404, 400 when it is not empty. */
export async function deleteEmptyFolder(ctx: Ctx, id: string, writeContext: WriteContext): Promise<void> {
  const deletion = await prepareFolderDeletion(ctx, id, undefined);
  const step = () => deleteFolderStep(ctx, deletion, undefined, writeContext);
  await retryUntilWritten("folder", async () => (await step()) || undefined);
}

const assertEmpty = (ctx: Ctx, id: string) => [
  assertInBatch(
    ctx,
    sql`NOT EXISTS (SELECT 1 FROM documents INDEXED BY documents_folder_id_idx
        WHERE owner = ${ctx.owner} AND folder_id = ${id} AND trashed_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM folders WHERE owner = ${ctx.owner} AND parent_id = ${id})`,
    "folder-not-empty",
  ),
];

/** The activity entries, innermost folder first, so that undoing in reverse finds each parent. An undo has a single folder. */
const deletionEntry = (ctx: Ctx, id: string, folders: SQL, { undoOf }: WriteContext): ActivityEntry => ({
  ...folderEntry(
    "deleted",
    sql`FROM (
      WITH RECURSIVE below(id, depth) AS (
        SELECT ${id}, 0 UNION SELECT f.id, depth + 1 FROM folders AS f JOIN below ON f.parent_id = below.id)
      SELECT f.*, below.depth FROM below JOIN folders AS f ON f.id = below.id
      WHERE f.owner = ${ctx.owner} AND f.id IN ${folders})`,
  ),
  ...(undoOf === undefined ? { order: sql`-depth, id` } : { record: id }),
});

function moveUpStatements(ctx: Ctx, id: string, parent: SQL) {
  const entry = folderEntry("moved", sql`FROM folders WHERE owner = ${ctx.owner} AND parent_id = ${id}`);
  return [
    ...recordActivity(ctx, entry),
    ctx.db.run(sql`UPDATE folders SET parent_id = ${parent}, updated_at = ${ctx.now.toISOString()},
        activity = entry.number
      FROM (${numberedEntries(sql`${ctx.owner}`, entry)}) AS entry WHERE folders.id = entry.record`),
  ];
}

/** Deletes emptied folders. Stale if a document was added since. */
const deletionStatements = (
  ctx: Ctx,
  id: string,
  { folders, onContent, parent }: FolderRemoval,
  writeContext: WriteContext,
) => [
  assertInBatch(
    ctx,
    sql`NOT EXISTS (SELECT 1 FROM documents INDEXED BY documents_folder_id_idx
      WHERE owner = ${ctx.owner} AND folder_id IN ${folders})`,
    "stale",
  ),
  ...(onContent ? [] : assertEmpty(ctx, id)),
  // A folder may be deleted before the ones inside it.
  ctx.db.run(sql`PRAGMA defer_foreign_keys = on`),
  ...(onContent === "move_up" ? moveUpStatements(ctx, id, parent) : []),
  ...recordActivity(ctx, deletionEntry(ctx, id, folders, writeContext), writeContext),
  ctx.db.run(sql`DELETE FROM folders WHERE owner = ${ctx.owner} AND id IN ${folders}`),
];
