import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { conditionOf } from "./condition.ts";
import { correctionsFor } from "./correction-store.ts";
import { detailsOf, type Hit, isHit, snippetsOf, summaryOf } from "./hit-store.ts";
import { type Plan, planMatch } from "./match.ts";
import { needlesOf } from "./needles.ts";
import { notesOf } from "./notes.ts";
import { nameOf, parseQuery, type Query } from "./query.ts";
import { browseStatement, type Fragment, type RankedRow, rankStatement } from "./rank.ts";
import type { Interpretation, SearchAnswer, SearchQuery, SearchResult } from "./schema.ts";

const NOTHING: Fragment = { sql: "SELECT 0 AS total, NULL AS entry", params: [] };

/** Runs a search and, in the same call, checks that the given folder is the caller's. */
async function runSearch(
  ctx: Ctx,
  query: SearchQuery,
  { sql: text, params }: Fragment,
): Promise<RankedRow[]> {
  const folder = ctx.db.$client
    .prepare("SELECT ? IS NULL OR EXISTS (SELECT 1 FROM folders WHERE id = ? AND owner = ?) AS mine")
    .bind(query.folder_id ?? null, query.folder_id ?? null, ctx.owner);
  const [found, allowed] = await ctx.db.$client.batch<unknown>([
    ctx.db.$client.prepare(text).bind(...params),
    folder,
  ]);
  const [folderRow] = (allowed?.results ?? []) as { mine: number }[];
  if (!folderRow?.mine) throw notFound("folder_id");
  return (found?.results ?? []) as RankedRow[];
}

/** The units that were found in a result, if others are missing. */
function matchedOf(plan: Plan, hit: Hit): string[] | undefined {
  const used = JSON.parse(hit.used) as number[];
  const has = used.filter((unit) => hasUnit(hit, unit));
  return has.length === used.length ? undefined : has.map((unit) => plan.units[unit]?.text ?? "");
}

function interpretationOf(plan: Plan, query: Query): Interpretation {
  const alternatives = plan.units.map(({ names }) => names).filter((names) => names.length > 1);
  return {
    words: [...new Set(plan.units.flatMap(({ names }) => names))],
    ...(alternatives.length > 0 && { alternatives: alternatives.map((names) => [...names]) }),
    excluded: query.unwanted.map(nameOf),
    filters: query.filters.map(({ name, value }) => ({ name, value })),
  };
}

/** For each unit that is a correction and nothing else, by its number: the word as typed. */
type Corrected = ReadonlyMap<number, string>;

/** One run of a search: the plan, what it found, and the corrections made to the query. */
type Found = {
  plan: Plan;
  rows: RankedRow[];
  corrections: ReadonlyMap<string, string>;
  corrected: Corrected;
};

/** The units of a plan with corrections that are not also words of the plan without them. */
function correctedUnits(plan: Plan, typed: Plan, corrections: ReadonlyMap<string, string>): Corrected {
  const known = new Set(typed.units.map(({ text }) => text));
  const typedOf = new Map([...corrections].map(([word, meant]) => [meant, word]));
  return new Map(
    plan.units.flatMap(({ text }, unit): [number, string][] => {
      const word = known.has(text) ? undefined : typedOf.get(text);
      return word === undefined ? [] : [[unit, word]];
    }),
  );
}

/** The bits of the units that were typed; undefined when all were. */
const typedBits = (plan: Plan, corrected: Corrected): number | undefined =>
  corrected.size === 0
    ? undefined
    : plan.units.reduce((bits, _, unit) => (corrected.has(unit) ? bits : bits + 2 ** unit), 0);

const hasUnit = (hit: Hit, unit: number) => Math.floor((hit.units ?? 0) / 2 ** unit) % 2 === 1;

/** The corrections by which a result was found. */
function matchedAs(plan: Plan, corrected: Corrected, hit: Hit): Record<string, string> | undefined {
  const found = [...corrected].filter(([unit]) => hasUnit(hit, unit));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.map(([unit, word]) => [word, plan.units[unit]?.text ?? ""]));
}

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
    limit: query.limit,
    offset: query.offset,
  };
  const run = (plan: Plan, typed?: number) => {
    const asked = plan.units.length + parsed.filters.length + parsed.unwanted.length > 0;
    const statement =
      plan.units.length > 0 ? rankStatement(plan, { ...range, typed }) : browseStatement(plan, range);
    return runSearch(ctx, query, asked ? statement : NOTHING);
  };
  const typed = planMatch(ctx.owner, parsed);
  const rows = await run(typed);
  const asTyped = { plan: typed, rows, corrections: new Map(), corrected: new Map() };
  if (typed.units.length === 0) return asTyped;
  const corrections = await correctionsFor(ctx, typed, rows);
  if (corrections.size === 0) return asTyped;
  const plan = planMatch(ctx.owner, parsed, corrections);
  const corrected = correctedUnits(plan, typed, corrections);
  return { plan, corrections, corrected, rows: await run(plan, typedBits(plan, corrected)) };
}

/**
 * Finds the caller's documents, memory records, or both in one ranking. A word that occurs in none of the caller's texts
 * is replaced by a similar one that does; results that have only such words come last. Throws 404 for a folder that is not the caller's. Any text is a valid query.
 */
export async function search(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const found = await rank(ctx, query, parsed);
  const { plan, rows, corrections } = found;
  const hits = rows.filter(isHit);
  const snippets = await snippetsOf(ctx, hits, needlesOf(parsed, corrections), query.highlight);
  const omitted = snippets.filter((snippet) => snippet === undefined).length;
  const notes = notesOf(parsed.filters, query.type);
  return {
    results: hits.map((hit, place) => resultOf(found, hit, snippets[place])),
    total: rows[0]?.total ?? 0,
    query: query.q,
    interpreted: interpretationOf(plan, parsed),
    ...(corrections.size > 0 && { corrected: Object.fromEntries(corrections) }),
    ...(omitted > 0 && { snippets_omitted: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

function resultOf({ plan, corrected }: Found, hit: Hit, snippet = ""): SearchResult {
  const matched = plan.units.length > 0 ? matchedOf(plan, hit) : undefined;
  const matched_as = matchedAs(plan, corrected, hit);
  return {
    ...summaryOf(hit),
    score: hit.score ?? 0,
    snippet,
    ...(matched && { matched }),
    ...(matched_as && { matched_as }),
  };
}
