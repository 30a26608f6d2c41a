import { type SQL, sql } from "drizzle-orm";
import { type KeyReplacement, keyReplacements, nameKey } from "../../contract/name-key.ts";

// A filter by name finds all spellings of the name: see migrations/0050_spellings.sql.

export type NameKind = "project" | "tag";

/** Nested replacements per expression: SQLite limits the depth of the whole expression. */
const DEPTH = 10;

const replaced = (text: string, steps: readonly KeyReplacement[]) =>
  steps.reduce((inner, [from, to]) => `replace(${inner}, '${from}', '${to}')`, text);

/** A name's key, in SQL. Folds only letters that occur in `key`, at most `most`, because each replacement reads the text. */
export function nameKeySql(text: string, key: string, most?: number): string {
  const steps = keyReplacements(key).slice(0, most);
  if (steps.length <= DEPTH) return replaced(`lower(${text})`, steps);
  const parts = Array.from({ length: Math.ceil(steps.length / DEPTH) }, (_, part) =>
    steps.slice(part * DEPTH, (part + 1) * DEPTH),
  );
  const cases = parts.map((part, step) => `WHEN ${step} THEN ${replaced("folded.text", part)}`);
  return `(WITH RECURSIVE folded(step, text) AS (SELECT 0, lower(${text})
    UNION ALL SELECT step + 1, CASE step ${cases.join(" ")} END FROM folded WHERE step < ${parts.length})
    SELECT text FROM folded WHERE step = ${parts.length})`;
}

/** In SQL, the stored names with the same key as a requested one. */
export function otherSpellingsSql({ owner }: { owner: number }, kind: NameKind, requested: string): SQL {
  const key = nameKey(requested);
  const isOwn = sql`owner = ${owner} AND kind = ${sql.raw(`'${kind}'`)}`;
  return sql`SELECT name FROM spellings WHERE ${isOwn} AND key = ${key} AND name <> ${requested}
    UNION ALL SELECT name FROM spellings INDEXED BY spellings_keyless_idx
      WHERE ${isOwn} AND key = '' AND name <> ${requested}
        AND ${sql.raw(nameKeySql("name", key))} = ${key}
    UNION ALL SELECT ${key} WHERE ${key} <> ${requested}`;
}

/** In SQL, for each of the names, its key and the stored spellings with that key. */
export function spellingsByKeySql(
  { owner }: { owner: number },
  kind: NameKind,
  names: readonly string[],
): SQL {
  const keys = [...new Set(names.map(nameKey))];
  const requested = new Set([...names, ...keys]);
  const pairs = [...requested].map((name) => [nameKey(name), name]);
  const wanted = sql`json_each(${JSON.stringify(keys)}) w`;
  const isOwn = sql`s.owner = ${owner} AND s.kind = ${sql.raw(`'${kind}'`)}`;
  return sql`SELECT value ->> 0 AS key, value ->> 1 AS name FROM json_each(${JSON.stringify(pairs)})
    UNION SELECT w.value, s.name FROM ${wanted} CROSS JOIN spellings s ON ${isOwn} AND s.key = w.value
    UNION SELECT w.value, s.name FROM spellings s INDEXED BY spellings_keyless_idx CROSS JOIN ${wanted}
      ON w.value = ${sql.raw(nameKeySql("s.name", keys.join("")))} WHERE ${isOwn} AND s.key = ''`;
}
