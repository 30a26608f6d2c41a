import { createHash } from "node:crypto";
import { desc, eq, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { ImportList, ImportQuery } from "../../contract/import-state.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { AppError, unprocessable } from "../../platform/core/errors.ts";
import { sendBatch } from "../../platform/db/call.ts";
import { hasRowBefore } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { stillRunningError } from "../../platform/idempotency/store.ts";
import { cancelJobRow, findJob } from "../../platform/jobs/store.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { clearBrokenLinksStatement } from "../memories/import-store.ts";
import { applyLines, type RecordProgress } from "./apply-store.ts";
import { readLines } from "./piece-store.ts";
import { remapId } from "./remap.ts";
import {
  deleteImportRows,
  deleteImportStatements,
  findImport,
  type ImportRow,
  ownedImport,
  presentImport,
} from "./row-store.ts";
import { type ImportState, INITIAL_STATE } from "./state.ts";

const MAX_UNFINISHED = 2;

const RETENTION_DAYS = 7;

export async function listImports(ctx: Ctx, page: { limit: number; offset: number }): Promise<ImportList> {
  const owned = eq(imports.owner, ctx.owner);
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(imports)
      .where(owned)
      .orderBy(desc(imports.created_at), desc(imports.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(imports).where(owned),
  ]);
  return { items: rows.map(presentImport), total: count?.total ?? 0 };
}

/** Creates an import, or finds the one with this key. An interrupted upload starts over. Throws 422 for another file. */
export async function startImport(
  ctx: Ctx,
  query: ImportQuery,
  { key, body }: { key: string | undefined; body: ReadableStream<Uint8Array> | null },
): Promise<{ id: string; isNew: boolean }> {
  if (key === undefined) return { id: await createImport(ctx, query, uuid()), isNew: true };
  const id = remapId((await ctx.user()).id, "import", key);
  const [row] = await ctx.db.select().from(imports).where(ownedImport(ctx, id));
  if (row && row.status !== "uploading") {
    const { sha256 } = JSON.parse(row.state) as ImportState;
    if (sha256 === null) throw stillRunningError();
    const isSame =
      row.mode === query.mode && row.dry_run === query.dry_run && (await digestOf(body)) === sha256;
    if (!isSame)
      throw unprocessable("Idempotency-Key: was used for another file: use a new key for a new import");
    return { id, isNew: false };
  }
  if (row) await deleteImportRows(ctx, id);
  return { id: await createImport(ctx, query, id), isNew: true };
}

async function digestOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

/** Throws 409 while the caller has two unfinished imports, or if another request creates the same one. */
async function createImport(ctx: Ctx, { mode, dry_run }: ImportQuery, id: string): Promise<string> {
  const now = ctx.now.toISOString();
  const unfinished = sql`(SELECT count(*) FROM imports WHERE owner = ${ctx.owner} AND status <> 'done')`;
  const [[before], made] = await ctx.db.batch([
    ctx.db.all<{ unfinished: number }>(sql`SELECT ${unfinished} AS unfinished`),
    ctx.db.returning(sql`
      INSERT INTO imports (id, owner, mode, dry_run, status, received, pieces, piece, line, state, created_at, updated_at)
      SELECT ${id}, ${ctx.owner}, ${mode}, ${dry_run ? 1 : 0}, 'uploading', 0, 0, 0, 0,
        ${JSON.stringify(INITIAL_STATE)}, ${now}, ${now}
      WHERE ${unfinished} < ${MAX_UNFINISHED} ON CONFLICT DO NOTHING RETURNING id`),
  ]);
  if (made.length > 0) return id;
  if ((before?.unfinished ?? 0) < MAX_UNFINISHED) throw stillRunningError();
  throw new AppError(
    409,
    `You have ${MAX_UNFINISHED} unfinished imports (GET /api/import lists them): continue one with ` +
      "POST /api/import/{import_id}, or cancel it with DELETE /api/import/{import_id}",
  );
}

/** Cancels an import. Applied changes stay. Throws 404. */
export async function deleteImport(ctx: Ctx, id: string): Promise<void> {
  await findImport(ctx, id);
  const task = await findJob(ctx, id);
  const statements = deleteImportStatements(ctx, id);
  const isCancelled = task?.state === "waiting" && (await cancelJobRow(ctx, task, statements));
  if (isCancelled) wakeAccount(ctx);
  else await deleteImportRows(ctx, id);
}

/** Applies the next lines of a complete file, or finishes the import. */
export async function applyNextLines(ctx: Ctx, row: ImportRow, progress: RecordProgress): Promise<void> {
  if (row.piece < row.pieces) return applyLines(ctx, row, await readLines(ctx, row, row.piece), { progress });
  await sendBatch(ctx, [
    ...progress(0),
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, row.id)),
    ...(row.dry_run ? [] : [clearBrokenLinksStatement(ctx)]),
    ctx.db.update(imports).set({ status: "done" }).where(ownedImport(ctx, row.id)),
  ]);
}

const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();

export const hasOldImports = (ctx: BaseCtx): SQL => hasRowBefore("imports", "updated_at", cutoff(ctx));

export async function purgeImports(ctx: BaseCtx): Promise<void> {
  const old = await ctx.db
    .select({ id: imports.id })
    .from(imports)
    .where(sql`updated_at < ${cutoff(ctx)} AND ${notFenced("imports.owner")}`)
    .limit(20);
  for (const { id } of old) await deleteImportRows(ctx, id);
}
