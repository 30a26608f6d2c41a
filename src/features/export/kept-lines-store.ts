import { sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { itemsOf, type Kept } from "../tidy/kept.ts";
import type { Typed } from "./format.ts";

const PAGE = 1000;

export async function* keptLines(ctx: Ctx): AsyncGenerator<Typed> {
  for (let [kind, key] = ["", ""]; ; ) {
    const rows = await ctx.db.all<Kept>(sql`SELECT kind, key, detail, kept_at FROM tidy_kept
      WHERE owner = ${ctx.owner} AND (kind, key) > (${kind}, ${key}) ORDER BY kind, key LIMIT ${PAGE}`);
    for (const { key: about, ...row } of rows)
      yield { type: "tidy_kept", line: JSON.stringify({ type: "tidy_kept", ...row, items: itemsOf(about) }) };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    [kind, key] = [last.kind, last.key];
  }
}
