import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { breathe } from "../../platform/turns/yield.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { must, send, unless } from "../../platform/db/call.ts";
import { firstOf } from "../../platform/db/in-steps.ts";
import { numbered, type Recorded, recorded } from "../../platform/ledger/store.ts";
import { keepStatement } from "../../documents/store.ts";
import { unlistStatements } from "./trash-store.ts";

/** What happens to a folder's documents when it is deleted. */
export type OnContent = "move_up" | "trash";

/** How many documents one step of a folder's deletion moves, and how many bytes of content. */
const MOVED_AT_ONCE = 20;
const MOVED_BYTES = 2 * 1024 * 1024;

type Destination = { folderId: string | null; isTrashed: boolean };

const listOf = (ids: string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** What is written with each document that is moved. */
const movedTo = (ctx: Ctx, folderId: string | null) =>
  sql`folder_id = ${folderId}, version = version + 1, updated_at = ${ctx.now.toISOString()},
    writer_source_type = 'api', writer_client_name = NULL`;

/** The statement that moves documents to the top level without an entry in the ledger. */
const moveSilently = (ctx: Ctx, ids: string[]) =>
  ctx.db.run(
    sql`UPDATE documents SET ${movedTo(ctx, null)} WHERE owner = ${ctx.owner} AND id IN ${listOf(ids)}`,
  );

/** The statements that move documents to another folder, or to the top level of the trash. */
function moveStatements(ctx: Ctx, ids: string[], { folderId, isTrashed }: Destination) {
  const entry: Recorded = {
    ...{ verb: isTrashed ? "deleted" : "moved", kind: "document", record: sql`id`, title: sql`title` },
    ...{ version_before: sql`version`, version_after: sql`version + 1` },
    from: sql`FROM documents WHERE owner = ${ctx.owner} AND id IN ${listOf(ids)}`,
  };
  const trashed = isTrashed ? sql`trashed_at = ${ctx.now.toISOString()},` : sql``;
  return [
    ...recorded(ctx, entry),
    ctx.db.run(sql`UPDATE documents SET ${movedTo(ctx, folderId)}, ${trashed} activity = entry.number
      FROM (${numbered(sql`${ctx.owner}`, entry)}) AS entry WHERE documents.id = entry.record`),
  ];
}

/** Moves the documents in folders that match `which`, in bounded steps; each keeps its previous state as a version. */
async function moveAll(
  ctx: Ctx,
  which: SQL,
  statements: (ids: string[]) => readonly BatchItem<"sqlite">[],
): Promise<void> {
  const mine = sql`owner = ${ctx.owner} AND ${which}`;
  for (;;) {
    const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes
      FROM documents INDEXED BY documents_folder_id_idx WHERE ${mine} ORDER BY id LIMIT ${MOVED_AT_ONCE}`;
    const rows = await ctx.db.all<{ id: string }>(firstOf(some, MOVED_BYTES));
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    const unmoved = sql`(SELECT count(*) FROM documents WHERE id IN ${listOf(ids)} AND ${mine}) = ${ids.length}`;
    const step = send(ctx, [
      must(ctx, unmoved, "stale"),
      keepStatement(ctx, sql`documents.id IN ${listOf(ids)}`),
      ...statements(ids),
    ]);
    await unless(step, "stale");
    await breathe();
  }
}

/**
 * Moves documents out of folders that are about to be deleted: active ones to the parent, to the trash, or not at all;
 * trashed ones to the top level.
 *
 * @param taken a list of folder ids, in SQL
 */
export async function leaveFolders(
  ctx: Ctx,
  taken: SQL,
  { onContent, parent_id }: { onContent: OnContent | undefined; parent_id: string | null },
): Promise<void> {
  const living = sql`folder_id IN ${taken} AND trashed_at IS NULL`;
  await moveAll(ctx, sql`folder_id IN ${taken} AND trashed_at IS NOT NULL`, (ids) => [
    moveSilently(ctx, ids),
  ]);
  if (onContent === "move_up") {
    await moveAll(ctx, living, (ids) => moveStatements(ctx, ids, { folderId: parent_id, isTrashed: false }));
  }
  if (onContent === "trash") {
    await moveAll(ctx, living, (ids) => [
      ...moveStatements(ctx, ids, { folderId: null, isTrashed: true }),
      ...ids.flatMap((id) => unlistStatements(ctx, id)),
    ]);
  }
}
