import { and, eq } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { withRestAndGc } from "../../platform/turns/fair.ts";
import { inspection } from "../export/format.ts";
import { linesFrom } from "./piece-store.ts";
import { ownedById, refuse, rowOf } from "./row-store.ts";
import { NO_STATE, type State } from "./state.ts";

/** Validates a received file. Throws 400, and deletes it, if it is damaged or incomplete. */
export async function inspect(ctx: Ctx, id: string): Promise<void> {
  const row = await rowOf(ctx, id);
  if (row.status !== "uploading") return;
  const file = inspection();
  const read = async (number: number) => {
    const { lines, next } = await linesFrom(ctx, row, number);
    for (const line of lines) {
      const problem = file.add(line);
      if (problem) await refuse(ctx, id, problem);
    }
    return next;
  };
  for (let number = 0; number < row.pieces; ) number = await withRestAndGc(() => read(number));
  const problem = file.end();
  if (problem) await refuse(ctx, id, problem);
  const state = JSON.stringify({ ...NO_STATE, sha256: file.sha256() } satisfies State);
  await ctx.db.update(imports).set({ status: "applying", state }).where(ownedById(ctx, id));
}

/** Validates a file whose last line was received without being declared as the end. */
export async function inspectIfEnded(ctx: Ctx, id: string): Promise<void> {
  const { pieces } = await rowOf(ctx, id);
  const [last] = await ctx.db
    .select({ text: import_pieces.text })
    .from(import_pieces)
    .where(and(eq(import_pieces.import_id, id), eq(import_pieces.number, pieces - 1)));
  if (/(^|\n)\{"type":"end"[^\n]*\n$/.test(last?.text.slice(-MAX_END) ?? "")) await inspect(ctx, id);
}

/** A line that ends a file is shorter. */
const MAX_END = 200;
