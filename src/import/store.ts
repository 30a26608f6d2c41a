import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { limitsOfPlan, usageStatement } from "../features/billing/quota-store.ts";
import type { BaseCtx, Ctx } from "../platform/core/ctx.ts";
import { AppError, badRequest, conflict, invalid, notFound, payloadTooLarge } from "../platform/core/errors.ts";
import { fairly } from "../core/fair.ts";
import { unfenced } from "../db/fence.ts";
import { import_pieces, imports } from "../db/tables.ts";
import { inspection } from "../features/export/format.ts";
import { endLostLinksStatement } from "../features/memories/import-store.ts";
import { applySome } from "./apply-store.ts";
import { remap } from "../features/import/remap.ts";
import type { Import, ImportList, ImportQuery } from "../contract/import-state.ts";
import { NO_STATE, type State } from "../features/import/state.ts";

// An import has three steps: the file is received and stored in pieces, validated from beginning to end, and applied.
// Only the last one changes the caller's data. Each continues where it was interrupted.

/** The size of a piece in characters, unless a single line is longer. */
const PIECE = 256 * 1024;
/** No export contains longer lines (in bytes), and D1 could not store them. */
const MAX_LINE = 1_900_000;
/** The total size of a user's unfinished imports. */
const MAX_RECEIVED = 2 * 1024 * 1024 * 1024;
const MAX_UNFINISHED = 2;
const KEPT_DAYS = 7;

const own = (ctx: Ctx, id: string) => and(eq(imports.id, id), eq(imports.owner, ctx.owner));

type Row = typeof imports.$inferSelect;

function present({ id, mode, dry_run, status, received, state, created_at, updated_at }: Row): Import {
  const { counts, not_stored } = { ...NO_STATE, ...(JSON.parse(state) as State) };
  const { settings, folder, document, document_version, memory, memory_event } = counts;
  return {
    ...{ id, mode, dry_run, status, received, settings },
    ...{ folders: folder, documents: document, document_versions: document_version },
    ...{ memories: memory, memory_events: memory_event, not_stored, created_at, updated_at },
  };
}

async function rowOf(ctx: Ctx, id: string): Promise<Row> {
  const [row] = await ctx.db.select().from(imports).where(own(ctx, id));
  if (!row) throw notFound();
  return row;
}

/** The progress of one of the caller's imports. Throws 404. */
export const getImport = async (ctx: Ctx, id: string): Promise<Import> => present(await rowOf(ctx, id));

/** The caller's recent imports, newest first. */
export async function listImports(ctx: Ctx, page: { limit: number; offset: number }): Promise<ImportList> {
  const mine = eq(imports.owner, ctx.owner);
  const [rows, [count]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(imports)
      .where(mine)
      .orderBy(desc(imports.created_at), desc(imports.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(imports).where(mine),
  ]);
  return { items: rows.map(present), total: count?.total ?? 0 };
}

/**
 * Creates an empty import, or finds the existing one for a key that was used before. An interrupted upload starts over.
 * Throws 422 for a different file, or different parameters, under the same key.
 */
export async function startImport(
  ctx: Ctx,
  query: ImportQuery,
  { key, body }: { key: string | undefined; body: ReadableStream<Uint8Array> | null },
): Promise<{ id: string; isNew: boolean }> {
  if (key === undefined) return { id: await makeImport(ctx, query, uuid()), isNew: true };
  const id = remap((await ctx.user()).id, "import", key);
  const [row] = await ctx.db.select().from(imports).where(own(ctx, id));
  if (row && row.status !== "uploading") {
    const { sha256 } = JSON.parse(row.state) as State;
    const isSame =
      row.mode === query.mode && row.dry_run === query.dry_run && (await sha256Of(body)) === sha256;
    if (!isSame) throw invalid("Idempotency-Key: was used for another file: use a new key for a new import");
    return { id, isNew: false };
  }
  if (row) await forget(ctx, id);
  return { id: await makeImport(ctx, query, id), isNew: true };
}

async function sha256Of(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

/** Throws 409 while the caller has two unfinished imports, or while another request creates the same one. */
async function makeImport(ctx: Ctx, { mode, dry_run }: ImportQuery, id: string): Promise<string> {
  const now = ctx.now.toISOString();
  const unfinished = sql`(SELECT count(*) FROM imports WHERE owner = ${ctx.owner} AND status <> 'done')`;
  const [[before], made] = await ctx.db.batch([
    ctx.db.all<{ unfinished: number }>(sql`SELECT ${unfinished} AS unfinished`),
    ctx.db.all(sql`
      INSERT INTO imports (id, owner, mode, dry_run, status, received, pieces, piece, line, state, created_at, updated_at)
      SELECT ${id}, ${ctx.owner}, ${mode}, ${dry_run ? 1 : 0}, 'uploading', 0, 0, 0, 0,
        ${JSON.stringify(NO_STATE)}, ${now}, ${now}
      WHERE ${unfinished} < ${MAX_UNFINISHED} ON CONFLICT DO NOTHING RETURNING id`),
  ]);
  if (made.length > 0) return id;
  if ((before?.unfinished ?? 0) < MAX_UNFINISHED) {
    throw conflict("A request with this Idempotency-Key is still running: try again in a moment");
  }
  throw new AppError(
    409,
    `You have ${MAX_UNFINISHED} unfinished imports (GET /api/import lists them): continue one with ` +
      "POST /api/import/{import_id}, or cancel it with DELETE /api/import/{import_id}",
  );
}

/** Cancels one of the caller's imports; what was applied stays. Throws 404. */
export async function deleteImport(ctx: Ctx, id: string): Promise<void> {
  await rowOf(ctx, id);
  await forget(ctx, id);
}

/** Deletes an import and what was received of its file. */
async function forget(ctx: BaseCtx, id: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, id)),
    ctx.db.delete(imports).where(eq(imports.id, id)),
  ]);
}

/** Refuses a file and deletes it. */
async function refuse(ctx: Ctx, id: string, problem: string): Promise<never> {
  await forget(ctx, id);
  throw badRequest(`The file is damaged and nothing was imported: ${problem}`);
}

/** How much longer a file may be than the texts that a plan allows: it names every field, and a version is a line too. */
const MAX_OVERHEAD = 4;

/** The total size that the caller's unfinished imports may have. */
async function mostReceived(ctx: Ctx): Promise<number> {
  const [usage] = await usageStatement(ctx);
  const { bytes } = limitsOfPlan(ctx, usage?.plan_tier ?? "self_hosted");
  return bytes === undefined ? MAX_RECEIVED : Math.min(MAX_RECEIVED, MAX_OVERHEAD * bytes);
}

type Place = { id: string; received: number; most: number };

/** Stores whole lines, unless another request has stored some since `received` was read. Throws 409, or 413. */
async function storePiece(ctx: Ctx, { id, received, most }: Place, text: string): Promise<number> {
  const bytes = Buffer.byteLength(text);
  const next = received + bytes;
  const all = sql`(SELECT coalesce(sum(received), 0) FROM imports
    WHERE owner = ${ctx.owner} AND status <> 'done')`;
  const when = sql`id = ${id} AND owner = ${ctx.owner} AND status = 'uploading' AND received = ${received}
    AND ${all} <= ${most - bytes}`;
  const [[sum], , moved] = await ctx.db.batch([
    ctx.db.all<{ received: number }>(sql`SELECT ${all} AS received`),
    ctx.db.run(sql`INSERT INTO import_pieces (import_id, number, owner, text)
      SELECT id, pieces, owner, ${text} FROM imports WHERE ${when}`),
    ctx.db.all(sql`UPDATE imports SET received = ${next}, pieces = pieces + 1, updated_at = ${ctx.now.toISOString()}
      WHERE ${when} RETURNING id`),
  ]);
  if (moved.length > 0) return next;
  if ((sum?.received ?? 0) + bytes > most)
    throw payloadTooLarge(
      most < MAX_RECEIVED
        ? `${Math.floor(most / 1_000_000)} MB, which your plan has room for, with your other unfinished import`
        : "2 GiB, with your other unfinished import",
    );
  throw conflict("Another request is uploading to this import");
}

/**
 * The end of the next piece: after the last line that fits, or after a single longer one; 0 if there is not enough
 * text.
 */
function pieceEnd(text: string, isLast: boolean): number {
  if (!isLast && text.length < PIECE) return 0;
  return text.lastIndexOf("\n", PIECE - 1) + 1 || text.indexOf("\n") + 1;
}

/**
 * Receives a part of a file, in pieces of whole lines. After an interruption, whatever follows the last whole line must
 * be sent again.
 *
 * @param part the bytes, their position in the file, and whether they are its end
 */
export async function receive(
  ctx: Ctx,
  id: string,
  part: { body: ReadableStream<Uint8Array> | null; start: number; isLast: boolean },
): Promise<void> {
  let { received } = await rowOf(ctx, id);
  const most = await mostReceived(ctx);
  if (part.start !== received) throw conflict(`The upload continues at byte ${received}, not ${part.start}`);
  // Invalid UTF-8 becomes U+FFFD here and fails the checksum.
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let rest = "";
  const storeLines = async (isLast: boolean) => {
    for (let end = pieceEnd(rest, isLast); end > 0; end = pieceEnd(rest, isLast)) {
      const piece = rest.slice(0, end);
      if (Buffer.byteLength(piece) > MAX_LINE) await refuse(ctx, id, "a line is too long");
      received = await fairly(() => storePiece(ctx, { id, received, most }, piece));
      rest = rest.slice(end);
    }
    if (rest.length > MAX_LINE) await refuse(ctx, id, "a line is too long");
  };
  for await (const chunk of part.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    await storeLines(false);
  }
  rest += decoder.decode();
  await storeLines(true);
  if (part.isLast && rest !== "") await refuse(ctx, id, "it ends within a line");
}

const pieceOf = async (ctx: Ctx, id: string, number: number): Promise<string[]> => {
  const [row] = await ctx.db
    .select({ text: import_pieces.text })
    .from(import_pieces)
    .where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, number)));
  return (row?.text ?? "").split("\n").slice(0, -1);
};

/**
 * Validates a received file, and marks it as ready to apply. Throws 400, and deletes it, if it is damaged or
 * incomplete.
 */
export async function inspect(ctx: Ctx, id: string): Promise<void> {
  const { pieces, status } = await rowOf(ctx, id);
  if (status !== "uploading") return;
  const file = inspection();
  const read = async (number: number) => {
    for (const line of await pieceOf(ctx, id, number)) {
      const problem = file.add(line);
      if (problem) await refuse(ctx, id, problem);
    }
  };
  for (let number = 0; number < pieces; number++) await fairly(() => read(number));
  const problem = file.end();
  if (problem) await refuse(ctx, id, problem);
  const state = JSON.stringify({ ...NO_STATE, sha256: file.sha256() } satisfies State);
  await ctx.db.update(imports).set({ status: "applying", state }).where(own(ctx, id));
}

/** Validates a file whose last line was received without being declared as the end. */
export async function inspectIfEnded(ctx: Ctx, id: string): Promise<void> {
  const { pieces } = await rowOf(ctx, id);
  const last = (await pieceOf(ctx, id, pieces - 1)).at(-1);
  if (last?.startsWith('{"type":"end"')) await inspect(ctx, id);
}

/** Applies a complete file in bounded steps, continuing after an interruption. An incomplete one is left as it is. */
export async function applyImport(ctx: Ctx, id: string): Promise<Import> {
  for (;;) {
    const row = await rowOf(ctx, id);
    if (row.status !== "applying") return present(row);
    if (row.piece >= row.pieces) await finish(ctx, row);
    else await fairly(async () => applySome(ctx, row, await pieceOf(ctx, id, row.piece)));
  }
}

async function finish(ctx: Ctx, { id, dry_run }: Row): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, id)),
    ...(dry_run ? [] : [endLostLinksStatement(ctx)]),
    ctx.db.update(imports).set({ status: "done" }).where(own(ctx, id)),
  ]);
}

/** Deletes imports that have not been updated for a week. */
export async function purgeImports(ctx: BaseCtx): Promise<void> {
  const cutoff = new Date(ctx.now.getTime() - KEPT_DAYS * 86_400_000).toISOString();
  const old = await ctx.db
    .select({ id: imports.id })
    .from(imports)
    .where(sql`updated_at < ${cutoff} AND ${unfenced("imports.owner")}`)
    .limit(20);
  for (const { id } of old) await forget(ctx, id);
}
