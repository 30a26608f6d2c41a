import { sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { type KeptFinding, parseFindingKey } from "../tidy/kept-finding.ts";
import type { TypedLine } from "./format.ts";

const PAGE = 1000;

export async function* keptFindingLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  for (let [kind, key] = ["", ""]; ; ) {
    const rows = await ctx.db.all<KeptFinding>(sql`SELECT kind, key, detail, kept_at FROM tidy_kept
      WHERE owner = ${ctx.owner} AND (kind, key) > (${kind}, ${key}) ORDER BY kind, key LIMIT ${PAGE}`);
    for (const { key: about, ...row } of rows)
      yield {
        type: "tidy_kept",
        line: JSON.stringify({ type: "tidy_kept", ...row, items: parseFindingKey(about) }),
      };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    [kind, key] = [last.kind, last.key];
  }
}
