import { INDEX_VERSION } from "../text-index/analyse.ts";
import { isSurelyTypo } from "./correct.ts";
import type { Plan } from "./match.ts";

/** A piece of SQL with its parameters in order. */
export type Fragment = { readonly sql: string; readonly params: readonly (string | number)[] };

export type SearchRange = {
  readonly owner: number;
  readonly kinds: readonly ("document" | "memory")[];
  /**
   * condition on a result, about the alias `r` with entry, kind, record: `EXISTS (SELECT 1 FROM documents d WHERE d.id
   * = r.record AND …)`
   */
  readonly condition?: Fragment | undefined;
  /** columns of the results besides those of RankedRow, and the joins that provide them, using the alias `p` */
  readonly details?: { readonly columns: Fragment; readonly joins: Fragment };
  readonly explain?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
};

/** A row of the statement. There is always at least one; without results its `entry` is null. */
export type RankedRow = {
  /** exact number of results on all pages */
  readonly total: number;
  /** JSON array: for each unit, how many of the owner's records contain it (other words with its beginning do not count) */
  readonly known: string;
  readonly entry: number | null;
  readonly kind: "document" | "memory" | null;
  readonly record: string | null;
  readonly score: number | null;
  /** JSON array: numbers of the units that were found in this record; bonuses have the numbers after those of all units */
  readonly found: string | null;
  /** JSON array: how much each of them adds to the score, if `explain` asks for it */
  readonly parts: string | null;
};

/** The parameters of the ranking; `npm run bench:fit` tests a choice on collections that it was not made on. */
export type Tuning = {
  /** BM25 (Robertson, Zaragoza 2009): saturation of a word's count */
  readonly k1: number;
  /** the degree of length normalization, 0 to 1 */
  readonly b: number;
  /** how many occurrences in the text one in the title is worth */
  readonly title: number;
  /** what a bonus adds, as a share of what a word of its rarity would */
  readonly near: number;
  readonly exact: number;
};

export const TUNING: Tuning = { k1: 1.2, b: 0.6, title: 2, near: 0.25, exact: 0.25 };
const TAGS_WEIGHT = 2;

/**
 * A word in more than half of all records (Robertson and Spärck Jones' weight is negative for it), and in at least this
 * many, finds none by itself if rarer words do: ranking all records that contain it would cost more than everything else,
 * and they would come last.
 */
const FREQUENT_SHARE = 0.5;
const FREQUENT_RECORDS = 50;

/** The parameters of FTS5's bm25() (https://sqlite.org/fts5.html, "The bm25() function"). */
const FTS_K1 = 1.2;
const FTS_B = 0.75;

/**
 * The expression tf / (tf + k) for a matching row, where tf is the weighted count of occurrences and k FTS5's length
 * normalization. bm25() counts in C, but multiplies by a rarity that depends on all owners: idf · tf · (k1 + 1) / (tf + k).
 * With enormous column weights tf / (tf + k) is 1, so the quotient of both is without that rarity.
 */
function saturation(title: number): string {
  const bm25 = (times: number) =>
    `bm25(search_index, ${[title, TAGS_WEIGHT, 1, 1].map((weight) => weight * times).join(", ")})`;
  return `${bm25(1)} / ${bm25(1e12)}`;
}

function parametersOf({ units, bonuses }: Plan, tuning: Tuning): string {
  return JSON.stringify([
    ...units.map(({ weight, typed, expression, older, terms, countable, required }) => ({
      expression,
      older,
      weight,
      meant: typed === undefined || isSurelyTypo(typed) ? 1 : 0,
      terms,
      countable: countable ? 1 : 0,
      required: required ? 1 : 0,
    })),
    ...bonuses.map(({ kind, units: of, expression }) => ({
      expression,
      weight: tuning[kind],
      bonus: kind,
      of,
    })),
  ]);
}

const columnsOf = ({ details }: SearchRange) => (details ? `, ${details.columns.sql}` : "");

const WITHOUT = "AND r.entry NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH ?)";

/**
 * The single statement of a search: BM25 based only on the owner's own counts. Records that only have doubtful corrections
 * come last, those with all the words first; then by score, then by entry number. D1 bills each row of each step: three
 * for a word in a record, and two or three for a record.
 */
export function rankStatement(plan: Plan, range: SearchRange, tuning = TUNING): Fragment {
  const { k1, b, title } = tuning;
  const condition = range.condition ?? { sql: "1", params: [] };
  const unwanted = plan.unwanted === undefined ? [] : [plan.unwanted];
  const required = plan.units.filter((unit) => unit.required).length;
  const kinds = JSON.stringify(range.kinds);
  const sql = `
WITH
-- the owner's number of records, and the average length of those of the wanted kinds
own AS MATERIALIZED (
  SELECT total(entries) records,
    max(1, total(length) FILTER (WHERE wanted)) / max(1, total(entries) FILTER (WHERE wanted)) average
  FROM (SELECT *, kind IN (SELECT value FROM json_each(?)) wanted FROM search_totals WHERE owner = ?)),
-- the average length that FTS5 normalizes by, from the reference row, which has one token
fts AS MATERIALIZED (
  SELECT ${FTS_B} / ((1 / saturation - 1) / ${FTS_K1} - ${1 - FTS_B}) average
  FROM (SELECT ${saturation(title)} saturation FROM search_index WHERE search_index MATCH '"0xreference"' LIMIT -1)),
-- whether entries of an older version of the analysis are still to be reindexed
older AS MATERIALIZED (SELECT EXISTS (SELECT 1 FROM search_entries WHERE index_version < ${INDEX_VERSION}) due),
-- the units and bonuses to look for
asked AS MATERIALIZED (
  SELECT key unit, value, value->>'bonus' bonus, value->>'weight' weight, ifnull(value->>'required', 0) required,
    ifnull(value->>'meant', 0) meant,
    iif((SELECT due FROM older), ifnull(value->>'older' || ' OR ', ''), '') || (value->>'expression') expression
  FROM json_each(?)),
-- how many records have each term of the units
term AS MATERIALIZED (
  SELECT a.unit, t.value->>1 grp, t.value->>2 known, w.doc records
  FROM asked a CROSS JOIN json_each(a.value->'terms') t CROSS JOIN search_words w ON w.term = t.value->>0),
-- how many records contain each unit and bonus
counted AS MATERIALIZED (
  SELECT *,
    CASE WHEN a.value->'countable' AND NOT (SELECT due FROM older)
      THEN (SELECT total(most) FROM (
        SELECT max(t.records) most FROM term t WHERE t.unit = a.unit AND t.grp IS NOT NULL GROUP BY t.grp))
      ELSE (SELECT count(*) FROM search_index WHERE search_index MATCH a.expression)
    END records,
    (SELECT total(t.records) FROM term t WHERE t.unit = a.unit AND t.known) known
  FROM asked a),
-- what one occurrence is worth: rare words say more
worth AS MATERIALIZED (
  SELECT unit, value, expression, required, meant, bonus,
    weight * ln(1 + max(0, own.records - counted.records + 0.5) / (counted.records + 0.5)) worth,
    bonus IS NULL AND NOT required
      AND counted.records > max(${FREQUENT_RECORDS}, ${FREQUENT_SHARE} * own.records) frequent
  FROM counted, own WHERE counted.records > 0),
-- what finds records; null if there are only frequent words, which then do
finders AS MATERIALIZED (
  SELECT group_concat('(' || expression || ')', ' OR ') expression FROM worth WHERE bonus IS NULL AND NOT frequent),
-- other frequent words count, once, in the records that are found
sought AS MATERIALIZED (
  SELECT unit, required, meant, bonus, worth, frequent AND f.expression IS NOT NULL once,
    iif(frequent AND f.expression IS NOT NULL, '(' || f.expression || ') AND (' || w.expression || ')', w.expression) expression
  FROM worth w, finders f
  WHERE bonus IS NULL OR f.expression IS NULL OR EXISTS (
    SELECT 1 FROM json_each(w.value->'of') o JOIN worth u ON u.unit = o.value WHERE NOT u.frequent)),
-- each unit in each record that contains it (because of the LIMIT, bm25() is evaluated before the grouping, which refuses it)
hit AS (
  SELECT e.entry, e.kind, e.record, w.unit, w.required, w.meant, w.bonus, w.worth,
    iif(w.once OR w.bonus = 'near', NULL, ${saturation(title)}) saturation,
    ${FTS_K1} * (${1 - FTS_B} + ${FTS_B} * max(e.tokens, e.length) / (SELECT average FROM fts)) fts_k,
    ${k1} * (${1 - b} + ${b} * e.length / (SELECT average FROM own)) k
  FROM sought w CROSS JOIN search_index CROSS JOIN search_entries e ON e.entry = search_index.rowid
  WHERE search_index MATCH w.expression AND e.owner = ? AND e.kind IN (SELECT value FROM json_each(?))
  LIMIT -1),
-- how often it occurs there, and how much that adds to the score
scored AS (
  SELECT *, worth * iif(bonus = 'near', 1, ${k1 + 1} * tf / (tf + k)) part
  FROM (SELECT *, ifnull(round(fts_k * saturation / max(1e-9, 1 - saturation), 6), 1) tf FROM hit)),
record AS (
  SELECT entry, kind, record, sum(part) score, count(*) FILTER (WHERE bonus IS NULL) units,
    total(meant) > 0 meant,
    json_group_array(unit) found, ${range.explain ? "json_group_array(part)" : "NULL"} parts
  FROM scored GROUP BY entry HAVING total(required) = ${required} AND units > 0),
-- all results in order, and their number
result AS (
  SELECT r.*, row_number() OVER (ORDER BY meant DESC, units = ${plan.units.length} DESC, score DESC, entry) place,
    count(*) OVER () total
  FROM record r WHERE (${condition.sql}) ${unwanted.length > 0 ? WITHOUT : ""}),
-- the page, preceded by the first result of all, which has the total
page AS (SELECT * FROM result WHERE place = 1 OR place > ? LIMIT +?)
SELECT ifnull(p.total, 0) total, t.known, iif(p.place > ?, p.entry, NULL) entry, p.kind, p.record, p.score,
  p.found, p.parts${columnsOf(range)}
FROM (SELECT json_group_array(known) known FROM counted) t
LEFT JOIN page p ${range.details?.joins.sql ?? ""}
ORDER BY p.place`;
  return {
    sql,
    params: [
      kinds,
      range.owner,
      parametersOf(plan, tuning),
      range.owner,
      kinds,
      ...condition.params,
      ...unwanted,
      range.offset,
      range.limit + (range.offset > 0 ? 1 : 0),
      range.offset,
      ...(range.details?.columns.params ?? []),
      ...(range.details?.joins.params ?? []),
    ],
  };
}

/** Results of a query that only filters or excludes: all records that match the condition, last changed first. */
export function browseStatement(plan: Plan, range: SearchRange): Fragment {
  const condition = range.condition ?? { sql: "1", params: [] };
  const unwanted = plan.unwanted === undefined ? [] : [plan.unwanted];
  const sql = `
WITH result AS MATERIALIZED (
  SELECT r.entry, r.kind, r.record, CASE r.kind
      WHEN 'document' THEN (SELECT x.updated_at FROM documents x WHERE x.id = r.record AND x.owner = r.owner)
      ELSE (SELECT x.updated_at FROM memories x WHERE x.owner = r.owner AND x.id = r.record) END changed
  FROM search_entries r
  WHERE r.owner = ? AND r.kind IN (SELECT value FROM json_each(?)) AND (${condition.sql}) ${unwanted.length > 0 ? WITHOUT : ""})
SELECT t.total, '[]' known, p.entry, p.kind, p.record, 0.0 score, '[]' found, NULL parts${columnsOf(range)}
FROM (SELECT count(*) total FROM result) t
LEFT JOIN (SELECT * FROM result ORDER BY changed DESC, entry DESC LIMIT ? OFFSET ?) p ${range.details?.joins.sql ?? ""}
ORDER BY p.changed DESC, p.entry DESC`;
  return {
    sql,
    params: [
      range.owner,
      JSON.stringify(range.kinds),
      ...condition.params,
      ...unwanted,
      ...(range.details?.columns.params ?? []),
      range.limit,
      range.offset,
      ...(range.details?.joins.params ?? []),
    ],
  };
}
