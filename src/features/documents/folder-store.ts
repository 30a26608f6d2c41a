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

/** `isMerge`: the folder is merged into its duplicate, so the documents stay where their writer put them. */
type Destination = { folderId: SQL | null; isTrashed: boolean; isMerge: boolean };

const moveAssignments = (ctx: Ctx, { folderId, isMerge }: Pick<Destination, "folderId" | "isMerge">) => sql`
  folder_id = ${folderId}, version = version + 1, updated_at = ${ctx.now.toISOString()}
  ${isMerge ? sql`` : sql`, writer_source_type = 'api', writer_client_name = NULL`}`;

/** Moves trashed documents, without an activity entry. */
const moveTrashedStatement = (
  ctx: Ctx,
  ids: string[],
  destination: Pick<Destination, "folderId" | "isMerge">,
) =>
  ctx.db.run(
    sql`UPDATE documents SET ${moveAssignments(ctx, destination)} WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)}`,
  );

/** Moves earlier versions of documents from the removed folders to the folder that these are merged into. */
const moveVersionsStatement = (ctx: Ctx, ids: string[], { folders, parent }: FolderRemoval) =>
  ctx.db.run(sql`UPDATE document_versions SET folder_id = ${parent}
    WHERE owner = ${ctx.owner} AND document_id IN ${sqlList(ids)} AND folder_id IN ${folders}`);

function moveStatements(ctx: Ctx, ids: string[], { isTrashed, ...destination }: Destination) {
  const entry: BulkActivityEntry = {
    verb: isTrashed ? "deleted" : "moved",
    kind: "document",
    record: sql`id`,
    title: sql`title`,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    from: sql`FROM documents WHERE owner = ${ctx.owner} AND id IN ${sqlList(ids)}`,
  };
  const trashed = isTrashed ? sql`trashed_at = ${ctx.now.toISOString()},` : sql``;
  return [
    ...recordActivity(ctx, entry),
    ctx.db.run(sql`UPDATE documents SET ${moveAssignments(ctx, destination)}, ${trashed} activity = entry.number
      FROM (${numberedEntries(sql`${ctx.owner}`, entry)}) AS entry WHERE documents.id = entry.record`),
  ];
}

type MoveStep = { which: SQL; statements: (ids: string[]) => readonly BatchItem[] };

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

/** Moves documents; each keeps its previous state as a version. */
async function moveDocuments(
  ctx: Ctx,
  ids: string[],
  { which, statements }: MoveStep,
  progressStatements: ProgressStatements,
): Promise<void> {
  const unmoved = sql`(SELECT count(*) FROM documents
    WHERE id IN ${sqlList(ids)} AND owner = ${ctx.owner} AND +${which}) = ${ids.length}`;
  const step = sendBatch(ctx, [
    ...progressStatements(ids.length),
    assertInBatch(ctx, unmoved, "stale"),
    storeVersionsStatement(ctx, sql`documents.id IN ${sqlList(ids)}`),
    ...statements(ids),
  ]);
  await catchRefusal(step, "stale");
}

/** Returns the statements that record that `count` more documents are done. */
export type ProgressStatements = (count: number) => readonly BatchItem[];

/** SQL: `folders` are the folders to remove, `parent` their parent or, with `isMerge`, the duplicate they are merged into. */
type FolderRemoval = {
  folders: SQL;
  onContent: FolderContentAction | undefined;
  parent: SQL;
  isMerge: boolean;
};

function stepForTrashed(ctx: Ctx, leaving: FolderRemoval): MoveStep {
  const { folders, parent, isMerge } = leaving;
  const destination = { folderId: isMerge ? parent : null, isMerge };
  return {
    which: sql`folder_id IN ${folders} AND trashed_at IS NOT NULL`,
    statements: (ids) => [
      ...(isMerge ? [moveVersionsStatement(ctx, ids, leaving)] : []),
      moveTrashedStatement(ctx, ids, destination),
    ],
  };
}

function stepForUntrashed(ctx: Ctx, leaving: FolderRemoval): MoveStep {
  const { folders, onContent, parent, isMerge } = leaving;
  const isTrashed = onContent === "trash";
  const destination = { folderId: isTrashed ? null : parent, isTrashed, isMerge };
  const unlisted = (ids: string[]) => (isTrashed ? ids.flatMap((id) => unlistStatements(ctx, id)) : []);
  return {
    which: sql`folder_id IN ${folders} AND trashed_at IS NULL`,
    statements: (ids) => [
      ...(isMerge ? [moveVersionsStatement(ctx, ids, leaving)] : []),
      ...moveStatements(ctx, ids, destination),
      ...unlisted(ids),
    ],
  };
}

/**
 * Moves some documents out of folders that are about to be deleted; trashed ones to the top level, unless the folders are
 * merged into a duplicate. Returns false if there are none left.
 */
export async function moveOutOfFolders(
  ctx: Ctx,
  leaving: FolderRemoval,
  progressStatements: ProgressStatements = () => [],
): Promise<boolean> {
  const [first, ...others] = await nextDocumentsInside(ctx, leaving);
  if (!first) return false;
  const alike = [first, ...others].filter(({ is_trashed }) => is_trashed === first.is_trashed);
  const step = first.is_trashed ? stepForTrashed(ctx, leaving) : stepForUntrashed(ctx, leaving);
  await moveDocuments(
    ctx,
    alike.map(({ id }) => id),
    step,
    progressStatements,
  );
  return true;
}
