import { type SQL, sql } from "drizzle-orm";
import { type BulkActivityEntry, numberedEntries, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { storeVersionsStatement } from "./statement-store.ts";
import { unlistStatements } from "./trash-store.ts";

export type FolderContentAction = "move_up" | "trash";

const DOCUMENTS_PER_STEP = 50;
const BYTES_PER_STEP = 2 * 1024 * 1024;

/** SQL: `folders` are the folders to remove, `parent` their parent or, with `isMerge`, the duplicate they are merged into. */
export type FolderRemoval = {
  folders: SQL;
  onContent: FolderContentAction | undefined;
  parent: SQL;
  isMerge: boolean;
};

/** Where documents go. With `isMerge`, they stay where their writer put them. */
type Destination = { folderId: SQL | null; isMerge: boolean };

const moveAssignments = (ctx: Ctx, { folderId, isMerge }: Destination) => sql`
  folder_id = ${folderId}, version = version + 1, updated_at = ${ctx.now.toISOString()}
  ${isMerge ? sql`` : sql`, writer_source_type = 'api', writer_client_name = NULL`}`;

/** Moves trashed documents, without an activity entry. */
const moveTrashedStatement = (ctx: Ctx, ids: string[], destination: Destination) =>
  ctx.db.run(
    sql`UPDATE documents SET ${moveAssignments(ctx, destination)} WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)}`,
  );

/** Moves earlier versions of documents from the removed folders to the folder that these are merged into. */
const moveVersionsStatement = (ctx: Ctx, ids: string[], { folders, parent }: FolderRemoval) =>
  ctx.db.run(sql`UPDATE document_versions SET folder_id = ${parent}
    WHERE owner = ${ctx.owner} AND document_id IN ${sqlList(ids)} AND folder_id IN ${folders}`);

/** Moves documents to another folder or, with `isTrashing`, to the trash. */
function moveStatements(ctx: Ctx, ids: string[], destination: Destination, isTrashing: boolean) {
  const entry: BulkActivityEntry = {
    verb: isTrashing ? "deleted" : "moved",
    kind: "document",
    record: sql`id`,
    title: sql`title`,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    from: sql`FROM documents WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)}`,
  };
  const trashed = isTrashing ? sql`trashed_at = ${ctx.now.toISOString()},` : sql``;
  return [
    ...recordActivity(ctx, entry),
    ctx.db.run(sql`UPDATE documents SET ${moveAssignments(ctx, destination)}, ${trashed} activity = entry.number
      FROM (${numberedEntries(sql`${ctx.owner}`, entry)}) AS entry WHERE documents.id = entry.record`),
    ...(isTrashing ? ids.flatMap((id) => unlistStatements(ctx, id)) : []),
  ];
}

type FolderContent = { id: string; is_trashed: number };

/** Some documents in the folders, unsorted: sorting would read all of them each time. */
function nextDocumentsInside(ctx: Ctx, { folders, onContent }: FolderRemoval): Promise<FolderContent[]> {
  const trashedOnly = onContent ? sql`` : sql`AND trashed_at IS NOT NULL`;
  const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM documents INDEXED BY documents_folder_id_idx
    WHERE owner = ${ctx.owner} AND folder_id IN ${folders} ${trashedOnly} LIMIT ${DOCUMENTS_PER_STEP}`;
  return ctx.db.all<FolderContent>(
    sql`SELECT id, trashed_at IS NOT NULL AS is_trashed FROM documents WHERE id IN (${firstIdsWithin(some, BYTES_PER_STEP)})`,
  );
}

/** Returns the statements that record that `count` more documents are done. */
export type ProgressStatements = (count: number) => readonly BatchItem[];

/**
 * Moves some documents out of folders that are about to be deleted; trashed ones to the top level, unless the folders are
 * merged into a duplicate. Each keeps its previous state as a version. Returns false if there are none left.
 */
export async function moveOutOfFolders(
  ctx: Ctx,
  leaving: FolderRemoval,
  progressStatements: ProgressStatements,
): Promise<boolean> {
  const { folders, onContent, parent, isMerge } = leaving;
  const [first, ...others] = await nextDocumentsInside(ctx, leaving);
  if (!first) return false;
  const areTrashed = first.is_trashed === 1;
  const alike = [first, ...others].filter(({ is_trashed }) => is_trashed === first.is_trashed);
  const ids = alike.map(({ id }) => id);
  const isTrashing = onContent === "trash";
  const inside = sql`folder_id IN ${folders} AND trashed_at IS ${sql.raw(areTrashed ? "NOT NULL" : "NULL")}`;
  const unmoved = sql`(SELECT count(*) FROM documents
    WHERE id IN ${sqlList(ids)} AND owner = ${ctx.owner} AND +${inside}) = ${ids.length}`;
  const step = sendBatch(ctx, [
    ...progressStatements(ids.length),
    assertInBatch(ctx, unmoved, "stale"),
    storeVersionsStatement(ctx, sql`documents.id IN ${sqlList(ids)}`, { next_has_same_text: true }),
    ...(isMerge ? [moveVersionsStatement(ctx, ids, leaving)] : []),
    ...(areTrashed
      ? [moveTrashedStatement(ctx, ids, { folderId: isMerge ? parent : null, isMerge })]
      : moveStatements(ctx, ids, { folderId: isTrashing ? null : parent, isMerge }, isTrashing)),
  ]);
  await catchRefusal(step, "stale");
  return true;
}
