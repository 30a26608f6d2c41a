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

export type SqlWithParams = { readonly sql: string; readonly params: readonly (string | number)[] };

/** In SQL, the stored names with the same key as a requested one. */
export function otherSpellingsSql(
  { owner }: { owner: number },
  kind: NameKind,
  requested: string,
): SqlWithParams {
  const key = nameKey(requested);
  return {
    sql: `SELECT name FROM spellings WHERE owner = ? AND kind = '${kind}' AND key = ? AND name <> ?
    UNION ALL SELECT name FROM spellings INDEXED BY spellings_keyless_idx
      WHERE owner = ? AND kind = '${kind}' AND key = '' AND name <> ? AND ${nameKeySql("name", key)} = ?
    UNION ALL SELECT ? WHERE ? <> ?`,
    params: [owner, key, requested, owner, requested, key, key, key, requested],
  };
}

/** In SQL, for each of the names, its key and the stored spellings with that key. */
export function spellingsByKeySql(
  { owner }: { owner: number },
  kind: NameKind,
  names: readonly string[],
): SqlWithParams {
  const keys = [...new Set(names.map(nameKey))];
  const requested = new Set([...names, ...keys]);
  const pairs = [...requested].map((name) => [nameKey(name), name]);
  const of = `s.owner = ? AND s.kind = '${kind}'`;
  return {
    sql: `SELECT value ->> 0 AS key, value ->> 1 AS name FROM json_each(?)
    UNION SELECT w.value, s.name FROM json_each(?) w CROSS JOIN spellings s ON ${of} AND s.key = w.value
    UNION SELECT w.value, s.name FROM spellings s INDEXED BY spellings_keyless_idx CROSS JOIN json_each(?) w
      ON w.value = ${nameKeySql("s.name", keys.join(""))} WHERE ${of} AND s.key = ''`,
    params: [JSON.stringify(pairs), JSON.stringify(keys), owner, JSON.stringify(keys), owner],
  };
}
