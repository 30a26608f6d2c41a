import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch, send, unless } from "../../platform/db/call.ts";
import { firstOf } from "../../platform/db/in-steps.ts";
import { listOf } from "../../platform/db/list.ts";
import { numbered, type Recorded, recorded } from "../../platform/ledger/store.ts";
import { keepStatement } from "./statement-store.ts";
import { unlistStatements } from "./trash-store.ts";

export type OnContent = "move_up" | "trash";

const MOVED_AT_ONCE = 50;
const MOVED_BYTES = 2 * 1024 * 1024;

type Destination = { folderId: SQL | null; isTrashed: boolean };

const movedTo = (ctx: Ctx, folderId: SQL | null) =>
  sql`folder_id = ${folderId}, version = version + 1, updated_at = ${ctx.now.toISOString()},
    writer_source_type = 'api', writer_client_name = NULL`;

/** The statement that moves documents to the top level without an entry in the ledger. */
const moveSilently = (ctx: Ctx, ids: string[]) =>
  ctx.db.run(
    sql`UPDATE documents SET ${movedTo(ctx, null)} WHERE owner = ${ctx.owner} AND id IN ${listOf(ids)}`,
  );

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

type Step = { which: SQL; statements: (ids: string[]) => readonly BatchItem<"sqlite">[] };

type Found = { id: string; is_trashed: number };

/** Some documents in folders, in no order: sorted, all of them would be read each time. */
function nextInside(ctx: Ctx, { taken, onContent }: Leaving): Promise<Found[]> {
  const living = onContent ? sql`` : sql`AND trashed_at IS NOT NULL`;
  const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM documents INDEXED BY documents_folder_id_idx
    WHERE owner = ${ctx.owner} AND folder_id IN ${taken} ${living} LIMIT ${MOVED_AT_ONCE}`;
  return ctx.db.all<Found>(
    sql`SELECT id, trashed_at IS NOT NULL AS is_trashed FROM documents WHERE id IN (${firstOf(some, MOVED_BYTES)})`,
  );
}

/** Moves documents in folders; each keeps its previous state as a version. */
async function moveSome(ctx: Ctx, ids: string[], { which, statements }: Step, noted: Noted): Promise<void> {
  const unmoved = sql`(SELECT count(*) FROM documents
    WHERE id IN ${listOf(ids)} AND owner = ${ctx.owner} AND +${which}) = ${ids.length}`;
  const step = send(ctx, [
    ...noted(ids.length),
    assertInBatch(ctx, unmoved, "stale"),
    keepStatement(ctx, sql`documents.id IN ${listOf(ids)}`),
    ...statements(ids),
  ]);
  await unless(step, "stale");
}

/** The statements that note that so many documents are done. */
export type Noted = (count: number) => readonly BatchItem<"sqlite">[];

/** `taken` are the folders, `parent` what contains them, in SQL. */
type Leaving = { taken: SQL; onContent: OnContent | undefined; parent: SQL };

const stepOfTrashed = (ctx: Ctx, { taken }: Leaving): Step => ({
  which: sql`folder_id IN ${taken} AND trashed_at IS NOT NULL`,
  statements: (ids) => [moveSilently(ctx, ids)],
});

function stepOfLiving(ctx: Ctx, { taken, onContent, parent }: Leaving): Step {
  const isTrashed = onContent === "trash";
  const destination = { folderId: isTrashed ? null : parent, isTrashed };
  const unlisted = (ids: string[]) => (isTrashed ? ids.flatMap((id) => unlistStatements(ctx, id)) : []);
  return {
    which: sql`folder_id IN ${taken} AND trashed_at IS NULL`,
    statements: (ids) => [...moveStatements(ctx, ids, destination), ...unlisted(ids)],
  };
}

/** Moves some documents out of folders (ids in SQL) that are about to be deleted, trashed ones to the top level. */
export async function leaveFolders(ctx: Ctx, leaving: Leaving, noted: Noted = () => []): Promise<boolean> {
  const [first, ...others] = await nextInside(ctx, leaving);
  if (!first) return false;
  const alike = [first, ...others].filter(({ is_trashed }) => is_trashed === first.is_trashed);
  const step = first.is_trashed ? stepOfTrashed(ctx, leaving) : stepOfLiving(ctx, leaving);
  await moveSome(
    ctx,
    alike.map(({ id }) => id),
    step,
    noted,
  );
  return true;
}
