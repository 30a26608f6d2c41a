import { sql } from "drizzle-orm";
import { findingKey, type TidyFinding, type TidyItem, type TidyKind } from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";

/** A finding that is kept as it is. `key`: the items that it is about, as `findingKey` writes them. */
export type KeptFinding = { kind: TidyKind; key: string; detail: string; kept_at: string };

type FindingId = Pick<KeptFinding, "kind" | "key">;

export const parseFindingKey = (key: string): TidyItem[] =>
  key
    .split(",")
    .map((name) => ({ type: name.startsWith("mem:") ? "memory" : "document", id: name.slice(4) }));

export const findingId = ({ kind, items }: TidyFinding): FindingId => ({ kind, key: findingKey(items) });

export const findingName = ({ kind, key }: FindingId) => `${kind} ${key}`;

/** The names of those findings that are kept. A finding that lost an item has another key. */
export async function readKeptNames(ctx: Ctx, findings: readonly FindingId[]): Promise<Set<string>> {
  const ids = JSON.stringify(findings.map(({ kind, key }) => [kind, key]));
  const rows = await ctx.db.all<{ name: string }>(sql`
    SELECT k.kind || ' ' || k.key AS name FROM json_each(${ids}) AS named
    CROSS JOIN tidy_kept AS k ON k.owner = ${ctx.owner} AND k.kind = named.value ->> 0 AND k.key = named.value ->> 1`);
  return new Set(rows.map(({ name }) => name));
}

/** Keeps a finding. Does nothing if it is already kept. */
export const keepStatement = (ctx: Ctx, { kind, key, detail, kept_at }: KeptFinding) =>
  ctx.db.run(sql`INSERT INTO tidy_kept (owner, kind, key, detail, kept_at)
    VALUES (${ctx.owner}, ${kind}, ${key}, ${detail}, ${kept_at}) ON CONFLICT DO NOTHING`);
