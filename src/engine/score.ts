import { FORMS_VERSION, OUTDATED } from "./analyse.ts";
import {
  ALL_KNOWN,
  correctionProbe,
  isReliablyCorrectable,
  SHORT_QUERY_WORDS,
  similarWordsStep,
  unknownStep,
} from "./correct.ts";
import { ownerPrefix } from "./forms.ts";
import type { QueryPlan, SqlFragment } from "./plan.ts";

// The steps of the search statement that match and score: BM25 over the owner's own counts. Everything that differs between
// searches is a parameter, because preparing a new statement takes ten times as long as running it.

export type ScoreScope = {
  readonly owner: number;
  readonly kinds: readonly string[];
  /** child entries to search as well; a match in one counts for its parents */
  readonly children?: ChildEntries | undefined;
  /** if words are unknown, find similar words only, no records */
  readonly corrects?: boolean | undefined;
};

/** A kind of entries that belong to others. `parentJoins`: SQL that joins the parents `w` to a child entry `e`. */
export type ChildEntries = { readonly kind: string; readonly parentJoins: readonly string[] };

/** Parameters of the ranking. `npm run bench:fit` tests values on collections that they were not fitted to. */
export type Tuning = {
  /** BM25 (Robertson, Zaragoza 2009): term frequency saturation */
  readonly k1: number;
  /** length normalization, 0 to 1 */
  readonly b: number;
  /** weight of an occurrence in the title; one in the text is 1 */
  readonly title: number;
  /** weights of the boosts, as a share of a word of the same document frequency */
  readonly near: number;
  readonly exact: number;
  readonly date: number;
  /** a word that ends in a word of the query: `Handwerkerrechnungen` for `Rechnungen` */
  readonly ending: number;
};

export const TUNING: Tuning = { k1: 1.2, b: 0.6, title: 2, near: 0.25, exact: 0.25, date: 1, ending: 0.25 };
const TAGS_WEIGHT = 2;

/**
 * A word in more than half of all records (its Robertson/Spärck Jones weight is negative), and in more than
 * FREQUENT_RECORDS, finds no records by itself if rarer words do: they would cost most of the ranking and come last.
 */
const FREQUENT_SHARE = 0.5;
const FREQUENT_RECORDS = 50;

/**
 * Limit of (word, record) pairs that a search scores, which bounds its time in accounts of any size. Beyond it, frequent
 * words only score records that rarer words found. The rarest word always finds all its records.
 */
const MAX_PAIRS = 50_000;

/**
 * FTS5 counts occurrences phrase by phrase: counting sixty alternatives in 41 texts of 1 MB took half a second. Beyond this
 * product of words in a record and phrases, the term frequency is estimated from the record's length.
 */
const MAX_COUNTED = 2_000_000;
/** A prefix counts as this many phrases because it stands for many words. */
const PHRASES_PER_PREFIX = 16;
const countCharacter = (expression: string, mark: string) =>
  `(length(${expression}) - length(replace(${expression}, '${mark}', '')))`;
const phraseCount = (expression: string) =>
  `(${countCharacter(expression, '"')} / 2 + ${PHRASES_PER_PREFIX} * ${countCharacter(expression, "*")})`;

/** The parameters of FTS5's bm25() (https://sqlite.org/fts5.html, "The bm25() function"). */
const FTS_K1 = 1.2;
const FTS_B = 0.75;

/**
 * For a matching row, (tf + k) / tf, where tf is the weighted count of occurrences and k FTS5's length normalization.
 * bm25() counts in C, but multiplies by an idf over all owners: idf · tf · (k1 + 1) / (tf + k). With enormous column
 * weights it is idf · (k1 + 1), so the quotient of both cancels that idf.
 */
function dilution(title: number): string {
  const bm25 = (times: number) =>
    `bm25(search_index, ${[title, TAGS_WEIGHT, 1, 1].map((weight) => weight * times).join(", ")})`;
  return `${bm25(1e12)} / ${bm25(1)}`;
}

/** Inverse document frequency: the Robertson/Spärck Jones weight, never negative. */
const idf = (records: string) => `ln(1 + max(0, own.records - ${records} + 0.5) / (${records} + 0.5))`;

/** The clauses and boosts as the JSON parameter of the statement. */
function clausesJson({ clauses, boosts }: QueryPlan, tuning: Tuning, prefix?: string): string {
  const shares = { ...tuning, literal: 1 };
  const isLong = clauses.length > SHORT_QUERY_WORDS;
  const probes = clauses.map((unit) =>
    prefix === undefined ? undefined : correctionProbe(unit, prefix, isLong),
  );
  return JSON.stringify([
    ...clauses.map(
      (
        {
          weight,
          typed,
          expression,
          compoundExpression,
          legacyExpression,
          minIndexVersion = FORMS_VERSION,
          lookups,
          counting,
          isRequired,
        },
        unit,
      ) => ({
        slip: probes[unit],
        expression,
        besides: compoundExpression,
        older: legacyExpression,
        since: minIndexVersion,
        weight,
        meant: typed === undefined || isReliablyCorrectable(typed) ? 1 : 0,
        terms: lookups,
        counting,
        groups: new Set(lookups.flatMap(([, group]) => group ?? [])).size,
        required: isRequired ? 1 : 0,
      }),
    ),
    ...boosts.map(({ kind, clauses: of, weight = 1, expression, term }) => ({
      expression,
      weight: weight * shares[kind],
      bonus: { literal: "near", ending: "date" }[kind as string] ?? kind,
      of,
      term,
    })),
  ]);
}

const countSteps = (kinds: string, title: number) => `
-- the owner's number of records, the average length of the wanted kinds, and the oldest version of any entries
own AS MATERIALIZED (
  SELECT total(entries) records,
    max(1, total(length) FILTER (WHERE kind IN (${kinds}))) / max(1, total(entries) FILTER (WHERE kind IN (${kinds}))) average,
    (SELECT min(index_version) FROM search_entries WHERE index_version >= 0 AND ${OUTDATED}) oldest
  FROM search_totals WHERE owner = ?),
-- the average length that FTS5 normalizes by, from the reference row, which has one token
fts AS MATERIALIZED (
  SELECT ${FTS_B} / ((${dilution(title)} - 1) / ${FTS_K1} - ${1 - FTS_B}) average
  FROM search_index WHERE search_index MATCH '"0xreference"'),
-- the units and bonuses to look for
asked AS MATERIALIZED (
  SELECT key unit, value->>'bonus' bonus, value->'of' pair, value->>'term' term, value->>'weight' weight, value->>'required' required,
    value->>'meant' meant, value->'slip' slip, value->'terms' terms, value->>'groups' groups, value->>'besides' besides,
    iif(own.oldest < value->>'since', NULL, value->>'counting') counting,
    iif(own.oldest < value->>'since', ifnull(value->>'older' || ' OR ', ''), '') || (value->>'expression') expression
  FROM json_each(?), own),
-- which terms of a unit occur, and in how many records
term AS MATERIALIZED (
  SELECT a.unit, w.term, t.value->>1 of_group, t.value->>2 known, w.doc records
  FROM asked a CROSS JOIN json_each(a.terms) t CROSS JOIN search_words w ON w.term = t.value->>0),
-- the terms of a group occur in the same texts: together they are in about as many records as the most frequent one
term_group AS MATERIALIZED (
  SELECT unit, of_group, max(records) records, max(records) FILTER (WHERE known) known,
    group_concat(format('"%w"', term), ' OR ') expression
  FROM term GROUP BY unit, of_group),
-- how many records contain each unit, and how to find them: by no more terms than occur, if the terms are enough
counted AS MATERIALIZED (
  SELECT a.unit, a.weight, a.required, a.meant, a.slip, total(g.known) known,
    CASE a.counting
      WHEN 'any' THEN total(g.records) FILTER (WHERE of_group IS NOT NULL)
      WHEN 'all' THEN iif(count(of_group) = a.groups, min(g.records), 0)
      ELSE (SELECT count(*) FROM search_index WHERE search_index MATCH a.expression) END records,
    CASE a.counting
      WHEN 'any' THEN group_concat(g.expression, ' OR ') FILTER (WHERE of_group IS NOT NULL) || ifnull(' OR ' || a.besides, '')
      ELSE a.expression END expression
  FROM asked a LEFT JOIN term_group g ON g.unit = a.unit WHERE a.bonus IS NULL GROUP BY a.unit)`;

const choiceSteps = (condition: string, hasDates: boolean) => `
-- the units that occur, what they are worth, and how many pairs they make together with all rarer ones
word AS MATERIALIZED (
  SELECT unit, required, meant, c.records, expression, weight * ${idf("c.records")} worth,
    c.records > max(${FREQUENT_RECORDS}, ${FREQUENT_SHARE} * own.records) frequent,
    sum(c.records) OVER (ORDER BY c.required DESC, c.records, c.unit) pairs
  FROM counted c, own WHERE c.records > 0 AND ${condition}),
-- which of them find records: the rarest at least; frequent ones only if there are no others
choice AS MATERIALIZED (
  SELECT *, required OR pairs = records OR (pairs <= ${MAX_PAIRS} AND frequent = min(frequent) OVER ()) finds FROM word),
-- what finds anything at all, and in how many records at most; the others in order, rare ones first
finding AS MATERIALIZED (
  SELECT *, group_concat('(' || expression || ')', ' OR ') FILTER (WHERE finds) OVER () finders,
    total(records) FILTER (WHERE finds) OVER () found, row_number() OVER (PARTITION BY finds ORDER BY records) place
  FROM choice),
-- two words close together, one of which finds records, in the records where they are; or texts that say a word
near AS MATERIALIZED (
  SELECT a.unit, a.weight, search_index.rowid entry, count(*) OVER (PARTITION BY a.unit) records
  FROM asked a CROSS JOIN search_index
  WHERE a.bonus = 'near' AND EXISTS (SELECT 1 FROM json_each(a.pair) p JOIN choice c ON c.unit = p.value AND c.finds)
    AND search_index MATCH a.expression),
-- dates, which find records by themselves
date AS MATERIALIZED (
  SELECT *, (SELECT count(*) FROM search_index WHERE search_index MATCH expression) records
  FROM asked WHERE bonus = 'date'${hasDates ? ` AND ${condition}` : ""}),
-- everything else to match, and what it is worth: units that find records, others only in those records, and bonuses
sought AS MATERIALIZED (
  SELECT unit, iif(finds, NULL, 'once') bonus, required, meant, worth, ${phraseCount("expression")} phrases,
    iif(finds, '', '(' || finders || ') AND ') || '(' || expression || ')' expression
  FROM finding WHERE finds OR place * found <= ${MAX_PAIRS}
  UNION ALL
  SELECT a.unit, 'exact', 0, 0, a.weight * ${idf("t.records")}, 1, a.expression
  FROM own, asked a CROSS JOIN choice c ON c.unit = a.pair->>0 AND c.finds JOIN term t ON t.unit = c.unit AND t.term = a.term
  WHERE a.bonus = 'exact'
  UNION ALL
  SELECT unit, 'date', 0, 1, weight * ${idf("d.records")}, ${phraseCount("expression")}, expression FROM date d, own)`;

/** @param isRead the scored rows are read more than once */
const scoringSteps = (kinds: string, { k1, b, title }: Tuning, isRead: boolean) => `
-- each unit and bonus in each record that contains it, and how often it occurs there
hit AS NOT MATERIALIZED (
  SELECT s.unit, s.bonus, s.required, s.meant, s.worth, e.entry, e.length,
    CASE WHEN s.bonus = 'once' THEN 1
      WHEN e.length * s.phrases * ? > ${MAX_COUNTED} THEN max(1, e.length / (SELECT average FROM own))
      ELSE round(1e6 * ${FTS_K1} * (${1 - FTS_B} + ${FTS_B} * max(e.tokens, e.length) / (SELECT average FROM fts))
        / max(1e-9, ${dilution(title)} - 1)) / 1e6 END tf
  FROM sought s CROSS JOIN search_index CROSS JOIN search_entries e ON e.entry = search_index.rowid
  WHERE search_index MATCH s.expression AND e.owner = ? AND e.kind IN (${kinds})
  UNION ALL
  SELECT unit, 'near', 0, 0, weight * ${idf("near.records")}, entry, NULL, NULL FROM near, own),
-- what it adds to the record's score: BM25, or the same everywhere for words close together
scored AS ${isRead ? "" : "NOT "}MATERIALIZED (
  SELECT *,
    worth * ifnull(${k1 + 1} * tf / (tf + ${k1} * (${1 - b} + ${b} * length / (SELECT average FROM own))), 1) part
  FROM hit)`;

/** Counts matches in a child entry for its parents: each clause and boost once, where its score is highest. */
const childSteps = ({ kind, parentJoins }: ChildEntries, kinds: string) => {
  const columns = "s.unit, s.bonus, s.required, s.meant, s.part";
  const within = parentJoins.map(
    (whole) => `
  UNION ALL
  SELECT ${columns}, w.entry, s.entry FROM scored s CROSS JOIN search_entries e ON e.entry = s.entry AND e.kind = '${kind}' ${whole}
  WHERE w.kind IN (${kinds})`,
  );
  return `
placed AS MATERIALIZED (
  SELECT ${columns}, s.entry, NULL piece FROM scored s CROSS JOIN search_entries e ON e.entry = s.entry AND e.kind IN (${kinds})${within.join("")}),
best AS NOT MATERIALIZED (
  SELECT entry, unit, bonus, required, max(meant) meant, max(part) part FROM placed GROUP BY entry, unit)`;
};

/** The steps from a plan to `scored`: a row for each clause and boost in each matching record. */
export function scoreSteps(
  plan: QueryPlan,
  { owner, kinds, children, corrects }: ScoreScope,
  tuning: Tuning,
): SqlFragment {
  const list = (all: readonly string[]) => all.map((kind) => `'${kind}'`).join(", ");
  const kindList = list(kinds);
  const prefix = corrects ? ownerPrefix(owner) : undefined;
  const like = prefix === undefined ? undefined : similarWordsStep(prefix);
  const steps = [
    countSteps(kindList, tuning.title),
    ...(like ? [unknownStep, like.sql] : []),
    choiceSteps(
      corrects ? ALL_KNOWN : "1",
      plan.boosts.some(({ kind }) => kind === "date" || kind === "ending"),
    ),
    scoringSteps(children ? list([...kinds, children.kind]) : kindList, tuning, children !== undefined),
    ...(children ? [childSteps(children, kindList)] : []),
  ];
  return {
    sql: steps.join(","),
    params: [owner, clausesJson(plan, tuning, prefix), ...(like?.params ?? []), plan.clauses.length, owner],
  };
}
