import type { Ctx } from "../platform/core/ctx.ts";
import { createRecentMap } from "../platform/core/recent-map.ts";
import type { Query } from "../shared/query/query.ts";
import { IS_WAITING } from "./analyse.ts";
import { chooseCorrections } from "./correct.ts";
import { buildHighlightQuery, type HighlightQuery } from "./highlight.ts";
import type { Corrections, PlanOptions, QueryPlan, SqlFragment } from "./plan.ts";
import { planQuery } from "./plan-query.ts";
import { browseStatement, type RankedRow, type RankOptions, rankStatement } from "./rank.ts";
import type { ChildEntries } from "./score.ts";

// The public interface of the search engine. It indexes texts under an owner, a kind and a key, and returns matching keys.

export { factToken, stem } from "./forms.ts";
export {
  countEntries,
  deferredIndexStatements,
  indexStatements,
  indexStatementsInSteps,
  knownWordsStatement,
  MAX_INDEXED_INLINE,
  markWaitingStatement,
  newWaitingTicket,
  sameBodyKeys,
  sameTextKeys,
  similarTitleKeys,
  unindexStatement,
} from "./index-store.ts";
export { mergeSegments } from "./merge.ts";
export type { Corrections, FactVocabulary, SqlFragment } from "./plan.ts";
export { hasOutdated, type OutdatedEntry, reindexStep, type TextSource } from "./reindex-store.ts";
export type { ChildEntries } from "./score.ts";
export { makeSnippets, type Snippet, type SnippetSource } from "./snippet.ts";

export type SearchRequest = Omit<RankOptions, "owner" | "corrects"> & {
  readonly query: Query;
  /** today in the caller's time zone (YYYY-MM-DD), for words such as `yesterday` */
  readonly today?: string | undefined;
  /** SQL condition checked in the same database call; if it is false, the search throws the error of `otherwise` */
  readonly precondition?: { readonly that: SqlFragment; readonly otherwise: () => Error } | undefined;
};

export type ScorePart = {
  readonly words: readonly string[];
  readonly because: "found" | "near" | "exact" | "date";
  readonly facts: readonly string[];
  readonly score: number;
};

export type RankedResult<Details> = {
  readonly kind: string;
  readonly record: string;
  readonly score: number;
  readonly details: Details;
  /** labels of the clauses that match; undefined if all do */
  readonly matchedLabels: string[] | undefined;
  /** corrections that match: each word as typed, with the likeliest of its corrections that the record contains */
  readonly matchedCorrections: Record<string, string> | undefined;
  /** the parts of the score, largest first; empty unless `explain` is set */
  readonly parts: readonly ScorePart[];
};

export type SearchOutcome<Details> = {
  /** exact number of results on all pages */
  readonly total: number;
  readonly results: readonly RankedResult<Details>[];
  /** the words searched for, folded */
  readonly words: readonly string[];
  /** groups of words joined by OR */
  readonly alternatives: readonly (readonly string[])[];
  readonly corrections: Corrections;
  /** phrases that were made optional because requiring them found nothing */
  readonly relaxed: readonly string[] | undefined;
  readonly missingPhrases: readonly string[];
  /** operators that were treated as plain words because the query has too many */
  readonly simplified: readonly string[];
  /** how many of the owner's texts are not indexed yet */
  readonly waitingCount: number;
  readonly highlightQuery: HighlightQuery;
};

/** Accounts known to have child entries. An account that has been evicted is checked again. */
const accountsWithChildren = createRecentMap<string, true>(10_000);

type ResultRow = RankedRow & { entry: number; kind: string; record: string };
type SearchRun = {
  readonly plan: QueryPlan;
  readonly corrections: Corrections;
  readonly total: number;
  readonly rows: readonly RankedRow[];
  readonly waiting: number;
  readonly relaxed?: readonly string[];
};
type SearchContext = Pick<Ctx, "db" | "owner" | "shard">;

/**
 * Searches the owner's index: as typed, then with corrections, then with optional phrases. Each attempt is one database
 * call and is made only if the one before found nothing. Throws the given error if the precondition fails.
 */
export async function searchEntries<Details>(
  ctx: SearchContext,
  search: SearchRequest,
): Promise<SearchOutcome<Details>> {
  const { plan, corrections, total, rows, waiting, relaxed } = await findRows(ctx, search);
  const found = rows.filter((row): row is ResultRow => row.entry !== null);
  return {
    total,
    results: found.map((row) => toResult<Details>(plan, row)),
    words: [...new Set(plan.clauses.flatMap(({ labels }) => labels))],
    alternatives: plan.clauses.filter(({ isAlternative }) => isAlternative).map(({ labels }) => labels),
    corrections,
    relaxed,
    missingPhrases: missingPhrases(plan, found, relaxed),
    simplified: plan.simplified,
    waitingCount: waiting,
    highlightQuery: buildHighlightQuery(search.query, corrections, plan.ignoredWords),
  };
}

async function findRows(ctx: SearchContext, search: SearchRequest): Promise<SearchRun> {
  const typed = await runPlan(ctx, search, {}, true);
  const similar = typed.rows[0]?.similar;
  const meaning = { owner: ctx.owner, meanings: search.vocabulary };
  const corrections = similar ? chooseCorrections(typed.plan, similar, meaning) : typed.corrections;
  const found = similar ? await runPlan(ctx, search, { corrections }) : typed;
  const phrases = found.plan.clauses.filter(({ isRequired, isPhrase }) => isRequired && isPhrase);
  if (found.total > 0 || phrases.length === 0) return found;
  const relaxed = await runPlan(ctx, search, { corrections, relaxed: true });
  return relaxed.total > 0 ? { ...relaxed, relaxed: phrases.map(({ text }) => text) } : found;
}

/** Runs a plan, in accounts with child entries also on those. */
async function runPlan(
  ctx: SearchContext,
  search: SearchRequest,
  { corrections = new Map(), relaxed }: Pick<PlanOptions, "corrections" | "relaxed">,
  corrects = false,
): Promise<SearchRun> {
  const { query, today, vocabulary, children } = search;
  const plan = planQuery(ctx.owner, query, { corrections, relaxed, today, vocabulary });
  const run = async (children?: ChildEntries) => {
    const statement = statementOf(plan, { ...search, children, owner: ctx.owner, corrects });
    const found = await runStatement(ctx, search, statement);
    return { plan, corrections, total: found.rows[0]?.total ?? 0, ...found };
  };
  const account = `${ctx.shard}.${ctx.owner}`;
  const hasChildren = accountsWithChildren.get(account) ?? false;
  const found = await run(hasChildren ? children : undefined);
  if (hasChildren || found.pieces === 0) return found;
  accountsWithChildren.set(account, true);
  return run(children);
}

const NO_ROWS: SqlFragment = { sql: "SELECT 0 AS total, NULL AS entry", params: [] };

function statementOf(plan: QueryPlan, search: SearchRequest & RankOptions): SqlFragment {
  if (plan.clauses.length > 0) return rankStatement(plan, search);
  const { filters, unwanted } = search.query;
  return filters.length + unwanted.length > 0 ? browseStatement(plan, search) : NO_ROWS;
}

const ALWAYS: SqlFragment = { sql: "1", params: [] };

/** Runs a search. The same call checks the precondition and counts the texts that are not indexed yet. */
async function runStatement(
  { db, owner }: SearchContext,
  { precondition, children }: SearchRequest,
  { sql, params }: SqlFragment,
): Promise<Pick<SearchRun, "rows" | "waiting"> & { pieces: number }> {
  const { that = ALWAYS, otherwise } = precondition ?? {};
  const statusSql = `SELECT ${that.sql} AS allowed,
      (SELECT count(*) FROM search_entries WHERE owner = ? AND ${IS_WAITING}) AS waiting,
      (SELECT entries FROM search_totals WHERE owner = ? AND kind = ?) AS pieces`;
  const statusParams = [...that.params, owner, owner, children?.kind ?? ""];
  const [rows, [row]] = await db.batch([
    db.all<RankedRow>({ sql, params }),
    db.all<{ allowed: number; waiting: number; pieces: number | null }>({
      sql: statusSql,
      params: statusParams,
    }),
  ]);
  if (otherwise && !row?.allowed) throw otherwise();
  return { rows, waiting: row?.waiting ?? 0, pieces: row?.pieces ?? 0 };
}

const foundNumbers = ({ found }: RankedRow) => JSON.parse(found ?? "[]") as number[];

/** The phrases that no result contains. In a sentence phrases are optional, so there can be results without them. */
function missingPhrases(
  { clauses }: QueryPlan,
  rows: readonly ResultRow[],
  relaxed: readonly string[] = [],
): string[] {
  const found = new Set(rows.flatMap(foundNumbers));
  return clauses.flatMap(({ isPhrase, text }, unit) =>
    isPhrase && (relaxed.includes(text) || (rows.length > 0 && !found.has(unit))) ? [text] : [],
  );
}

function toResult<Details>(plan: QueryPlan, row: ResultRow): RankedResult<Details> {
  const units = foundNumbers(row);
  return {
    kind: row.kind,
    record: row.record,
    score: row.score ?? 0,
    details: row as Details,
    matchedLabels: plan.clauses.length > 0 ? matchedLabels(plan, units) : undefined,
    matchedCorrections: matchedCorrections(plan, units, row),
    parts: scoreParts(plan, row),
  };
}

function matchedLabels({ clauses, boosts }: QueryPlan, units: readonly number[]): string[] | undefined {
  const found = new Set(units);
  const has = clauses.filter((_, unit) => found.has(unit));
  if (has.length === clauses.length) return undefined;
  const dates = boosts.flatMap(({ label }, index) =>
    label && found.has(clauses.length + index) ? [label] : [],
  );
  return [...has.map(({ labels }) => labels.join(" OR ")), ...dates];
}

function matchedCorrections({ clauses }: QueryPlan, units: readonly number[], { candidates }: ResultRow) {
  const contained = JSON.parse(candidates ?? "[]") as string[];
  const corrected = units
    .flatMap((unit) => clauses[unit] ?? [])
    .flatMap(({ typed, labels: [best = "", ...others] }) =>
      typed === undefined
        ? []
        : [[typed, [best, ...others].find((name) => contained.includes(name)) ?? best] as const],
    );
  return corrected.length === 0 ? undefined : Object.fromEntries(corrected);
}

function scoreParts({ clauses, boosts }: QueryPlan, { parts }: ResultRow): ScorePart[] {
  const labelOf = (unit: number) => clauses[unit]?.labels.join(" OR ") ?? "";
  const scores = JSON.parse(parts ?? "[]") as { unit: number; score: number }[];
  return scores
    .map(({ unit, score }): ScorePart => {
      const boost = boosts[unit - clauses.length];
      if (boost === undefined)
        return { words: [labelOf(unit)], because: "found", facts: clauses[unit]?.facts ?? [], score };
      const { kind, label, facts = [] } = boost;
      const words = label === undefined ? boost.clauses.map(labelOf) : [label];
      return { words, because: kind === "literal" || kind === "ending" ? "found" : kind, facts, score };
    })
    .toSorted((one, other) => other.score - one.score);
}
