import { and, eq } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../../platform/core/ctx.ts";
import { remembering } from "../../platform/core/recent.ts";
import { send } from "../../platform/db/call.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { inspection } from "../export/format.ts";
import { linesFrom } from "./piece-store.ts";
import { ownedById, type Row, refuse } from "./row-store.ts";
import { NO_STATE, type State } from "./state.ts";

const MAX_INSPECTED = 20;

/** Inspections in progress. A partial checksum cannot be stored, so another isolate starts over. */
const inspections = remembering<string, { file: ReturnType<typeof inspection>; next: number }>(MAX_INSPECTED);

/** Whether a file is known to be valid: part of it was applied, or its checksum is stored. */
export const isInspected = ({ piece, line, state }: Row): boolean =>
  piece + line > 0 || (JSON.parse(state) as State).sha256 !== null;

/** Validates the next piece of a received file. `noted` returns statements that record the total number of lines. Throws 400. */
export async function inspectSome(
  ctx: Ctx,
  row: Row,
  recordTotal: (lines: number) => readonly BatchItem<"sqlite">[],
): Promise<void> {
  const name = `${row.id} ${row.created_at}`;
  const known = inspections.get(name) ?? { file: inspection(), next: 0 };
  if (known.next < row.pieces) {
    const { lines, next } = await linesFrom(ctx, row, known.next);
    // A concurrent request was faster.
    if ((inspections.get(name)?.next ?? 0) !== known.next) return;
    for (const line of lines) {
      const problem = known.file.add(line);
      if (problem) await refuse(ctx, row.id, problem);
    }
    inspections.set(name, { ...known, next });
    return;
  }
  const problem = known.file.end();
  if (problem) await refuse(ctx, row.id, problem);
  const state = JSON.stringify({ ...NO_STATE, sha256: known.file.sha256() } satisfies State);
  const found = ctx.db.update(imports).set({ state }).where(ownedById(ctx, row.id));
  await send(ctx, [...recordTotal(known.file.lines()), found]);
}

/** Whether the received part ends with the end line of a file, although the file size was not declared. */
export async function hasEnded(ctx: Ctx, { id, pieces }: Row): Promise<boolean> {
  const [last] = await ctx.db
    .select({ text: import_pieces.text })
    .from(import_pieces)
    .where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, pieces - 1)));
  return /(^|\n)\{"type":"end"[^\n]*\n$/.test(last?.text.slice(-MAX_END) ?? "");
}

/** Characters to look at; an end line is shorter. */
const MAX_END = 200;
