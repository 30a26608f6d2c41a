import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { unindexStatement } from "../text-index/store.ts";
import { keepStatements } from "./store.ts";

/** What becomes of a folder's documents when it goes. */
export type OnContent = "move_up" | "trash";

/** How many documents one step of a folder's deletion moves. */
const MOVED_AT_ONCE = 50;

/**
 * Takes the documents out of folders that are about to go, in bounded steps: the living to the parent or into the
 * trash, or not at all; those in the trash to the top. Each keeps its state before as a version.
 *
 * @param taken a list of folder ids, in SQL
 */
export async function leaveFolders(
  ctx: Ctx,
  taken: SQL,
  { onContent, parent_id }: { onContent: OnContent | undefined; parent_id: string | null },
): Promise<void> {
  const moving = sql`owner = ${ctx.user.number} AND folder_id IN ${taken}
    AND (trashed_at IS NOT NULL OR ${onContent ? 1 : 0})`;
  const now = ctx.now.toISOString();
  const trashing = onContent === "trash" ? 1 : 0;
  for (;;) {
    const rows = await ctx.db.all<{ id: string }>(
      sql`SELECT id FROM documents WHERE ${moving} ORDER BY id LIMIT ${MOVED_AT_ONCE}`,
    );
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    const which = sql`documents.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${moving}`;
    const isTaken = (id: string) =>
      sql`${trashing} AND EXISTS (SELECT 1 FROM documents WHERE id = ${id} AND ${moving})`;
    await ctx.db.batch([
      ...keepStatements(ctx, which),
      ctx.db.run(sql`DELETE FROM document_tags
        WHERE ${trashing} AND document_id IN (SELECT id FROM documents WHERE ${which})`),
      ...ids.map((id) => unindexStatement(ctx, { kind: "document", record: id }, isTaken(id))),
      ctx.db.run(sql`UPDATE documents SET
        folder_id = CASE WHEN trashed_at IS NULL AND NOT ${trashing}
          THEN (SELECT id FROM folders WHERE id = ${parent_id} AND owner = ${ctx.user.number}) END,
        trashed_at = CASE WHEN ${trashing} THEN coalesce(trashed_at, ${now}) ELSE trashed_at END,
        version = version + 1, updated_at = ${now}, writer_source_type = 'api', writer_client_name = NULL
        WHERE ${which}`),
    ]);
  }
}
