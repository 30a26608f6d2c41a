import { Buffer } from "node:buffer";
import { and, eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, conflict, payloadTooLarge } from "../../platform/core/errors.ts";
import { import_pieces } from "../../platform/db/tables.ts";
import { collectGarbageAfter } from "../../platform/queue/garbage.ts";
import { withRestAndGc } from "../../platform/queue/yielding.ts";
import { planLimitsOf, usageStatement } from "../billing/quota-store.ts";
import { deleteImportRows, findImport, type ImportRow, rejectFile } from "./row-store.ts";

// A file is received in pieces, validated and then applied. Only applying changes data, and each step can continue after an
// interruption. A piece ends at the end of a line if possible, but a line can be longer than a row.

const PIECE_LENGTH = 256 * 1024;

/** Characters: earlier releases stored documents of up to 8 MiB; the other fields of a line have at most 12,000. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024 + 12_000;

const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;

/** Stores a piece, unless another request stored one since `received` was read. Throws 409 or 413. */
async function storePiece(
  ctx: Ctx,
  { id, received, most }: { id: string; received: number; most: number },
  text: string,
): Promise<number> {
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
    ctx.db.returning(sql`UPDATE imports SET received = ${next}, pieces = pieces + 1, updated_at = ${ctx.now.toISOString()}
      WHERE ${when} RETURNING id`),
  ]);
  if (moved.length > 0) return next;
  if ((sum?.received ?? 0) + bytes > most)
    throw payloadTooLarge(
      most < MAX_FILE_BYTES
        ? `${Math.floor(most / 1_000_000)} MB, the room in your plan, including your other unfinished import`
        : "2 GiB, including your other unfinished import",
    );
  throw conflict("Another request is uploading to this import");
}

/** The end of the next piece: after the last line that fits, or within a longer line; 0 if there is not enough text yet. */
function pieceEnd(text: string, isLast: boolean): number {
  if (!isLast && text.length < PIECE_LENGTH) return 0;
  const end = text.lastIndexOf("\n", PIECE_LENGTH - 1) + 1;
  if (end > 0 || text.length < PIECE_LENGTH) return end;
  // Do not split a surrogate pair: each piece is stored separately.
  return /[\ud800-\udbff]/.test(text.charAt(PIECE_LENGTH - 1)) ? PIECE_LENGTH - 1 : PIECE_LENGTH;
}

/** The length of the last, incomplete line after `text`; `before` is its length so far. */
const unfinishedLength = (before: number, text: string) =>
  text.includes("\n") ? text.length - text.lastIndexOf("\n") - 1 : before + text.length;

const LINE_TOO_LONG = `a line is longer than ${MAX_LINE_LENGTH.toLocaleString("en")} characters`;

export type Lines = { lines: string[]; next: number };

/** Reads a piece, and more until its last line is complete. Deletes an incomplete import and throws 400. */
export async function readLines(
  ctx: Ctx,
  { id, pieces }: Pick<ImportRow, "id" | "pieces">,
  number: number,
): Promise<Lines> {
  let text = "";
  let line = 0;
  for (let next = number; next < pieces; ) {
    const [row] = await ctx.db
      .select({ text: import_pieces.text })
      .from(import_pieces)
      .where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, next)));
    next++;
    const piece = row?.text ?? "";
    text += piece;
    collectGarbageAfter(piece.length);
    if (piece === "" || piece.endsWith("\n")) return { lines: text.split("\n").slice(0, -1), next };
    line = unfinishedLength(line, piece);
    if (line > MAX_LINE_LENGTH) await rejectFile(ctx, id, LINE_TOO_LONG);
  }
  return rejectFile(ctx, id, "it ends within a line");
}

/** A file may be this many times larger than the storage of a plan, because it contains field names and versions. */
const MAX_OVERHEAD = 4;

async function maxFileBytes(ctx: Ctx): Promise<number> {
  const [usage] = await usageStatement(ctx);
  const { bytes } = planLimitsOf(ctx, usage?.plan_tier ?? "self_hosted");
  return bytes === undefined ? MAX_FILE_BYTES : Math.min(MAX_FILE_BYTES, MAX_OVERHEAD * bytes);
}

type FilePart = {
  body: ReadableStream<Uint8Array> | null;
  start: number;
  length?: number;
  isLast: boolean;
  /** Whether it starts an import, which is deleted if the length is wrong. */
  isNew?: boolean;
};

/** Rejects a part whose length differs from Content-Range. Stored pieces stay, as after a lost connection. */
async function rejectLength(ctx: Ctx, id: string, { length, isNew }: FilePart): Promise<never> {
  if (isNew) await deleteImportRows(ctx, id);
  throw badRequest(`The body must have exactly the ${length} bytes that Content-Range names`);
}

/** Receives a part. After an interruption, what follows the last stored piece must be sent again. Throws 400 for a wrong length. */
export async function receivePart(ctx: Ctx, id: string, part: FilePart): Promise<void> {
  let { received } = await findImport(ctx, id);
  const most = await maxFileBytes(ctx);
  if (part.start !== received) throw conflict(`The upload continues at byte ${received}, not ${part.start}`);
  // Invalid UTF-8 becomes U+FFFD and then fails the checksum.
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let rest = "";
  let line = 0;
  const storeUntil = async (end: number) => {
    const piece = rest.slice(0, end);
    line = unfinishedLength(line, piece);
    if (line > MAX_LINE_LENGTH) await rejectFile(ctx, id, LINE_TOO_LONG);
    received = await withRestAndGc(() => storePiece(ctx, { id, received, most }, piece));
    rest = rest.slice(end);
  };
  const storePieces = async (isLast: boolean) => {
    for (let end = pieceEnd(rest, isLast); end > 0; end = pieceEnd(rest, isLast)) await storeUntil(end);
  };
  let bodyBytes = 0;
  for await (const chunk of part.body ?? []) {
    bodyBytes += chunk.length;
    if (bodyBytes > (part.length ?? bodyBytes)) await rejectLength(ctx, id, part);
    rest += decoder.decode(chunk, { stream: true });
    await storePieces(false);
  }
  if (bodyBytes < (part.length ?? bodyBytes)) await rejectLength(ctx, id, part);
  await storePieces(true);
  if (part.isLast && rest + decoder.decode() !== "") await rejectFile(ctx, id, "it ends within a line");
  // The part is shorter than its line, which continues in the next part.
  if (received === part.start && rest !== "") await storeUntil(rest.length);
}
