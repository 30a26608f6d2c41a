import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { contentText } from "../documents/content-text.ts";
import { analyse, INDEX_VERSION } from "./analyse.ts";
import { conditionOf } from "./condition.ts";
import { type Plan, planMatch } from "./match.ts";
import { needlesOf } from "./needles.ts";
import { parseQuery, type Query } from "./query.ts";
import { browseStatement, type Fragment, type RankedRow, rankStatement } from "./rank.ts";
import type { Interpretation, SearchAnswer, SearchQuery, SearchResult } from "./schema.ts";
import { makeSnippet } from "./snippet.ts";

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

/**
 * Finds the caller's documents. Throws 404 for a folder that is not the caller's; any text of a query is
 * understood somehow.
 */
export async function searchDocuments(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const plan = planMatch(ctx.user.number, parsed);
  const interpreted = interpretationOf(plan, parsed);
  const condition = conditionOf(ctx.user.number, query, parsed.filters);
  const scope = {
    owner: ctx.user.number,
    kinds: ["document"] as const,
    condition,
    details: DETAILS,
    limit: query.limit,
    offset: query.offset,
  };
  const nothingAsked = plan.units.length + parsed.filters.length + parsed.unwanted.length === 0;
  const statement = plan.units.length > 0 ? rankStatement(plan, scope) : browseStatement(plan, scope);
  const rows = await runSearch(ctx, query, nothingAsked ? NOTHING : statement);
  const needles = needlesOf(parsed, new Map());
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
  return { results, total: rows[0]?.total ?? 0, query: query.q, interpreted };
}

const NOTHING: Fragment = { sql: "SELECT 0 AS total, NULL AS entry", params: [] };
