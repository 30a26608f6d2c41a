import { type SQL, sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../core/ctx.ts";
import { type NameKind, nameKeySql } from "./name-sql.ts";
import { sqlList } from "./sql-list.ts";

const baseLetter = (letter: string): string => [...letter.normalize("NFD")][0] ?? letter;

const inBothCases = (letter: string): string[] => [letter.toLowerCase(), letter.toUpperCase()];

const ACCENTED = Map.groupBy(
  Array.from({ length: 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index)),
  (letter) => baseLetter(letter).toLowerCase(),
);

/** First letters of names for which this one may be a typo: its first two letters in any case and with any accent. */
function firstLettersLike(name: string): string[] {
  const [first = "", second = ""] = name.normalize("NFC");
  const bases = [first, second].map((letter) => baseLetter(letter).toLowerCase());
  const letters = [first, second, ...bases].flatMap(inBothCases);
  return [...new Set([...letters, ...bases.flatMap((base) => ACCENTED.get(base) ?? [])])].filter(Boolean);
}

export type RequestedNames = { kind: NameKind; names: string[] };

/** Ids of the records being changed. Their own project does not count as existing, so that its spelling can be changed. */
export type ChangedRecordIds = readonly number[];

function tablesOf({ scopes }: Ctx, kind: NameKind): { table: string; column: string }[] {
  if (kind === "project") return [{ table: "memory_totals", column: "project" }];
  const tables = { "docs:read": "tag_totals", "memory:read": "memory_tags" } as const;
  const readable = (Object.keys(tables) as (keyof typeof tables)[]).filter(
    (access) => !scopes || scopes.includes(access),
  );
  return readable.map((access) => ({ table: tables[access], column: "tag" }));
}

function exists(ctx: Ctx, kind: NameKind, name: SQL): SQL {
  const each = tablesOf(ctx, kind).map(
    ({ table, column }) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE owner = ${ctx.owner} AND ${sql.raw(column)} = ${name})`,
  );
  return each.length > 0 ? sql`(${sql.join(each, sql` OR `)})` : sql`FALSE`;
}

function existsElsewhere(ctx: Ctx, kind: NameKind, name: SQL, changed: ChangedRecordIds): SQL {
  if (kind === "tag" || changed.length === 0) return exists(ctx, kind, name);
  const has = (
    index: string,
    state: string,
  ) => sql`EXISTS (SELECT 1 FROM memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${ctx.owner} AND project = ${name} AND ${sql.raw(state)} AND trashed_at IS NULL
      AND id NOT IN ${sqlList(changed)})`;
  const active = has("memories_active_project_idx", "status = 'active'");
  return sql`(${active} OR ${has("memories_closed_project_idx", "closed_at IS NOT NULL")})`;
}

/** In SQL, the names that are not in use yet, each with `known`: another spelling that is in use, or null. */
export function newNamesSql(ctx: Ctx, { kind, names }: RequestedNames, changed: ChangedRecordIds): SQL {
  const keys = names.map(nameKey);
  const pairs = names.map((name, index) => [name, keys[index]]);
  const spelled = sql`s.owner = ${ctx.owner} AND s.kind = ${kind}`;
  return sql`SELECT a.value ->> 0 AS name, (SELECT c.name FROM (
      SELECT s.name FROM spellings AS s WHERE ${spelled} AND s.key = a.value ->> 1
      UNION ALL SELECT s.name FROM spellings AS s INDEXED BY spellings_keyless_idx
        WHERE ${spelled} AND s.key = '' AND ${sql.raw(nameKeySql("s.name", keys.join("")))} = a.value ->> 1
      UNION ALL SELECT a.value ->> 1) AS c
    WHERE ${existsElsewhere(ctx, kind, sql`c.name`, changed)} LIMIT 1) AS known
    FROM json_each(${JSON.stringify(pairs)}) AS a WHERE NOT ${exists(ctx, kind, sql`(a.value ->> 0)`)}`;
}

const MAX_COMPARED = 1000;

const LAST = "\u{10ffff}";

/** Names with similar first letters. Limits the search, because typing errors rarely affect the first letter. */
export function similarNamesStatement(
  ctx: Ctx,
  { kind, names }: RequestedNames,
  onRows: (rows: { name: string }[]) => void,
) {
  const requested = names.map((name) => [name, firstLettersLike(name).map((first) => [first, first + LAST])]);
  const walks = tablesOf(ctx, kind).map(({ table, column }, index) => {
    const [walk, from, name] = [sql.raw(`walk${index}`), sql.raw(table), sql.raw(column)];
    const next = (range: SQL) =>
      sql`(SELECT min(${name}) FROM ${from} WHERE owner = ${ctx.owner} AND ${name} ${range})`;
    // Reads one row per name, however many records have it.
    return sql`SELECT * FROM (WITH RECURSIVE ${walk}(name, last) AS (
      SELECT ${next(sql`>= r.value ->> 0 AND ${name} < r.value ->> 1`)}, r.value ->> 1
        FROM json_each(${JSON.stringify(requested)}) AS a CROSS JOIN json_each(a.value -> 1) AS r
        WHERE NOT ${exists(ctx, kind, sql`(a.value ->> 0)`)}
      UNION SELECT ${next(sql`> ${walk}.name AND ${name} < ${walk}.last`)}, last
        FROM ${walk} WHERE ${walk}.name IS NOT NULL LIMIT ${MAX_COMPARED})
      SELECT name FROM ${walk} WHERE name <> '')`;
  });
  const similar = walks.length > 0 ? sql.join(walks, sql` UNION `) : sql`SELECT '' AS name WHERE FALSE`;
  return ctx.db.all(similar, { onRows });
}
