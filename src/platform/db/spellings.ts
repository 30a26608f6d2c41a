import { type SQL, sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { BaseCtx } from "../core/ctx.ts";
import { type NameKind, otherSpellings, type Piece } from "./name-sql.ts";

export function toSql({ sql: text, params }: Piece): SQL {
  const [first = "", ...others] = text.split("?");
  return sql.join([sql.raw(first), ...others.map((part, place) => sql`${params[place]}${sql.raw(part)}`)]);
}

export const isNamed = (ctx: { owner: number }, column: SQL, kind: NameKind, requested: string): SQL =>
  sql`(${column} = ${requested} OR ${column} IN (${toSql(otherSpellings(ctx, kind, requested))}))`;

const COMPLETED_AT_ONCE = 5000;

export const hasKeylessNames = (): SQL =>
  sql`EXISTS (SELECT 1 FROM spellings INDEXED BY spellings_keyless_idx WHERE key = '')`;

/** Writes the keys of names that SQLite could not fold. Until then they are compared letter by letter. */
export async function completeSpellings({ db }: BaseCtx): Promise<void> {
  const rows = await db.all<{ owner: number; kind: NameKind; name: string }>(sql`
    SELECT owner, kind, name FROM spellings INDEXED BY spellings_keyless_idx WHERE key = '' LIMIT ${COMPLETED_AT_ONCE}`);
  if (rows.length === 0) return;
  const keys = rows.map(({ owner, kind, name }) => [owner, kind, name, nameKey(name)]);
  await db.run(sql`UPDATE spellings SET key = w.value ->> 3 FROM json_each(${JSON.stringify(keys)}) AS w
    WHERE owner = w.value ->> 0 AND kind = w.value ->> 1 AND name = w.value ->> 2`);
}
