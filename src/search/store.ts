import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx, Database } from "../core/ctx.ts";
import { dayOf } from "../core/days.ts";
import { forbidden, notFound } from "../core/errors.ts";
import { contentText } from "../documents/content-text.ts";
import { analyse, INDEX_VERSION, ownerPrefix } from "./analyse.ts";
import { conditionOf } from "./condition.ts";
import { beginningOfTwoSlips, bestCorrection, isCorrectable, type Known, oneSlipAway } from "./correct.ts";
import { BEGINNING, beginning } from "./forms.ts";
import { type Plan, planMatch, SURE_WORDS } from "./match.ts";
import { needlesOf } from "./needles.ts";
import { parseQuery, type Query } from "./query.ts";
import { browseStatement, type Fragment, type RankedRow, rankStatement } from "./rank.ts";
import type {
  DocumentResult,
  Interpretation,
  MemoryResult,
  ReindexAnswer,
  SearchAnswer,
  SearchQuery,
  SearchResult,
  SuggestAnswer,
  SuggestQuery,
} from "./schema.ts";
import { makeSnippet } from "./snippet.ts";
import { words } from "./words.ts";

/** A record as search knows it: `record` is its own key among its owner's of that kind. */
export type Indexed = { kind: "document" | "memory"; record: string };

/** What writing to the index needs: whose words they are. */
type Writer = { db: Database; owner: number };

/** The texts of a record. Its key may be SQL: a memory record's number is drawn in the transaction that makes it. */
type Entry = { kind: Indexed["kind"]; record: string | SQL; title: string; tags: string[]; text: string };

/** The statements that index a record's texts, or index them again, where `when` holds. */
export function indexStatements(ctx: Writer, entry: Entry, when: SQL = sql`true`) {
  const { kind, record } = entry;
  const owner = ctx.owner;
  const { title, tags, body, extra, length } = analyse(owner, {
    title: entry.title,
    tags: entry.tags,
    body: entry.text,
  });
  return [
    ctx.db.run(sql`
      INSERT INTO search_entries (owner, kind, record, length, index_version)
      SELECT ${owner}, ${kind}, ${record}, ${length}, ${INDEX_VERSION} WHERE ${when}
      ON CONFLICT (owner, kind, record) DO UPDATE SET length = excluded.length, index_version = excluded.index_version`),
    ctx.db.run(sql`
      INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, ${title}, ${tags}, ${body}, ${extra}
      FROM search_entries WHERE owner = ${owner} AND kind = ${kind} AND record = ${record} AND ${when}`),
  ] as const;
}

/** The statement that takes a record out of the index, where `when` holds. */
export const unindexStatement = (ctx: Ctx, { kind, record }: Indexed, when: SQL = sql`true`) =>
  ctx.db.run(sql`DELETE FROM search_entries
    WHERE owner = ${ctx.owner} AND kind = ${kind} AND record = ${record} AND ${when}`);

/** The statement that counts the caller's records of a kind, at the cost of one row. */
export const countEntries = (ctx: Ctx, kind: Indexed["kind"]) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT entries AS total FROM search_totals WHERE owner = ${ctx.owner} AND kind = ${kind}`,
  );

/** Contents up to this many characters of JSON come with the ranking; longer ones are fetched one by one. */
const MAX_INLINE = 64 * 1024;

const DETAILS = {
  columns: `
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, coalesce(d.updated_at, m.updated_at) updated_at,
    d.source_type, d.folder_id, m.memory_type, m.status, m.deferred_until, m.project, m.scope, m.due_date,
    CASE WHEN length(d.content) <= ${MAX_INLINE} THEN d.content END content, length(d.content) > ${MAX_INLINE} long,
    m.content memory`,
  joins: `
    LEFT JOIN documents d ON p.kind = 'document' AND d.id = p.record
    LEFT JOIN memories m ON p.kind = 'memory' AND m.owner = ? AND m.id = p.record`,
};

type DocumentSummary = DocumentResult["document"];
type MemorySummary = MemoryResult["memory"];

/** A result with the details of whichever kind it is. */
type Hit = RankedRow &
  Omit<DocumentSummary, "id" | "tags"> &
  Omit<MemorySummary, "id" | "tags" | "topic"> & {
    record: string;
    tags: string;
    deferred_until: string | null;
    content: string | null;
    long: number | null;
    memory: string | null;
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
    .bind(query.folder_id ?? null, query.folder_id ?? null, ctx.owner);
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
  if (hit.kind === "memory") return hit.memory ?? "";
  if (!hit.long) return contentText(hit.content === null ? null : JSON.parse(hit.content));
  const row = await client(ctx)
    .prepare("SELECT content FROM documents WHERE id = ? AND owner = ?")
    .bind(hit.record, ctx.owner)
    .first<{ content: string }>();
  return contentText(row ? JSON.parse(row.content) : null);
}

const todayOf = (ctx: Ctx) => dayOf(ctx.now, ctx.account.timezone);

/** What the answer says of a document or record. A deferred record is active from its day on. */
function summaryOf(ctx: Ctx, hit: Hit): Pick<DocumentResult, "document"> | Pick<MemoryResult, "memory"> {
  const tags = JSON.parse(hit.tags) as string[];
  if (hit.kind === "memory") {
    const { memory_type, title: topic, project, scope, due_date, updated_at, deferred_until } = hit;
    const woken = hit.status === "deferred" && deferred_until !== null && deferred_until <= todayOf(ctx);
    const status = woken ? ("active" as const) : hit.status;
    return {
      memory: {
        id: Number(hit.record),
        memory_type,
        topic,
        tags,
        status,
        project,
        scope,
        due_date,
        updated_at,
      },
    };
  }
  const { record: id, title, source_type, updated_at, folder_id } = hit;
  return { document: { id, title, tags, source_type, updated_at, folder_id } };
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

/** The statements that read words of the caller's vocabulary near a word that occurs nowhere; never anybody else's. */
function nearStatements(ctx: Ctx, word: string): [D1PreparedStatement, D1PreparedStatement] {
  const prefix = ownerPrefix(ctx.owner);
  const start = beginningOfTwoSlips(word);
  return [
    client(ctx)
      .prepare("SELECT w.term, w.doc FROM json_each(?) j CROSS JOIN search_words w ON w.term = j.value")
      .bind(JSON.stringify(oneSlipAway(word).map((near) => prefix + near))),
    client(ctx)
      .prepare("SELECT term, doc FROM search_words WHERE term >= ? AND term < ? LIMIT ?")
      .bind(prefix + start, `${prefix}${start}${LAST}`, start === undefined ? 0 : MAX_SCANNED),
  ];
}

/** For each word what the caller's vocabulary has near it, all in one call. */
async function vocabulariesNear(ctx: Ctx, wanted: readonly string[]): Promise<Known[][]> {
  const statements = wanted.flatMap((word) => nearStatements(ctx, word));
  if (statements.length === 0) return [];
  const found = await client(ctx).batch<{ term: string; doc: number }>(statements);
  const { length } = ownerPrefix(ctx.owner);
  return wanted.map((_, place) =>
    found
      .slice(2 * place, 2 * place + 2)
      .flatMap(({ results }) => results.map(({ term, doc }) => ({ text: term.slice(length), records: doc }))),
  );
}

/** Those of the words that are, by their beginning, rather other forms of words that the caller's texts have. */
async function inflectedAmong(ctx: Ctx, unknown: string[]): Promise<Set<string>> {
  const prefix = ownerPrefix(ctx.owner);
  const beginnings = unknown.map((word) => [word, prefix + BEGINNING + (beginning(word) ?? word)]);
  const { results } = await client(ctx)
    .prepare("SELECT j.value->>0 word FROM json_each(?) j CROSS JOIN search_words w ON w.term = j.value->>1")
    .bind(JSON.stringify(beginnings))
    .all<{ word: string }>();
  return new Set(results.map(({ word }) => word));
}

/** What was probably meant by the words of a plan that occur in none of the caller's records. */
async function correctionsFor(ctx: Ctx, plan: Plan, rows: RankedRow[]): Promise<Map<string, string>> {
  const known = JSON.parse(rows[0]?.known ?? "[]") as (number | null)[];
  // Words that were left out because most records have them were not counted.
  const used = new Set(JSON.parse(rows[0]?.used ?? "[]") as number[]);
  const unknown = plan.units
    .filter(
      ({ text, correctable }, unit) => correctable && used.has(unit) && !known[unit] && isCorrectable(text),
    )
    .map(({ text }) => text);
  const corrections = new Map<string, string>();
  if (unknown.length === 0) return corrections;
  const inflected = plan.units.length > SURE_WORDS ? await inflectedAmong(ctx, unknown) : new Set<string>();
  const slips = unknown.filter((word) => !inflected.has(word)).slice(0, MAX_CORRECTED);
  const vocabularies = await vocabulariesNear(ctx, slips);
  for (const [place, text] of slips.entries()) {
    const meant = bestCorrection(text, vocabularies[place] ?? []);
    if (meant !== undefined) corrections.set(text, meant);
  }
  return corrections;
}

/** One run of a search: the plan that was made, what it found, and how the query was corrected before. */
type Found = { plan: Plan; rows: RankedRow[]; corrections: ReadonlyMap<string, string> };

const KINDS = {
  documents: ["document"],
  memories: ["memory"],
  all: ["document", "memory"],
} as const;

async function rank(ctx: Ctx, query: SearchQuery, parsed: Query): Promise<Found> {
  await ctx.user();
  const scope = {
    owner: ctx.owner,
    kinds: KINDS[query.type],
    condition: conditionOf({ owner: ctx.owner, today: todayOf(ctx) }, query, parsed.filters),
    details: { ...DETAILS, params: [ctx.owner] },
    limit: query.limit,
    offset: query.offset,
  };
  const run = async (corrections: ReadonlyMap<string, string>) => {
    const plan = planMatch(ctx.owner, parsed, corrections);
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
 * Finds the caller's documents, memory records, or both in one ranking. Words that occur in none of the caller's texts are corrected where a near one
 * does. Throws 404 for a folder that is not the caller's; any text of a query is understood somehow.
 */
export async function search(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const parsed = parseQuery(query.q);
  const { plan, rows, corrections } = await rank(ctx, query, parsed);
  const needles = needlesOf(parsed, corrections);
  const results: SearchResult[] = [];
  // One after another: of many long texts only one is in memory at a time.
  for (const hit of rows.filter(isHit)) {
    const matched = plan.units.length > 0 ? matchedOf(plan, hit) : undefined;
    results.push({
      ...summaryOf(ctx, hit),
      score: hit.score ?? 0,
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
  const prefix = ownerPrefix(ctx.owner);
  const owner = ctx.owner;
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

/** Entries that one step of a re-index writes, and the characters of text after which it ends early. */
const REINDEXED_AT_ONCE = 50;
const MAX_REINDEXED_TEXT = 2_000_000;
/** What is still due is counted so far, or each step would read all that is left. */
const MAX_REMAINING = 10_000;

/** An entry that is due, with the texts of its record; a record that is gone or in the trash has none. */
type Due = { entry: number; owner: number; kind: Indexed["kind"]; record: string; version: number | null } & {
  title: string;
  tags: string;
  content: string | null;
  memory: string | null;
};

const DUE = `
  SELECT e.entry, e.owner, e.kind, e.record, coalesce(d.version, m.version) version,
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, d.content, m.content memory
  FROM (SELECT * FROM search_entries WHERE index_version < ? ORDER BY index_version, entry LIMIT ?) e
  LEFT JOIN documents d ON e.kind = 'document' AND d.id = e.record
  LEFT JOIN memories m ON e.kind = 'memory' AND m.owner = e.owner AND m.id = e.record`;

function reindexStatements(ctx: BaseCtx, due: Due) {
  // Nothing but a fault leaves an entry without its record.
  if (due.version === null) return [ctx.db.run(sql`DELETE FROM search_entries WHERE entry = ${due.entry}`)];
  const table = sql.raw(due.kind === "document" ? "documents" : "memories");
  // Whoever changes the record meanwhile has indexed it anew by that.
  const unchanged = sql`EXISTS (SELECT 1 FROM ${table}
    WHERE owner = ${due.owner} AND id = ${due.record} AND version = ${due.version})`;
  const text = due.memory ?? contentText(due.content === null ? null : JSON.parse(due.content));
  const entry = { kind: due.kind, record: due.record, title: due.title, tags: JSON.parse(due.tags), text };
  return indexStatements({ db: ctx.db, owner: due.owner }, entry, unchanged);
}

/**
 * One bounded step of a re-index: writes anew what an older analysis wrote, oldest first. Search answers all the
 * while, and a step that is cut off is done again by the next. Answers how many
 * entries were written and are still due.
 */
export async function reindexStep(ctx: BaseCtx): Promise<ReindexAnswer> {
  const { results } = await ctx.db.$client.prepare(DUE).bind(INDEX_VERSION, REINDEXED_AT_ONCE).all<Due>();
  let size = 0;
  const step = results.filter((due, place) => {
    size += (due.content ?? due.memory ?? "").length;
    return place === 0 || size <= MAX_REINDEXED_TEXT;
  });
  const [first, ...others] = step.flatMap((due) => [...reindexStatements(ctx, due)]);
  if (first) await ctx.db.batch([first, ...others]);
  const [due] = await ctx.db.all<{ remaining: number }>(sql`SELECT count(*) AS remaining
    FROM (SELECT 1 FROM search_entries WHERE index_version < ${INDEX_VERSION} LIMIT ${MAX_REMAINING})`);
  return { indexed: step.length, remaining: due?.remaining ?? 0 };
}

/** Pages of the index (of 4 KB) that one step of a merge writes, about. */
const MERGED_PAGES = 500;

/**
 * One bounded step towards an index without what was deleted. A deleted entry is only marked, and its words stay in
 * their segment until that is merged; a merge takes on segments of which a tenth is deleted
 * (https://sqlite.org/fts5.html, 'merge' and 'deletemerge').
 */
export async function mergeStep(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(
    sql`INSERT INTO search_index (search_index, rank) VALUES ('merge', ${sql.raw(String(MERGED_PAGES))})`,
  );
}

/** One step of a re-index on behalf of the admin. Throws 403 for everybody else. */
export async function reindex(ctx: Ctx, { all }: { all: boolean }): Promise<ReindexAnswer> {
  await requireAdmin(ctx);
  if (all) await ctx.db.run(sql`UPDATE search_entries SET index_version = 0`);
  return reindexStep(ctx);
}

async function requireAdmin(ctx: Ctx): Promise<void> {
  if ((await ctx.user()).role !== "admin")
    throw forbidden("Only the deployment's admin may index everything again");
}
