import { OUTDATED } from "./analyse.ts";
import {
  ALL_KNOWN,
  correctionProbe,
  correctionSteps,
  isReliablyCorrectable,
  SHORT_QUERY_WORDS,
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

// A word in more than half of all records (its Robertson/Spärck Jones weight is negative), and in more than
// FREQUENT_RECORDS, finds no records by itself if rarer words do: they would cost most of the ranking and come last.
const FREQUENT_SHARE = 0.5;
const FREQUENT_RECORDS = 50;

// Limit of (word, record) pairs that a search scores, which bounds its time in accounts of any size. Beyond it, frequent
// words only score records that rarer words found. The rarest word always finds all its records.
const MAX_PAIRS = 50_000;

// FTS5 counts occurrences phrase by phrase: counting sixty alternatives in 41 texts of 1 MB took half a second. Beyond this
// product of words in a record and phrases, the term frequency is estimated from the record's length.
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

// For a matching row, (tf + k) / tf, where tf is the weighted count of occurrences and k FTS5's length normalization.
// bm25() counts in C, but multiplies by an idf over all owners: idf · tf · (k1 + 1) / (tf + k). With enormous column
// weights it is idf · (k1 + 1), so the quotient of both cancels that idf.
function dilution(title: number): string {
  const bm25 = (times: number) =>
    `bm25(search_index, ${[title, TAGS_WEIGHT, 1, 1].map((weight) => weight * times).join(", ")})`;
  return `${bm25(1e12)} / ${bm25(1)}`;
}

/** Inverse document frequency: the Robertson/Spärck Jones weight, never negative. */
const idf = (records: string) => `ln(1 + max(0, own.records - ${records} + 0.5) / (${records} + 0.5))`;

const BONUS_OF = { near: "near", exact: "exact", date: "date", ending: "date", literal: "near" } as const;

/** The clauses and boosts as the JSON parameter of the statement. With the owner's `prefix`, unknown words are corrected. */
function unitsJson({ clauses, boosts }: QueryPlan, tuning: Tuning, prefix?: string): string {
  const shares = { ...tuning, literal: 1 };
  const isLong = clauses.length > SHORT_QUERY_WORDS;
  return JSON.stringify([
    ...clauses.map((clause) => ({
      weight: clause.weight,
      isRequired: clause.isRequired,
      isReliable: clause.typed === undefined || isReliablyCorrectable(clause.typed),
      expression: clause.expression,
      compoundExpression: clause.compoundExpression,
      legacyExpression: clause.legacyExpression,
      minIndexVersion: clause.minIndexVersion,
      counting: clause.counting,
      lookups: clause.lookups,
      groups: new Set(clause.lookups.flatMap(({ group }) => group ?? [])).size,
      probe: prefix === undefined ? undefined : correctionProbe(clause, prefix, isLong),
    })),
    ...boosts.map(({ kind, clauses, weight = 1, expression, term }) => ({
      bonus: BONUS_OF[kind],
      weight: weight * shares[kind],
      expression,
      clauses,
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
-- the clauses and boosts of the plan, each by its number
units AS MATERIALIZED (
  SELECT key unit, value->>'bonus' bonus, value->'clauses' clauses, value->>'term' term, value->>'weight' weight,
    value->>'isRequired' required, value->>'isReliable' reliable, value->'probe' probe,
    value->'lookups' lookups, value->>'groups' groups, value->>'compoundExpression' compound,
    iif(own.oldest < value->>'minIndexVersion', NULL, value->>'counting') counting,
    iif(own.oldest < value->>'minIndexVersion', ifnull(value->>'legacyExpression' || ' OR ', ''), '')
      || (value->>'expression') expression
  FROM json_each(?), own),
-- which terms of a clause occur, and in how many records
term AS MATERIALIZED (
  SELECT u.unit, w.term, l.value->>'group' of_group, l.value->>'isKnown' known, w.doc records
  FROM units u CROSS JOIN json_each(u.lookups) l CROSS JOIN search_words w ON w.term = l.value->>'term'),
-- the terms of a group occur in the same texts: together they are in about as many records as the most frequent one
term_group AS MATERIALIZED (
  SELECT unit, of_group, max(records) records, max(records) FILTER (WHERE known) known,
    group_concat(format('"%w"', term), ' OR ') expression
  FROM term GROUP BY unit, of_group),
-- how many records contain each clause, and how to find them: by no more terms than occur, if the terms are enough
counted AS MATERIALIZED (
  SELECT u.unit, u.weight, u.required, u.reliable, u.probe, total(g.known) known,
    CASE u.counting
      WHEN 'any' THEN total(g.records) FILTER (WHERE of_group IS NOT NULL)
      WHEN 'all' THEN iif(count(of_group) = u.groups, min(g.records), 0)
      ELSE (SELECT count(*) FROM search_index WHERE search_index MATCH u.expression) END records,
    CASE u.counting
      WHEN 'any' THEN group_concat(g.expression, ' OR ') FILTER (WHERE of_group IS NOT NULL) || ifnull(' OR ' || u.compound, '')
      ELSE u.expression END expression
  FROM units u LEFT JOIN term_group g ON g.unit = u.unit WHERE u.bonus IS NULL GROUP BY u.unit)`;

const choiceSteps = (condition: string, hasDates: boolean) => `
-- the clauses that occur, what they are worth, and how many pairs they make together with all rarer ones
word AS MATERIALIZED (
  SELECT unit, required, reliable, c.records, expression, weight * ${idf("c.records")} worth,
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
  SELECT u.unit, u.weight, search_index.rowid entry, count(*) OVER (PARTITION BY u.unit) records
  FROM units u CROSS JOIN search_index
  WHERE u.bonus = 'near' AND EXISTS (SELECT 1 FROM json_each(u.clauses) p JOIN choice c ON c.unit = p.value AND c.finds)
    AND search_index MATCH u.expression),
-- dates, which find records by themselves
date AS MATERIALIZED (
  SELECT *, (SELECT count(*) FROM search_index WHERE search_index MATCH expression) records
  FROM units WHERE bonus = 'date'${hasDates ? ` AND ${condition}` : ""}),
-- everything else to match, and what it is worth: clauses that find records, others only in those records, and boosts
sought AS MATERIALIZED (
  SELECT unit, iif(finds, NULL, 'once') bonus, required, reliable, worth, ${phraseCount("expression")} phrases,
    iif(finds, '', '(' || finders || ') AND ') || '(' || expression || ')' expression
  FROM finding WHERE finds OR place * found <= ${MAX_PAIRS}
  UNION ALL
  SELECT u.unit, 'exact', 0, 0, u.weight * ${idf("t.records")}, 1, u.expression
  FROM own, units u CROSS JOIN choice c ON c.unit = u.clauses->>0 AND c.finds JOIN term t ON t.unit = c.unit AND t.term = u.term
  WHERE u.bonus = 'exact'
  UNION ALL
  SELECT unit, 'date', 0, 1, weight * ${idf("d.records")}, ${phraseCount("expression")}, expression FROM date d, own)`;

/** @param isRead the scored rows are read more than once */
const scoringSteps = (kinds: string, { k1, b, title }: Tuning, isRead: boolean) => `
-- each clause and boost in each record that contains it, and how often it occurs there
hit AS NOT MATERIALIZED (
  SELECT s.unit, s.bonus, s.required, s.reliable, s.worth, e.entry, e.length,
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
  const columns = "s.unit, s.bonus, s.required, s.reliable, s.part";
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
  SELECT entry, unit, bonus, required, max(reliable) reliable, max(part) part FROM placed GROUP BY entry, unit)`;
};

/** The steps from a plan to `scored`: a row for each clause and boost in each matching record. */
export function scoreSteps(
  plan: QueryPlan,
  { owner, kinds, children, corrects }: ScoreScope,
  tuning: Tuning,
): SqlFragment {
  const list = (all: readonly string[]) => all.map((kind) => `'${kind}'`).join(", ");
  const kindList = list(kinds);
  const hasDates = plan.boosts.some(({ kind }) => BONUS_OF[kind] === "date");
  const steps = [
    countSteps(kindList, tuning.title),
    ...(corrects ? [correctionSteps] : []),
    choiceSteps(corrects ? ALL_KNOWN : "1", hasDates),
    scoringSteps(children ? list([...kinds, children.kind]) : kindList, tuning, children !== undefined),
    ...(children ? [childSteps(children, kindList)] : []),
  ];
  const units = unitsJson(plan, tuning, corrects ? ownerPrefix(owner) : undefined);
  return { sql: steps.join(","), params: [owner, units, plan.clauses.length, owner] };
}
