import { and, eq } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { sendBatch } from "../../platform/db/call.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { exportInspection } from "../export/format.ts";
import { readLines } from "./piece-store.ts";
import { type ImportRow, ownedImport, rejectFile } from "./row-store.ts";
import { type ImportState, INITIAL_STATE } from "./state.ts";

const MAX_INSPECTED = 20;

/** Inspections in progress. A partial checksum cannot be stored, so another isolate starts over. */
const inspections = createRecentMap<string, { file: ReturnType<typeof exportInspection>; next: number }>(
  MAX_INSPECTED,
);

/** Whether a file is known to be valid: part of it was applied, or its checksum is stored. */
export const isInspected = ({ piece, line, state }: ImportRow): boolean =>
  piece + line > 0 || (JSON.parse(state) as ImportState).sha256 !== null;

/** Validates the next piece of a received file. `recordTotal` returns statements that record the total number of lines. Throws 400. */
export async function inspectNextPiece(
  ctx: Ctx,
  row: ImportRow,
  recordTotal: (lines: number) => readonly BatchItem[],
): Promise<void> {
  const name = `${row.id} ${row.created_at}`;
  const known = inspections.get(name) ?? { file: exportInspection(), next: 0 };
  if (known.next < row.pieces) {
    const { lines, next } = await readLines(ctx, row, known.next);
    // A concurrent request was faster.
    if ((inspections.get(name)?.next ?? 0) !== known.next) return;
    for (const line of lines) {
      const problem = known.file.add(line);
      if (problem) await rejectFile(ctx, row.id, problem);
    }
    inspections.set(name, { ...known, next });
    return;
  }
  const problem = known.file.end();
  if (problem) await rejectFile(ctx, row.id, problem);
  const state = JSON.stringify({ ...INITIAL_STATE, sha256: known.file.sha256() } satisfies ImportState);
  const found = ctx.db.update(imports).set({ state }).where(ownedImport(ctx, row.id));
  await sendBatch(ctx, [...recordTotal(known.file.lines()), found]);
}

/** Whether the received part ends with the end line of a file, although the file size was not declared. */
export async function endsWithEndLine(ctx: Ctx, { id, pieces }: ImportRow): Promise<boolean> {
  const [last] = await ctx.db
    .select({ text: import_pieces.text })
    .from(import_pieces)
    .where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, pieces - 1)));
  return /(^|\n)\{"type":"end"[^\n]*\n$/.test(last?.text.slice(-MAX_END) ?? "");
}

/** Characters to look at; an end line is shorter. */
const MAX_END = 200;
