import { Buffer } from "node:buffer";
import { and, eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { conflict, payloadTooLarge } from "../../platform/core/errors.ts";
import { import_pieces } from "../../platform/db/tables.ts";
import { collectGarbageAfter } from "../../platform/queue/garbage.ts";
import { type ImportRow, rejectFile } from "./row-store.ts";

// A file is received in pieces, validated and then applied. Only applying changes data, and each step can continue after an
// interruption. A piece ends at the end of a line if possible, but a line can be longer than a row.

const PIECE_LENGTH = 256 * 1024;

/** Characters: earlier releases stored documents of up to 8 MiB; the other fields of a line have at most 12,000. */
export const MAX_LINE_LENGTH = 8 * 1024 * 1024 + 12_000;

export const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;

type ReceivedSoFar = { id: string; received: number; most: number };

/** Stores a piece, unless another request stored one since `received` was read. Throws 409 or 413. */
export async function storePiece(
  ctx: Ctx,
  { id, received, most }: ReceivedSoFar,
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
export function pieceEnd(text: string, isLast: boolean): number {
  if (!isLast && text.length < PIECE_LENGTH) return 0;
  const end = text.lastIndexOf("\n", PIECE_LENGTH - 1) + 1;
  if (end > 0 || text.length < PIECE_LENGTH) return end;
  // Do not split a surrogate pair: each piece is stored separately.
  return /[\ud800-\udbff]/.test(text.charAt(PIECE_LENGTH - 1)) ? PIECE_LENGTH - 1 : PIECE_LENGTH;
}

/** The length of the last, incomplete line after `text`; `before` is its length so far. */
export const unfinishedLength = (before: number, text: string) =>
  text.includes("\n") ? text.length - text.lastIndexOf("\n") - 1 : before + text.length;

export const LINE_TOO_LONG = `a line is longer than ${MAX_LINE_LENGTH.toLocaleString("en")} characters`;

export type Lines = { lines: string[]; next: number };

/**
 * Reads a piece, and the following ones until its last line is complete. Deletes the import and throws 400 if it is
 * incomplete.
 */
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
