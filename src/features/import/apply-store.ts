import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Ctx, CtxUser } from "../../platform/core/ctx.ts";
import { unavailable } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { import_pieces, users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { assertQuotaLeft, remainingQuota, usageStatement } from "../billing/quota-store.ts";
import { addUsage } from "../billing/remaining-quota.ts";
import { renameOverwritten } from "../documents/change-store.ts";
import { MAX_DOCUMENT_BYTES } from "../documents/document-size.ts";
import { newDocumentIndexing } from "../documents/index-store.ts";
import { isRecordLine, type RecordLine, readExportLine } from "../export/format.ts";
import { existingMemories } from "../memories/import-store.ts";
import { readKnownFiles } from "./file-store.ts";
import { keptDocumentIds, readKeptFindings } from "./kept-findings-store.ts";
import { planLines } from "./line-store.ts";
import type { Lines } from "./piece-store.ts";
import { remapId } from "./remap.ts";
import type { ImportRow } from "./row-store.ts";
import { readState } from "./state.ts";
import { type ImportBatch, type ImportKind, memoryNumber, readExisting, TABLES } from "./step-store.ts";

/** Lines per step. Each step is one transaction that also moves the cursor. */
const LINES_AT_ONCE = 100;

const referencedIds = (records: RecordLine[], kind: "folder" | "document", salt: string) =>
  records
    .flatMap((line) => {
      if (line.type === kind) return line.id;
      if (kind === "folder") return [];
      if (line.type === "tidy_kept") return keptDocumentIds(line);
      return line.type === "attachment" ? (line.document_id ?? []) : [];
    })
    .flatMap((id) => [id, remapId(salt, kind, id)]);

/** SQL condition: the ids that a step found free are still free. Another import may run at the same time. */
function areIdsFree(ctx: Ctx, taken: ImportBatch["taken"]): SQL {
  const isTaken = (kind: ImportKind, owned = sql``) =>
    sql`EXISTS (SELECT 1 FROM ${TABLES[kind]} WHERE ${owned} id IN ${sqlList(taken[kind])})`;
  const ofCaller = sql`owner = ${ctx.owner} AND`;
  return sql`NOT ${isTaken("folder")} AND NOT ${isTaken("document")} AND NOT ${isTaken("memory", ofCaller)}`;
}

/** The caller's account after the previous steps. `ctx.user()` was read before the first one. */
async function readUser(ctx: Ctx): Promise<CtxUser> {
  const [user] = await ctx.db.select(ctxUserColumns).from(users).where(eq(users.number, ctx.owner));
  return user ?? ctx.user();
}

async function planStep(ctx: Ctx, row: ImportRow, records: RecordLine[], mostBytes: number) {
  const user = await readUser(ctx);
  const salt = row.mode === "copy" ? row.id : user.id;
  const named = records.flatMap((line) =>
    line.type === "memory" ? line.id : line.type === "attachment" ? (line.memory_id ?? []) : [],
  );
  const numbers = named.map((id) => memoryNumber({ mode: row.mode, salt }, id));
  const state = readState(row.state);
  const step: ImportBatch = {
    ctx,
    user,
    mode: row.mode,
    salt,
    existing: {
      folder: await readExisting(ctx, "folder", referencedIds(records, "folder", salt)),
      document: await readExisting(ctx, "document", referencedIds(records, "document", salt)),
      memory: await existingMemories(ctx, numbers),
    },
    taken: { folder: [], document: [], memory: [] },
    overwritten: [],
    keptFindings: new Set(),
    files: { ids: new Map(), attached: new Map() },
    isDry: row.dry_run,
    state,
    remainingQuota: remainingQuota(ctx, await usageStatement(ctx), state.added),
    mostBytes,
    indexing: newDocumentIndexing(ctx),
    statements: [],
  };
  step.keptFindings = await readKeptFindings(step, records);
  step.files = await readKnownFiles(step, records);
  planLines(step, records);
  if (row.dry_run) state.added = addUsage(state.added, step.remainingQuota.taken());
  return step;
}

/** SQL condition: the cursor of an import has not moved since it was read. */
const isCursorAt = (ctx: Ctx, { id, piece, line }: ImportRow) =>
  sql`EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND owner = ${ctx.owner}
    AND status = 'applying' AND piece = ${piece} AND line = ${line})`;

async function isCursorUnchanged(ctx: Ctx, row: ImportRow): Promise<boolean> {
  const [now] = await ctx.db.all<{ is_at: number }>(sql`SELECT ${isCursorAt(ctx, row)} AS is_at`);
  return now?.is_at === 1;
}

const dropPieces = (ctx: Ctx, { id }: ImportRow, next: number) =>
  ctx.db.delete(import_pieces).where(and(eq(import_pieces.import_id, id), lt(import_pieces.number, next)));

/** Statements that record the number of lines done. */
export type RecordProgress = (lines: number) => readonly BatchItem[];

/**
 * Applies the next lines in one transaction that also moves the cursor. Does nothing if a concurrent request was faster.
 * Documents over `mostBytes` are reported and left out, because the database cannot store them.
 * Throws 503 if data that the lines depend on has changed. The job then retries after a pause, a limited number of times.
 */
export async function applyLines(
  ctx: Ctx,
  row: ImportRow,
  { lines, next }: Lines,
  { progress, mostBytes = Number.POSITIVE_INFINITY }: { progress: RecordProgress; mostBytes?: number },
): Promise<void> {
  const end = Math.min(row.line + LINES_AT_ONCE, lines.length);
  const records = lines
    .slice(row.line, end)
    .map(readExportLine)
    .filter((line): line is RecordLine => typeof line !== "string" && isRecordLine(line));
  const step = await planStep(ctx, row, records, mostBytes);
  const { state, statements, taken, remainingQuota, indexing } = step;
  const made = row.dry_run ? [] : (await Promise.all(statements)).flat();
  const isDone = end >= lines.length;
  const cursor = isDone ? { piece: next, line: 0 } : { piece: row.piece, line: end };
  const drop = isDone ? [dropPieces(ctx, row, next)] : [];
  const move = ctx.db.run(sql`UPDATE imports SET piece = ${cursor.piece}, line = ${cursor.line},
    state = ${JSON.stringify(state)}, updated_at = ${ctx.now.toISOString()}
    WHERE id = ${row.id} AND owner = ${ctx.owner}`);
  const conditions = [
    assertInBatch(ctx, isCursorAt(ctx, row), "stale"),
    assertInBatch(ctx, areIdsFree(ctx, taken), "stale"),
  ];
  const quota = row.dry_run ? [] : assertQuotaLeft(ctx, remainingQuota.taken());
  const { refusal } = await catchRefusal(
    sendBatch(ctx, [...conditions, ...progress(end - row.line), ...quota, ...made, ...drop, move]),
    "stale",
    "quota",
    "too-large",
  );
  if (refusal === "too-large" && mostBytes > MAX_DOCUMENT_BYTES)
    return applyLines(ctx, row, { lines, next }, { progress, mostBytes: MAX_DOCUMENT_BYTES });
  // No other request was faster, so the account changed meanwhile. Retrying immediately could loop forever.
  if (refusal === "stale" && (await isCursorUnchanged(ctx, row)))
    throw unavailable("Your account was changed while the file was being imported: try again in a moment");
  if (refusal) return;
  await indexing.finish();
  if (!row.dry_run) await renameOverwritten(ctx, step.overwritten, { source_type: "import" });
}
