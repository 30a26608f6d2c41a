import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { contentText } from "../documents/content-text.ts";
import { analyse, INDEX_VERSION, ownerPrefix } from "./analyse.ts";
import { conditionOf } from "./condition.ts";
import { beginningOfTwoSlips, bestCorrection, isCorrectable, type Known, oneSlipAway } from "./correct.ts";
import { type Plan, planMatch } from "./match.ts";
import { needlesOf } from "./needles.ts";
import { parseQuery, type Query } from "./query.ts";
import { browseStatement, type Fragment, type RankedRow, rankStatement } from "./rank.ts";
import type {
  Interpretation,
  SearchAnswer,
  SearchQuery,
  SearchResult,
  SuggestAnswer,
  SuggestQuery,
} from "./schema.ts";
import { makeSnippet } from "./snippet.ts";
import { words } from "./words.ts";

/** A record as search knows it: `record` is its own key within its kind. */
export type Indexed = { kind: "document" | "memory"; record: string };

/** The statements that index a record's texts, or index them again, where `when` holds. */
export function indexStatements(
  ctx: Ctx,
  entry: Indexed & { title: string; tags: string[]; text: string },
  when: SQL,
) {
  const { kind, record } = entry;
  const owner = ctx.user.number;
  const { title, tags, body, extra, length } = analyse(owner, {
    title: entry.title,
    tags: entry.tags,
    body: entry.text,
  });
  return [
    ctx.db.run(sql`
      INSERT INTO search_entries (owner, kind, record, length, index_version)
      SELECT ${owner}, ${kind}, ${record}, ${length}, ${INDEX_VERSION} WHERE ${when}
      ON CONFLICT (kind, record) DO UPDATE SET length = excluded.length, index_version = excluded.index_version`),
    ctx.db.run(sql`
      INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, ${title}, ${tags}, ${body}, ${extra}
      FROM search_entries WHERE kind = ${kind} AND record = ${record} AND ${when}`),
  ] as const;
}

/** The statement that takes a record out of the index, where `when` holds. */
export const unindexStatement = (ctx: Ctx, { kind, record }: Indexed, when: SQL) =>
  ctx.db.run(sql`DELETE FROM search_entries
    WHERE owner = ${ctx.user.number} AND kind = ${kind} AND record = ${record} AND ${when}`);

/** The statement that counts the caller's records of a kind, at the cost of one row. */
export const countEntries = (ctx: Ctx, kind: Indexed["kind"]) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT entries AS total FROM search_totals WHERE owner = ${ctx.user.number} AND kind = ${kind}`,
  );

/** Contents up to this many characters of JSON come with the ranking; longer ones are fetched one by one. */
const MAX_INLINE = 64 * 1024;

const DETAILS = {
  columns: `d.title, d.tags, d.source_type, d.updated_at, d.folder_id,
    CASE WHEN length(d.content) <= ${MAX_INLINE} THEN d.content END content, length(d.content) > ${MAX_INLINE} long`,
  joins: "LEFT JOIN documents d ON p.kind = 'document' AND d.id = p.record",
};

type Hit = RankedRow & {
  entry: number;
  record: string;
  title: string;
  tags: string;
  source_type: SearchResult["document"]["source_type"];
  updated_at: string;
  folder_id: string | null;
  content: string | null;
  long: number | null;
};

const isHit = (row: RankedRow): row is Hit => row.entry !== null;

/** Words of a vocabulary that one look-up reads, at most. */
const MAX_SCANNED = 2000;
/** Unknown words of one query that are looked up, at most. */
const MAX_CORRECTED = 8;
/** Behind every character that a word may have. */
const LAST = "\u{10ffff}";

const client = (ctx: Ctx) => ctx.db.$client;

/** Runs a search, and in the same call asks whether the folder that it is restricted to is the caller's. */
async function runSearch(
  ctx: Ctx,
  query: SearchQuery,
  { sql: text, params }: Fragment,
): Promise<RankedRow[]> {
  const folder = client(ctx)
    .prepare("SELECT ? IS NULL OR EXISTS (SELECT 1 FROM folders WHERE id = ? AND owner = ?) AS mine")
    .bind(query.folder_id ?? null, query.folder_id ?? null, ctx.user.number);
  const [found, allowed] = await client(ctx).batch<unknown>([
    client(ctx)
      .prepare(text)
      .bind(...params),
    folder,
  ]);
  const [folderRow] = (allowed?.results ?? []) as { mine: number }[];
  if (!folderRow?.mine) throw notFound();
  return (found?.results ?? []) as RankedRow[];
}

async function textOf(ctx: Ctx, hit: Hit): Promise<string> {
  if (!hit.long) return contentText(hit.content === null ? null : JSON.parse(hit.content));
  const row = await client(ctx)
    .prepare("SELECT content FROM documents WHERE id = ? AND owner = ?")
    .bind(hit.record, ctx.user.number)
    .first<{ content: string }>();
  return contentText(row ? JSON.parse(row.content) : null);
}

/** The units of the plan that a hit has, when others were looked for and are missing. */
function matchedOf(plan: Plan, hit: Hit): string[] | undefined {
  const used = JSON.parse(hit.used) as number[];
  const has = used.filter((unit) => Math.floor((hit.units ?? 0) / 2 ** unit) % 2 === 1);
  return has.length === used.length ? undefined : has.map((unit) => plan.units[unit]?.text ?? "");
}

function interpretationOf(plan: Plan, query: Query): Interpretation {
  return {
    words: plan.units.map(({ text }) => text),
    excluded: query.unwanted.map(({ text }) => text),
    filters: query.filters.map(({ name, value }) => ({ name, value })),
  };
}

/** Words of the caller's vocabulary near a word that occurs nowhere; never anybody else's. */
async function vocabularyNear(ctx: Ctx, word: string): Promise<Known[]> {
  const prefix = ownerPrefix(ctx.user.number);
  const beginning = beginningOfTwoSlips(word);
  const [exact, scanned] = await client(ctx).batch<{ term: string; doc: number }>([
    client(ctx)
      .prepare("SELECT w.term, w.doc FROM json_each(?) j CROSS JOIN search_words w ON w.term = j.value")
      .bind(JSON.stringify(oneSlipAway(word).map((near) => prefix + near))),
    client(ctx)
      .prepare("SELECT term, doc FROM search_words WHERE term >= ? AND term < ? LIMIT ?")
      .bind(prefix + beginning, `${prefix}${beginning}${LAST}`, beginning === undefined ? 0 : MAX_SCANNED),
  ]);
  return [...(exact?.results ?? []), ...(scanned?.results ?? [])].map(({ term, doc }) => ({
    text: term.slice(prefix.length),
    records: doc,
  }));
}

/** What was probably meant by the words of a plan that occur in none of the caller's records. */
async function correctionsFor(ctx: Ctx, plan: Plan, rows: RankedRow[]): Promise<Map<string, string>> {
  const known = JSON.parse(rows[0]?.known ?? "[]") as (number | null)[];
  const unknown = plan.units.filter(
    ({ text, correctable }, unit) => correctable && !known[unit] && isCorrectable(text),
  );
  const corrections = new Map<string, string>();
  for (const { text } of unknown.slice(0, MAX_CORRECTED)) {
    const meant = bestCorrection(text, await vocabularyNear(ctx, text));
    if (meant !== undefined) corrections.set(text, meant);
  }
  return corrections;
}

/** One run of a search: the plan that was made, what it found, and how the query was corrected before. */
type Found = { plan: Plan; rows: RankedRow[]; corrections: ReadonlyMap<string, string> };

async function rank(ctx: Ctx, query: SearchQuery, parsed: Query): Promise<Found> {
  const scope = {
    owner: ctx.user.number,
    kinds: ["document"] as const,
    condition: conditionOf(ctx.user.number, query, parsed.filters),
    details: DETAILS,
    limit: query.limit,
    offset: query.offset,
  };
  const run = async (corrections: ReadonlyMap<string, string>) => {
    const plan = planMatch(ctx.user.number, parsed, corrections);
    const asked = plan.units.length + parsed.filters.length + parsed.unwanted.length > 0;
    const statement = plan.units.length > 0 ? rankStatement(plan, scope) : browseStatement(plan, scope);
    return { plan, corrections, rows: await runSearch(ctx, query, asked ? statement : NOTHING) };
  };
  const typed = await run(new Map());
  if (typed.plan.units.length === 0) return typed;
  const corrections = await correctionsFor(ctx, typed.plan, typed.rows);
  return corrections.size > 0 ? run(corrections) : typed;
}

/**
 * Finds the caller's documents. Words that occur in none of the caller's texts are corrected where a near one
 * does. Throws 404 for a folder that is not the caller's; any text of a query is understood somehow.
 */
export async function searchDocuments(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const { plan, rows, corrections } = await rank(ctx, query, parsed);
  const needles = needlesOf(parsed, corrections);
  const results: SearchResult[] = [];
  // One after another: of many long texts only one is in memory at a time.
  for (const hit of rows.filter(isHit)) {
    const { record: id, title, source_type, updated_at, folder_id, score } = hit;
    const matched = plan.units.length > 0 ? matchedOf(plan, hit) : undefined;
    results.push({
      document: { id, title, tags: JSON.parse(hit.tags), source_type, updated_at, folder_id },
      score: score ?? 0,
      snippet: makeSnippet(await textOf(ctx, hit), needles, query.highlight),
      ...(matched && { matched }),
    });
  }
  return {
    results,
    total: rows[0]?.total ?? 0,
    query: query.q,
    interpreted: interpretationOf(plan, parsed),
    ...(corrections.size > 0 && { corrected: Object.fromEntries(corrections) }),
  };
}

/**
 * Completes what is being typed from the caller's titles, tags and words: titles and tags that begin with the whole
 * text, and words that begin with its last word.
 */
export async function suggest(ctx: Ctx, { q, limit }: SuggestQuery): Promise<SuggestAnswer> {
  const typed = q.trim();
  const last = words(typed).at(-1);
  if (!last) return { suggestions: [] };
  const prefix = ownerPrefix(ctx.user.number);
  const owner = ctx.user.number;
  const range = (table: string, column: string, collate = "") =>
    client(ctx)
      .prepare(
        `SELECT DISTINCT ${column} AS text FROM ${table}
         WHERE owner = ? AND ${column} >= ? ${collate} AND ${column} < ? ${collate} ORDER BY ${column} ${collate} LIMIT ?`,
      )
      .bind(owner, typed, typed + LAST, limit);
  const [titles, tags, known] = await client(ctx).batch<{ text: string }>([
    range("documents", "title", "COLLATE NOCASE"),
    range("document_tags", "tag"),
    client(ctx)
      .prepare(
        `SELECT term AS text FROM (SELECT term, doc FROM search_words WHERE term >= ? AND term < ? LIMIT ?)
         ORDER BY doc DESC, term LIMIT ?`,
      )
      .bind(prefix + last.text, prefix + last.text + LAST, MAX_SCANNED, limit),
  ]);
  const before = typed.slice(0, last.start);
  const suggestions = [
    ...(titles?.results ?? []).map(({ text }) => ({ kind: "title" as const, text })),
    ...(tags?.results ?? []).map(({ text }) => ({ kind: "tag" as const, text })),
    ...(known?.results ?? []).map(({ text }) => ({
      kind: "word" as const,
      text: before + text.slice(prefix.length),
    })),
  ];
  return { suggestions: suggestions.slice(0, limit) };
}

const NOTHING: Fragment = { sql: "SELECT 0 AS total, NULL AS entry", params: [] };
