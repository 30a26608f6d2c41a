import type { Ctx } from "../platform/core/ctx.ts";
import { dayOf } from "../contract/days.ts";
import { notFound } from "../platform/core/errors.ts";
import { IS_WAITING } from "../engine/analyse.ts";
import { DUE, factsOf } from "../text-index/facts.ts";
import { conditionOf } from "./condition.ts";
import { correctionsFor } from "./correction-store.ts";
import { detailsOf, type Hit, isHit, snippetsOf, summaryOf } from "../features/search/hit.ts";
import { planMatch } from "./match.ts";
import { needlesOf } from "./needles.ts";
import { noteOnSimplified, noteOnWaiting, notesOf } from "../features/search/notes.ts";
import type { Corrections, Plan, Reading } from "../engine/plan.ts";
import { nameOf, parseQuery, type Query } from "../contract/query/query.ts";
import { browseStatement, type Fragment, type RankedRow, rankStatement } from "../engine/score.ts";
import { mayBeRelative } from "../contract/query/relative-days.ts";
import type { Explanation, Interpretation, SearchAnswer, SearchQuery, SearchResult } from "../contract/search.ts";

const NOTHING: Fragment = { sql: "SELECT 0 AS total, NULL AS entry", params: [] };

/**
 * Runs a search and, in the same call, checks that the given folder is the caller's, and counts their texts that are not in
 * the index yet.
 */
async function runSearch(
  ctx: Ctx,
  query: SearchQuery,
  { sql: text, params }: Fragment,
): Promise<Pick<Found, "rows" | "waiting">> {
  const folder = ctx.db.$client
    .prepare(`SELECT ? IS NULL OR EXISTS (SELECT 1 FROM folders WHERE id = ? AND owner = ?) AS mine,
      (SELECT count(*) FROM search_entries WHERE owner = ? AND ${IS_WAITING}) AS waiting`)
    .bind(query.folder_id ?? null, query.folder_id ?? null, ctx.owner, ctx.owner);
  const [found, allowed] = await ctx.db.$client.batch<unknown>([
    ctx.db.$client.prepare(text).bind(...params),
    folder,
  ]);
  const [row] = (allowed?.results ?? []) as { mine: number; waiting: number }[];
  if (!row?.mine) throw notFound("folder_id");
  return { rows: (found?.results ?? []) as RankedRow[], waiting: row.waiting };
}

/** The numbers of the units and bonuses that a result has. */
const foundIn = (hit: Hit) => JSON.parse(hit.found ?? "[]") as number[];

/** The units that were found in a result, if others are missing. */
function matchedOf({ units, bonuses }: Plan, hit: Hit): string[] | undefined {
  const found = new Set(foundIn(hit));
  const has = units.filter((_, unit) => found.has(unit));
  if (has.length === units.length) return undefined;
  const dates = bonuses.flatMap(({ name }, place) => (name && found.has(units.length + place) ? [name] : []));
  return [...has.map(({ names }) => names.join(" OR ")), ...dates];
}

/** The corrections by which a result was found: the words as typed, each with the likeliest correction that it has. */
function matchedAs({ units }: Plan, hit: Hit): Record<string, string> | undefined {
  const found = foundIn(hit).flatMap((number) => units[number] ?? []);
  const meant = JSON.parse(hit.meant ?? "[]") as string[];
  const corrected = found.flatMap(({ typed, names: [best = "", ...others] }) =>
    typed === undefined
      ? []
      : [[typed, [best, ...others].find((name) => meant.includes(name)) ?? best] as const],
  );
  return corrected.length === 0 ? undefined : Object.fromEntries(corrected);
}

/** The corrections as in a query, `from OR form`, so that either can be written in place of the word. */
const correctedOf = (corrections: Corrections): Record<string, string> =>
  Object.fromEntries([...corrections].map(([typed, meant]) => [typed, meant.join(" OR ")]));

/** Which of a record's facts some of these are, if any. */
function factFound(hit: Hit, facts: readonly string[] = []): "type" | "due" | undefined {
  if (hit.kind !== "memory") return undefined;
  const found = factsOf(hit).filter((fact) => facts.includes(fact));
  return found.length === 0 ? undefined : found.some((fact) => fact.startsWith(DUE)) ? "due" : "type";
}

/** What each word adds to a result's score, and what it adds by being close to another or exactly as typed. */
function explanationOf({ units, bonuses }: Plan, hit: Hit): Explanation[] {
  const nameOfUnit = (unit: number) => units[unit]?.names.join(" OR ") ?? "";
  const asked: Omit<Explanation, "score">[] = [
    ...units.map(({ facts }, unit) => ({
      words: [nameOfUnit(unit)],
      because: factFound(hit, facts) ?? ("found" as const),
    })),
    ...bonuses.map(({ kind, units: of, name, facts }) => ({
      words: name === undefined ? of.map(nameOfUnit) : [name],
      because: factFound(hit, facts) ?? (kind === "said" ? ("found" as const) : kind),
    })),
  ];
  const parts = JSON.parse(hit.parts ?? "[]") as number[];
  return foundIn(hit)
    .flatMap((number, place) => {
      const explained = asked[number];
      return explained ? [{ ...explained, score: parts[place] ?? 0 }] : [];
    })
    .toSorted((one, other) => other.score - one.score);
}

function interpretationOf(plan: Plan, query: Query): Interpretation {
  const alternatives = plan.units.filter(({ either }) => either);
  return {
    words: [...new Set(plan.units.flatMap(({ names }) => names))],
    ...(alternatives.length > 0 && { alternatives: alternatives.map(({ names }) => [...names]) }),
    excluded: query.unwanted.map(nameOf),
    filters: query.filters.map(({ name, value }) => ({ name, value })),
  };
}

/** One run of a search: the plan, what it found, and how the query was read. */
type Found = {
  plan: Plan;
  rows: RankedRow[];
  waiting: number;
  corrections: Corrections;
  relaxed?: string[];
};

const totalOf = ({ rows }: Found) => rows[0]?.total ?? 0;

const KINDS = {
  documents: ["document"],
  memories: ["memory"],
  all: ["document", "memory"],
} as const;

async function rank(ctx: Ctx, query: SearchQuery, parsed: Query): Promise<Found> {
  const range = {
    owner: ctx.owner,
    kinds: KINDS[query.type],
    condition: conditionOf(ctx, query, parsed.filters),
    details: detailsOf(ctx),
    explain: query.explain,
    limit: query.limit,
    offset: query.offset,
  };
  const today = mayBeRelative(query.q) ? dayOf(ctx.now, (await ctx.user()).timezone) : undefined;
  const records = query.type !== "documents";
  const run = async (reading: Omit<Reading, "today" | "records">): Promise<Found> => {
    const plan = planMatch(ctx.owner, parsed, { ...reading, today, records });
    const asked = plan.units.length + parsed.filters.length + parsed.unwanted.length > 0;
    const statement = plan.units.length > 0 ? rankStatement(plan, range) : browseStatement(plan, range);
    const found = await runSearch(ctx, query, asked ? statement : NOTHING);
    return { plan, ...found, corrections: reading.corrections ?? new Map() };
  };
  const typed = await run({});
  if (typed.plan.units.length === 0) return typed;
  const corrections = await correctionsFor(ctx, { plan: typed.plan, records }, typed.rows);
  const found = corrections.size > 0 ? await run({ corrections }) : typed;
  const phrases = found.plan.units.filter(({ required, phrase }) => required && phrase);
  if (totalOf(found) > 0 || phrases.length === 0) return found;
  const others = await run({ corrections, relaxed: true });
  return totalOf(others) > 0 ? { ...others, relaxed: phrases.map(({ text }) => text) } : found;
}

/**
 * Finds the caller's documents, memory records, or both in one ranking. A word that occurs in none of the caller's texts
 * is replaced by a similar one that does, or by two of which either may be meant; results that have only a short such word come last. Phrases are not required if
 * nothing has them. Throws 404 for a folder that is not the caller's. Any text is a valid query.
 */
export async function search(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const found = await rank(ctx, query, parsed);
  const { plan, corrections, relaxed } = found;
  const hits = found.rows.filter(isHit);
  const snippets = await snippetsOf(ctx, hits, needlesOf(parsed, corrections, plan.dropped), query.highlight);
  const omitted = snippets.filter((snippet) => snippet === undefined).length;
  const notes = [
    ...notesOf(parsed.filters, query.type),
    ...noteOnSimplified(plan.simplified),
    ...noteOnWaiting(found.waiting),
  ];
  return {
    results: hits.map((hit, place) => ({
      ...resultOf(plan, hit, snippets[place]),
      ...(query.explain && { explanation: explanationOf(plan, hit) }),
    })),
    total: totalOf(found),
    query: query.q,
    interpreted: interpretationOf(plan, parsed),
    ...(corrections.size > 0 && { corrected: correctedOf(corrections) }),
    ...(relaxed && { relaxed }),
    ...(omitted > 0 && { snippets_omitted: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

function resultOf(plan: Plan, hit: Hit, snippet = ""): SearchResult {
  const matched = plan.units.length > 0 ? matchedOf(plan, hit) : undefined;
  const matched_as = matchedAs(plan, hit);
  return {
    ...summaryOf(hit),
    score: hit.score ?? 0,
    snippet,
    ...(matched && { matched }),
    ...(matched_as && { matched_as }),
  };
}
