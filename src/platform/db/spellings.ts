import { type SQL, sql } from "drizzle-orm";
import { nameKey, toNfc } from "../../contract/name-key.ts";
import type { BaseCtx } from "../core/ctx.ts";
import { notFenced } from "./fence.ts";
import { type NameKind, otherSpellingsSql, spellingsByKeySql } from "./name-sql.ts";
import { sqlList } from "./sql-list.ts";

/** True in SQL if `column` is a requested name in any spelling. */
export const hasName = (ctx: { owner: number }, column: SQL, kind: NameKind, requested: string): SQL =>
  sql`(${column} = ${requested} OR ${column} IN (${otherSpellingsSql(ctx, kind, requested)}))`;

type TagTable = { table: "document_tags" | "memory_tags"; record: "document_id" | "memory_id" };

/** In SQL, the ids of the records with all these tags, in any spelling. Not correlated, so evaluated once. */
export function taggedWithAll(
  ctx: { owner: number },
  tags: readonly string[],
  { table, record }: TagTable,
): SQL {
  const spelled = spellingsByKeySql(ctx, "tag", tags);
  const [from, id] = [sql.raw(table), sql.raw(`t.${record}`)];
  return sql`(SELECT ${id} FROM (${spelled}) w CROSS JOIN ${from} t ON t.owner = ${ctx.owner} AND t.tag = w.name
    GROUP BY ${id} HAVING count(DISTINCT w.key) = ${new Set(tags.map(nameKey)).size})`;
}

const KEYS_PER_RUN = 5000;

export const hasNamesWithoutKey = (): SQL =>
  sql`EXISTS (SELECT 1 FROM spellings INDEXED BY spellings_keyless_idx WHERE key = '')`;

/** Schedules the normalization of names (features/name-forms) for the accounts that have a name in NFD. */
export const scheduleNameFormsStatement = (
  { db }: BaseCtx,
  names: readonly { owner: number; name: string }[],
) => {
  const owners = names.filter(({ name }) => name !== toNfc(name)).map(({ owner }) => owner);
  return db.run(sql`UPDATE users SET names_at = ''
    WHERE number IN ${sqlList(new Set(owners))} AND ${notFenced("users.number")}`);
};

/** Writes the keys of names that SQLite could not fold. Until then, queries fold these names. */
export async function completeSpellingKeys(base: BaseCtx): Promise<void> {
  const { db } = base;
  const rows = await db.all<{ owner: number; kind: NameKind; name: string }>(sql`
    SELECT owner, kind, name FROM spellings INDEXED BY spellings_keyless_idx
    WHERE key = '' AND ${notFenced("spellings.owner")} LIMIT ${KEYS_PER_RUN}`);
  if (rows.length === 0) return;
  const keys = rows.map(({ owner, kind, name }) => [owner, kind, name, nameKey(name)]);
  await db.batch([
    scheduleNameFormsStatement(base, rows),
    db.run(sql`UPDATE spellings SET key = w.value ->> 3 FROM json_each(${JSON.stringify(keys)}) AS w
      WHERE owner = w.value ->> 0 AND kind = w.value ->> 1 AND name = w.value ->> 2 AND ${notFenced("spellings.owner")}`),
  ]);
}
