import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch, send, unless } from "../../platform/db/call.ts";
import { firstOf } from "../../platform/db/in-steps.ts";
import { numbered, type Recorded, recorded } from "../../platform/ledger/store.ts";
import { keepStatement } from "./statement-store.ts";
import { unlistStatements } from "./trash-store.ts";

export type OnContent = "move_up" | "trash";

const MOVED_AT_ONCE = 50;
const MOVED_BYTES = 2 * 1024 * 1024;

type Destination = { folderId: SQL | null; isTrashed: boolean };

const listOf = (ids: string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

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

/** Moves some of the documents in folders; each keeps its previous state as a version. Returns whether there were any. */
async function moveSome(ctx: Ctx, { which, statements }: Step, noted: Noted): Promise<boolean> {
  const owned = sql`owner = ${ctx.owner} AND ${which}`;
  const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes
    FROM documents INDEXED BY documents_folder_id_idx WHERE ${owned} ORDER BY id LIMIT ${MOVED_AT_ONCE}`;
  const rows = await ctx.db.all<{ id: string }>(firstOf(some, MOVED_BYTES));
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  const unmoved = sql`(SELECT count(*) FROM documents WHERE id IN ${listOf(ids)} AND ${owned}) = ${ids.length}`;
  const step = send(ctx, [
    ...noted(ids.length),
    assertInBatch(ctx, unmoved, "stale"),
    keepStatement(ctx, sql`documents.id IN ${listOf(ids)}`),
    ...statements(ids),
  ]);
  await unless(step, "stale");
  return true;
}

/** The statements that note that so many documents are done. */
export type Noted = (count: number) => readonly BatchItem<"sqlite">[];

/** `taken` are the folders, `parent` what contains them, in SQL. */
type Leaving = { taken: SQL; onContent: OnContent | undefined; parent: SQL };

function stepsOf(ctx: Ctx, { taken, onContent, parent }: Leaving): Step[] {
  const living = sql`folder_id IN ${taken} AND trashed_at IS NULL`;
  const trashed: Step = {
    which: sql`folder_id IN ${taken} AND trashed_at IS NOT NULL`,
    statements: (ids) => [moveSilently(ctx, ids)],
  };
  if (!onContent) return [trashed];
  const isTrashed = onContent === "trash";
  const destination = { folderId: isTrashed ? null : parent, isTrashed };
  const unlisted = (ids: string[]) => (isTrashed ? ids.flatMap((id) => unlistStatements(ctx, id)) : []);
  const statements = (ids: string[]) => [...moveStatements(ctx, ids, destination), ...unlisted(ids)];
  return [trashed, { which: living, statements }];
}

/** Moves some documents out of folders (ids in SQL) that are about to be deleted, trashed ones to the top level. */
export async function leaveFolders(ctx: Ctx, leaving: Leaving, noted: Noted = () => []): Promise<boolean> {
  for (const step of stepsOf(ctx, leaving)) if (await moveSome(ctx, step, noted)) return true;
  return false;
}
