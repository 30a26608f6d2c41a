import { similarWordsJson } from "./correct.ts";
import type { FactVocabulary, QueryPlan, SqlFragment } from "./plan.ts";
import { type ScoreScope, scoreSteps, TUNING } from "./score.ts";

export type RankOptions = ScoreScope & {
  readonly vocabulary?: FactVocabulary | undefined;
  /** filter on the alias `r` (entry, kind, record): `EXISTS (SELECT 1 FROM documents d WHERE d.id = r.record)` */
  readonly condition?: SqlFragment | undefined;
  /** further columns of the result rows, and the joins that provide them, on the alias `p` */
  readonly details?: { readonly columns: SqlFragment; readonly joins: SqlFragment } | undefined;
  /** expression on the alias `r` to order by, descending, when nothing is ranked */
  readonly browseOrder?: string | undefined;
  readonly explain?: boolean | undefined;
  readonly limit: number;
  readonly offset: number;
};

/** A row of the search statement. Without results there is one row whose `entry` is null. */
export type RankedRow = {
  readonly total: number;
  /** JSON: words similar to unknown ones, see `similarWordsJson`; null if every word is known */
  readonly similar: string | null;
  readonly entry: number | null;
  readonly kind: string | null;
  readonly record: string | null;
  readonly score: number | null;
  /** JSON array: the clauses and boosts that match the record, by number; boosts are numbered after all clauses */
  readonly found: string | null;
  /** JSON array of `{unit, score}`: what each of them adds to the score, if `explain` is set */
  readonly parts: string | null;
  /** the child entry with the largest share of the score, as search_entries.entry; null for the record itself */
  readonly piece: number | null;
  /** JSON array: which of several likely corrections the record contains; null if each word has at most one */
  readonly candidates: string | null;
};

const detailColumns = ({ details }: RankOptions) => (details ? `, ${details.columns.sql}` : "");

function candidatesColumn({ clauses }: QueryPlan): SqlFragment {
  const candidates = clauses.flatMap((clause) => clause.candidates ?? []);
  if (candidates.length === 0) return { sql: "NULL", params: [] };
  return {
    sql: `(SELECT json_group_array(c.value->>'word') FROM json_each(?) c WHERE EXISTS (
    SELECT 1 FROM search_index WHERE search_index MATCH c.value->>'expression' AND search_index.rowid = p.entry))`,
    params: [JSON.stringify(candidates)],
  };
}

const EXCLUDING = "AND r.entry NOT IN (SELECT rowid FROM search_index WHERE search_index MATCH ?)";

/** The child entry with the largest share of a record's score; on a tie, null for the record itself. */
const BEST_CHILD = `(SELECT q.piece FROM placed q WHERE q.entry = page.entry
  GROUP BY q.piece ORDER BY sum(q.part) DESC, q.piece IS NOT NULL, q.piece LIMIT 1)`;

function resultSelect({ excluded }: QueryPlan, { condition }: RankOptions): SqlFragment {
  if (condition === undefined && excluded === undefined) return { sql: "SELECT * FROM record", params: [] };
  return {
    sql: `SELECT record.* FROM record JOIN search_entries r USING (entry)
  WHERE (${condition?.sql ?? 1}) ${excluded === undefined ? "" : EXCLUDING}`,
    params: [...(condition?.params ?? []), ...(excluded === undefined ? [] : [excluded])],
  };
}

/** Ranks by BM25. Records with all words come first, those found only by unreliable corrections last. */
export function rankStatement(plan: QueryPlan, range: RankOptions, tuning = TUNING): SqlFragment {
  const required = plan.clauses.filter((clause) => clause.isRequired).length;
  const steps = scoreSteps(plan, range, tuning);
  const result = resultSelect(plan, range);
  const candidates = candidatesColumn(plan);
  const sql = `
WITH ${steps.sql},
record AS NOT MATERIALIZED (
  SELECT entry, sum(part) score, max(reliable) reliable,
    count(*) FILTER (WHERE bonus IS NULL OR bonus = 'once') = ? complete,
    json_group_array(unit) found, ${range.explain ? "json_group_array(json_object('unit', unit, 'score', part))" : "NULL"} parts
  FROM ${range.children ? "best" : "scored"} GROUP BY entry HAVING sum(required) = ? AND max(bonus IS NULL OR bonus IN ('once', 'date'))),
result AS MATERIALIZED (${result.sql}),
ranked AS NOT MATERIALIZED (
  SELECT *, row_number() OVER (ORDER BY reliable DESC, complete DESC, score DESC, entry) place FROM result),
page AS (SELECT * FROM ranked WHERE place > ? LIMIT +?)
SELECT t.total, t.similar, p.entry, p.kind, p.record, p.score, p.found, p.parts, ${candidates.sql} candidates, p.piece${detailColumns(range)}
FROM (SELECT (SELECT count(*) FROM result) total, ${range.corrects ? similarWordsJson(range.vocabulary) : "NULL"} similar) t
LEFT JOIN (SELECT page.*, e.kind, e.record, ${range.children ? BEST_CHILD : "NULL"} piece FROM page CROSS JOIN search_entries e USING (entry)) p ${range.details?.joins.sql ?? ""}
ORDER BY p.place`;
  return {
    sql,
    params: [
      ...steps.params,
      plan.clauses.length,
      required,
      ...result.params,
      range.offset,
      range.limit,
      ...candidates.params,
      ...(range.details?.columns.params ?? []),
      ...(range.details?.joins.params ?? []),
    ],
  };
}

/** Lists the results of a query that only filters or excludes, newest first. */
export function browseStatement(plan: QueryPlan, range: RankOptions): SqlFragment {
  const condition = range.condition ?? { sql: "1", params: [] };
  const unwanted = plan.excluded === undefined ? [] : [plan.excluded];
  const sql = `
WITH result AS MATERIALIZED (
  SELECT r.entry, r.kind, r.record, ${range.browseOrder ?? "r.entry"} changed
  FROM search_entries r
  WHERE r.owner = ? AND r.kind IN (SELECT value FROM json_each(?)) AND (${condition.sql}) ${unwanted.length > 0 ? EXCLUDING : ""})
SELECT t.total, NULL similar, p.entry, p.kind, p.record, 0.0 score, '[]' found, NULL parts, NULL candidates, NULL piece${detailColumns(range)}
FROM (SELECT count(*) total FROM result) t
LEFT JOIN (SELECT *, NULL piece FROM result ORDER BY changed DESC, entry DESC LIMIT ? OFFSET ?) p ${range.details?.joins.sql ?? ""}
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
