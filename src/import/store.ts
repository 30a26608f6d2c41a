import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { AppError, badRequest, conflict, invalid, notFound, payloadTooLarge } from "../core/errors.ts";
import { fairly } from "../core/fair.ts";
import { import_pieces, imports } from "../db/tables.ts";
import { inspection } from "../export/format.ts";
import { endLostLinksStatement } from "../memories/import-store.ts";
import { applySome } from "./apply-store.ts";
import { remap } from "./remap.ts";
import type { Import, ImportList, ImportQuery } from "./schema.ts";
import { NO_STATE, type State } from "./state.ts";

// An import in three steps, of which only the last changes what the caller has: the file is received into pieces,
// read through from beginning to end, and applied. Each goes on where it broke off.

/** Characters of a piece, unless a single line has more. */
const PIECE = 256 * 1024;
/** A line of more bytes cannot come from an export, and D1 could not store it. */
const MAX_LINE = 1_900_000;
/** What a user's unfinished imports may have together. */
const MAX_RECEIVED = 2 * 1024 * 1024 * 1024;
const MAX_UNFINISHED = 2;
const KEPT_DAYS = 7;

const own = (ctx: Ctx, id: string) => and(eq(imports.id, id), eq(imports.owner, ctx.owner));

type Row = typeof imports.$inferSelect;

function present({ id, mode, dry_run, status, received, state, created_at, updated_at }: Row): Import {
  const { counts } = JSON.parse(state) as State;
  const { settings, folder, document, document_version, memory, memory_event } = counts;
  return {
    ...{ id, mode, dry_run, status, received, settings },
    ...{ folders: folder, documents: document, document_versions: document_version },
    ...{ memories: memory, memory_events: memory_event, created_at, updated_at },
  };
}

async function rowOf(ctx: Ctx, id: string): Promise<Row> {
  const [row] = await ctx.db.select().from(imports).where(own(ctx, id));
  if (!row) throw notFound();
  return row;
}

/** How far one of the caller's imports is. Throws 404. */
export const getImport = async (ctx: Ctx, id: string): Promise<Import> => present(await rowOf(ctx, id));

/** The caller's imports of the last days, newest first. */
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
 * Makes an empty import; under a key that was used before, finds the one that was made then. One whose upload broke
 * off begins anew. Throws 422 for another file, or other parameters, under the same key.
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
    if (!isSame) throw invalid("Idempotency-Key: was used for another file: take a new key for a new import");
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

/** Throws 409 while two imports of the caller's are unfinished, or while another request makes the same one. */
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
    `You have ${MAX_UNFINISHED} unfinished imports (GET /api/import lists them): go on with one by ` +
      "POST /api/import/{import_id}, or end it by DELETE /api/import/{import_id}",
  );
}

/** Ends one of the caller's imports; what was applied stays. Throws 404. */
export async function deleteImport(ctx: Ctx, id: string): Promise<void> {
  await rowOf(ctx, id);
  await forget(ctx, id);
}

/** Forgets an import with what was received of it. */
async function forget(ctx: BaseCtx, id: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, id)),
    ctx.db.delete(imports).where(eq(imports.id, id)),
  ]);
}

/** Refuses a file, and keeps nothing of it. */
async function refuse(ctx: Ctx, id: string, problem: string): Promise<never> {
  await forget(ctx, id);
  throw badRequest(`The file is damaged, nothing was imported: ${problem}`);
}

/** Stores whole lines, if nobody else has stored any since `received`. Throws 409. */
async function storePiece(ctx: Ctx, id: string, received: number, text: string): Promise<number> {
  const bytes = Buffer.byteLength(text);
  const next = received + bytes;
  const all = sql`(SELECT coalesce(sum(received), 0) FROM imports
    WHERE owner = ${ctx.owner} AND status <> 'done')`;
  const when = sql`id = ${id} AND owner = ${ctx.owner} AND status = 'uploading' AND received = ${received}
    AND ${all} <= ${MAX_RECEIVED - bytes}`;
  const [[sum], , moved] = await ctx.db.batch([
    ctx.db.all<{ received: number }>(sql`SELECT ${all} AS received`),
    ctx.db.run(sql`INSERT INTO import_pieces (import_id, number, owner, text)
      SELECT id, pieces, owner, ${text} FROM imports WHERE ${when}`),
    ctx.db.all(sql`UPDATE imports SET received = ${next}, pieces = pieces + 1, updated_at = ${ctx.now.toISOString()}
      WHERE ${when} RETURNING id`),
  ]);
  if (moved.length > 0) return next;
  if ((sum?.received ?? 0) + bytes > MAX_RECEIVED)
    throw payloadTooLarge("2 GiB, with your other unfinished import");
  throw conflict("Somebody else is uploading to this import");
}

/** Where the next piece ends: behind the last line that fits, or behind a single longer one; 0 when there is too little. */
function pieceEnd(text: string, isLast: boolean): number {
  if (!isLast && text.length < PIECE) return 0;
  return text.lastIndexOf("\n", PIECE - 1) + 1 || text.indexOf("\n") + 1;
}

/**
 * Receives a part of a file, in pieces of whole lines; what breaks off after the last of them is to be sent again.
 *
 * @param part the bytes, where in the file they begin, and whether they are its end
 */
export async function receive(
  ctx: Ctx,
  id: string,
  part: { body: ReadableStream<Uint8Array> | null; start: number; isLast: boolean },
): Promise<void> {
  let { received } = await rowOf(ctx, id);
  if (part.start !== received) throw conflict(`The upload goes on at byte ${received}, not ${part.start}`);
  // What is no UTF-8 becomes U+FFFD here, and the checksum finds it.
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let rest = "";
  const storeLines = async (isLast: boolean) => {
    for (let end = pieceEnd(rest, isLast); end > 0; end = pieceEnd(rest, isLast)) {
      const piece = rest.slice(0, end);
      if (Buffer.byteLength(piece) > MAX_LINE) await refuse(ctx, id, "a line is too long");
      received = await fairly(() => storePiece(ctx, id, received, piece));
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

/** Reads a received file through, and lets it be applied if it is whole. Throws 400, and forgets it, if not. */
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

/** Reads a file through whose last line is here although nobody said that it is the last. */
export async function inspectIfEnded(ctx: Ctx, id: string): Promise<void> {
  const { pieces } = await rowOf(ctx, id);
  const last = (await pieceOf(ctx, id, pieces - 1)).at(-1);
  if (last?.startsWith('{"type":"end"')) await inspect(ctx, id);
}

/** Applies a whole file, from where it broke off, in bounded steps. One whose upload is not complete stays as it is. */
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

/** Forgets imports that nobody has touched for a week. */
export async function purgeImports(ctx: BaseCtx): Promise<void> {
  const cutoff = new Date(ctx.now.getTime() - KEPT_DAYS * 86_400_000).toISOString();
  const old = await ctx.db
    .select({ id: imports.id })
    .from(imports)
    .where(sql`updated_at < ${cutoff}`)
    .limit(20);
  for (const { id } of old) await forget(ctx, id);
}
