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
  const has = used.filter((unit) => Math.floor((hit.units ?? 0) / 2 ** unit) % 2 === 1);
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

/** One run of a search: the plan, what it found, and the corrections made to the query. */
type Found = { plan: Plan; rows: RankedRow[]; corrections: ReadonlyMap<string, string> };

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
  const run = async (corrections: ReadonlyMap<string, string>) => {
    const plan = planMatch(ctx.owner, parsed, corrections);
    const asked = plan.units.length + parsed.filters.length + parsed.unwanted.length > 0;
    const statement = plan.units.length > 0 ? rankStatement(plan, range) : browseStatement(plan, range);
    return { plan, corrections, rows: await runSearch(ctx, query, asked ? statement : NOTHING) };
  };
  const typed = await run(new Map());
  if (typed.plan.units.length === 0) return typed;
  const corrections = await correctionsFor(ctx, typed.plan, typed.rows);
  return corrections.size > 0 ? run(corrections) : typed;
}

/**
 * Finds the caller's documents, memory records, or both in one ranking. A word that occurs in none of the caller's texts
 * is replaced by a similar one that does. Throws 404 for a folder that is not the caller's. Any text is a valid query.
 */
export async function search(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const { plan, rows, corrections } = await rank(ctx, query, parsed);
  const hits = rows.filter(isHit);
  const snippets = await snippetsOf(ctx, hits, needlesOf(parsed, corrections), query.highlight);
  const omitted = snippets.filter((snippet) => snippet === undefined).length;
  const notes = notesOf(parsed.filters, query.type);
  return {
    results: hits.map((hit, place) => resultOf(plan, hit, snippets[place])),
    total: rows[0]?.total ?? 0,
    query: query.q,
    interpreted: interpretationOf(plan, parsed),
    ...(corrections.size > 0 && { corrected: Object.fromEntries(corrections) }),
    ...(omitted > 0 && { snippets_omitted: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

function resultOf(plan: Plan, hit: Hit, snippet = ""): SearchResult {
  const matched = plan.units.length > 0 ? matchedOf(plan, hit) : undefined;
  return { ...summaryOf(hit), score: hit.score ?? 0, snippet, ...(matched && { matched }) };
}
