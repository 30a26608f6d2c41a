import type { Plan, Unit } from "./match.ts";

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
  /** the units that were typed, as bits, if others are corrections: results with none of them come last */
  readonly typed?: number | undefined;
  readonly limit: number;
  readonly offset: number;
};

/** A row of the statement. There is always at least one; without results its `entry` is null. */
export type RankedRow = {
  /** exact number of results on all pages */
  readonly total: number;
  /** JSON array: for each unit, how many of the owner's records of these kinds contain it (beginnings do not count) */
  readonly known: string;
  /** JSON array: numbers of the units that were looked for (very common words are skipped if there are rarer ones) */
  readonly used: string;
  readonly entry: number | null;
  readonly kind: "document" | "memory" | null;
  readonly record: string | null;
  readonly score: number | null;
  /** bit n is set if unit n was found in this record */
  readonly units: number | null;
};

/** BM25 (Robertson, Zaragoza 2009): saturation of a word's count, and the degree of length normalization. */
const K1 = 1.5;
const B = 0.7;
const TITLE_WEIGHT = 3;
const TAGS_WEIGHT = 2;
/** Added to its count for a word exactly as typed, rather than as a stem or beginning. */
const EXACT_BONUS = 0.25;
/**
 * A record found by MATCH only (a run of characters inside other words, a phrase, a beginning) counts as half a word.
 */
const MATCH_COUNT = 0.5;
const PAIR_WEIGHT = 0.4;
/**
 * A word in a third of all records, and in at least this many, is skipped if rarer words remain: it is expensive and
 * insignificant.
 */
const FREQUENT_SHARE = 0.3;
const FREQUENT_RECORDS = 50;
/**
 * Robertson and Spärck Jones' weight is negative for words in more than half of the records; a match must never lower
 * the score.
 */
const MIN_RARITY = 0.1;

/**
 * A unit's counts in one record are packed into one integer: 20 bits each for exact, stem and beginning, then MATCH.
 */
const BITS = 20;
const MASK = 2 ** BITS - 1;
const MATCHED = 3 * BITS;

/** A unit as a parameter of the statement. */
function parameterOf({ required, terms, expressions }: Unit): unknown {
  return [
    required ? 1 : 0,
    expressions.join(" OR "),
    terms.map(([form, term, title]) => [term, form * BITS, title]),
  ];
}

/** Joins one piece of SQL for each unit. */
function each(count: number, piece: (place: number) => string, separator = ", "): string {
  return Array.from({ length: count }, (_, place) => piece(place)).join(separator);
}

function rarity(count: string): string {
  return `max(${MIN_RARITY}, ln((n - ${count} + 0.5) / (${count} + 0.5)))`;
}

/** The order of results; alias `of` with a dot. */
const orderOf = ({ typed }: SearchRange, of = "") =>
  `${typed === undefined ? "" : `(${of}units & ${typed}) > 0 DESC, `}${of}found = (SELECT count(*) FROM wanted) DESC, ${of}score DESC, ${of}entry`;

const columnsOf = ({ details }: SearchRange) => (details ? `, ${details.columns.sql}` : "");

/** The count of unit `u` in a record: that of its best form, plus a bonus for the word as typed. */
function countOf(u: string): string {
  const part = (place: number) => `((${u} >> ${place * BITS}) & ${MASK})`;
  return `ifnull(max(${part(0)}, ${part(1)}, ${part(2)}, ${MATCH_COUNT} * (${u} >> ${MATCHED})) + ${EXACT_BONUS} * ${part(0)}, 0)`;
}

/**
 * The single statement of a search: BM25 based only on the owner's own counts. Records with all the words come first, then
 * by score, then by entry number. Ten parameters besides the condition's, regardless of the query's length.
 * D1 bills each row of each step, so all words of a record are counted in one row (u0, u1, …), not in a row each.
 */
export function rankStatement(plan: Plan, range: SearchRange): Fragment {
  const condition = range.condition ?? { sql: "1", params: [] };
  const unwanted = plan.unwanted === undefined ? [] : [plan.unwanted];
  const without = "AND r.entry NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH ?)";
  const units = plan.units.length;
  const pairs = plan.pairs.length;
  const sql = `
WITH
tenant AS MATERIALIZED (
  SELECT total(entries) n, max(1, total(length)) / max(1, total(entries)) average
  FROM search_totals WHERE owner = ? AND kind IN (SELECT value FROM json_each(?))),
asked AS MATERIALIZED (
  SELECT key unit, value->>0 required, value->>1 expression, value->'$[2]' terms FROM json_each(?)),
term AS MATERIALIZED (
  SELECT a.unit, t.value->>0 term, t.value->>1 shift, t.value->>2 title, ifnull(w.doc, 0) records
  FROM asked a CROSS JOIN json_each(a.terms) t LEFT JOIN search_words w ON w.term = t.value->>0),
bound AS MATERIALIZED (
  SELECT max(${FREQUENT_RECORDS}, ${FREQUENT_SHARE} * n) frequent FROM tenant),
frequent AS MATERIALIZED (
  SELECT DISTINCT unit FROM term WHERE shift < ${2 * BITS} AND records > (SELECT frequent FROM bound)),
wanted AS MATERIALIZED (
  SELECT unit, expression FROM asked
  WHERE required OR unit NOT IN (SELECT unit FROM frequent)
    OR NOT EXISTS (SELECT 1 FROM term WHERE shift < ${2 * BITS} AND records > 0 AND unit NOT IN (SELECT unit FROM frequent))),
record AS MATERIALIZED (
  SELECT e.entry, e.kind, e.record, ifnull(near, 0) near, ${K1} * (${1 - B} + ${B} * e.length / (SELECT average FROM tenant)) k,
    ${each(units, (u) => `${countOf(`u${u}`)} c${u}`)},
    ${each(units, (u) => `(ifnull(u${u} & ~(${MASK} << ${2 * BITS}), 0) > 0) * ${2 ** u}`, " + ")} sure
  FROM (
    SELECT doc, sum(value) FILTER (WHERE unit = -1) near,
      ${each(units, (u) => `sum(value) FILTER (WHERE unit = ${u}) u${u}`)}
    FROM (
      SELECT t.unit, o.doc, CASE o.col WHEN 'title' THEN ${TITLE_WEIGHT} WHEN 'tags' THEN ${TAGS_WEIGHT} ELSE 1 END << t.shift value
      FROM term t CROSS JOIN search_occurrences o ON o.term = t.term
      WHERE t.unit IN (SELECT unit FROM wanted) AND t.records > 0 AND (t.title = 0 OR o.col = 'title')
      UNION ALL
      SELECT w.unit, f.rowid, 1 << ${MATCHED}
      FROM wanted w CROSS JOIN search_index f ON f.search_index MATCH w.expression WHERE w.expression <> ''
      UNION ALL
      SELECT -1, f.rowid, 1 << p.key FROM json_each(?) p CROSS JOIN search_index f ON f.search_index MATCH p.value->>2
      WHERE p.value->>0 IN (SELECT unit FROM wanted) OR p.value->>1 IN (SELECT unit FROM wanted))
    GROUP BY doc) g
  CROSS JOIN search_entries e ON e.entry = g.doc
  WHERE e.owner = ? AND e.kind IN (SELECT value FROM json_each(?))),
worth AS MATERIALIZED (
  SELECT ${each(units, (u) => `k${u}, ${rarity(`d${u}`)} r${u}`)}${each(pairs, (p) => `, ${rarity(`p${p}`)} q${p}`, "")}
  FROM (SELECT (SELECT n FROM tenant) n,
    ${each(units, (u) => `total(c${u} > 0) d${u}, total((sure >> ${u}) & 1) k${u}`)}
    ${each(pairs, (p) => `, total((near >> ${p}) & 1) p${p}`, "")}
    FROM record)),
result AS MATERIALIZED (
  SELECT r.entry, r.kind, r.record,
    ${each(units, (u) => `(c${u} > 0) * ${2 ** u}`, " + ")} units,
    ${each(units, (u) => `(c${u} > 0)`, " + ")} found,
    ${each(units, (u) => `${plan.units[u]?.weight ?? 1} * r${u} * c${u} * ${K1 + 1} / (c${u} + k)`, " + ")}
    ${each(pairs, (p) => ` + ${PAIR_WEIGHT} * q${p} * ((near >> ${p}) & 1)`, "")} score
  FROM worth CROSS JOIN record r
  WHERE (${condition.sql}) ${unwanted.length > 0 ? without : ""}
    ${each(units, (u) => (plan.units[u]?.required ? ` AND c${u} > 0` : ""), "")})
SELECT t.total, t.known, t.used, p.entry, p.kind, p.record, p.score, p.units${columnsOf(range)}
FROM (SELECT (SELECT count(*) FROM result) total,
  (SELECT json_array(${each(units, (u) => `k${u}`)}) FROM worth) known,
  (SELECT json_group_array(unit) FROM wanted) used) t
LEFT JOIN (SELECT * FROM result ORDER BY ${orderOf(range)} LIMIT ? OFFSET ?) p ${range.details?.joins.sql ?? ""}
ORDER BY ${orderOf(range, "p.")}`;
  const kinds = JSON.stringify(range.kinds);
  return {
    sql,
    params: [
      range.owner,
      kinds,
      JSON.stringify(plan.units.map(parameterOf)),
      JSON.stringify(plan.pairs),
      range.owner,
      kinds,
      ...condition.params,
      ...unwanted,
      ...(range.details?.columns.params ?? []),
      range.limit,
      range.offset,
      ...(range.details?.joins.params ?? []),
    ],
  };
}

/** Results of a query that only filters or excludes: all records that match the condition, last changed first. */
export function browseStatement(plan: Plan, range: SearchRange): Fragment {
  const condition = range.condition ?? { sql: "1", params: [] };
  const unwanted = plan.unwanted === undefined ? [] : [plan.unwanted];
  const without = "AND r.entry NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH ?)";
  const sql = `
WITH result AS MATERIALIZED (
  SELECT r.entry, r.kind, r.record, CASE r.kind
      WHEN 'document' THEN (SELECT x.updated_at FROM documents x WHERE x.id = r.record AND x.owner = r.owner)
      ELSE (SELECT x.updated_at FROM memories x WHERE x.owner = r.owner AND x.id = r.record) END changed
  FROM search_entries r
  WHERE r.owner = ? AND r.kind IN (SELECT value FROM json_each(?)) AND (${condition.sql}) ${unwanted.length > 0 ? without : ""})
SELECT t.total, '[]' known, '[]' used, p.entry, p.kind, p.record, 0.0 score, 0 units${columnsOf(range)}
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
