import { sql } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../platform/core/ctx.ts";
import { forbidden } from "../platform/core/errors.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { must, send, unless } from "../platform/db/call.ts";
import { contentText } from "../contract/markdown/content-text.ts";
import { entryOf } from "../memories/search-entry.ts";
import { OUTDATED } from "../engine/analyse.ts";
import { type Indexed, longIndexStatements } from "../engine/index-store.ts";
import type { ReindexAnswer } from "../contract/search.ts";

/** How many entries one reindexing step writes, and how many bytes of text, unless a single one has more. */
const REINDEXED_AT_ONCE = 50;
const REINDEXED_BYTES = 256 * 1024;
/** Remaining entries are counted up to this number, or each step would have to read all of them. */
const MAX_REMAINING = 10_000;

/** An entry to reindex, with the texts of its record; a deleted or trashed record has none. */
type Due = { entry: number; owner: number; kind: Indexed["kind"]; record: string; version: number | null } & {
  title: string;
  tags: string;
  content: string | null;
  memory: string | null;
  memory_type: string;
  project: string | null;
  due_date: string | null;
};

/** The tables with an entry's texts. */
const TEXTS = `
  LEFT JOIN documents d ON e.kind = 'document' AND d.id = e.record
  LEFT JOIN memories m ON e.kind = 'memory' AND m.owner = e.owner AND m.id = e.record`;

/** The next entries: at least one, if there are any. */
const DUE = `
  WITH some AS (SELECT * FROM search_entries WHERE ${OUTDATED} ORDER BY index_version, entry LIMIT ${REINDEXED_AT_ONCE}),
  sums AS (
    SELECT e.*, coalesce(octet_length(coalesce(d.content, m.content)), 0) bytes,
      total(octet_length(coalesce(d.content, m.content)))
        OVER (ORDER BY e.index_version, e.entry ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) before
    FROM some e ${TEXTS})
  SELECT e.entry, e.owner, e.kind, e.record, coalesce(d.version, m.version) version,
    coalesce(d.title, m.topic) title, coalesce(d.tags, m.tags) tags, d.content, m.content memory, m.memory_type,
    m.project, m.due_date
  FROM sums e ${TEXTS}
  WHERE e.before = 0 OR e.before + e.bytes <= ${REINDEXED_BYTES}`;

/** Reindexes a record, or refuses as stale when it has changed in the meantime. */
async function reindexStatements(ctx: BaseCtx, due: Due) {
  // Only an error can leave an entry without its record.
  if (due.version === null) return [ctx.db.run(sql`DELETE FROM search_entries WHERE entry = ${due.entry}`)];
  const table = sql.raw(due.kind === "document" ? "documents" : "memories");
  const unchanged = sql`EXISTS (SELECT 1 FROM ${table} WHERE owner = ${due.owner} AND id = ${due.record} AND version = ${due.version})`;
  const { kind, record } = due;
  const entry = { kind, record, ...textsOf(due) };
  return [
    must(ctx, unchanged, "stale"),
    ...(await longIndexStatements({ db: ctx.db, owner: due.owner }, entry)),
  ];
}

function textsOf({ title, content, memory, ...due }: Due) {
  const tags = JSON.parse(due.tags) as string[];
  if (memory !== null) return entryOf({ ...due, topic: title, content: memory, tags });
  return { title, tags, text: contentText(content === null ? null : JSON.parse(content)) };
}

/**
 * One bounded step of reindexing: rewrites entries from an older version of the analysis, oldest first. Search stays
 * available, and an interrupted step is repeated by the next. Returns how many entries were written and how many are
 * left.
 */
export const reindexStep = (ctx: BaseCtx): Promise<ReindexAnswer> =>
  untilWritten("index", () => reindexNext(ctx));

async function reindexNext(ctx: BaseCtx): Promise<ReindexAnswer | undefined> {
  const { results } = await ctx.db.$client.prepare(DUE).all<Due>();
  if (results.length > 0) {
    const statements = await Promise.all(results.map((due) => reindexStatements(ctx, due)));
    if ((await unless(send(ctx, statements.flat()), "stale")).refusal) return undefined;
  }
  const [due] = await ctx.db.all<{ remaining: number }>(sql`SELECT count(*) AS remaining
    FROM (SELECT 1 FROM search_entries WHERE ${sql.raw(OUTDATED)} LIMIT ${MAX_REMAINING})`);
  return { indexed: results.length, remaining: due?.remaining ?? 0 };
}

/**
 * One reindexing step on behalf of the admin. Throws 403 for anybody else.
 *
 * @param base the home that is reindexed
 */
export async function reindex(
  ctx: Ctx,
  { all, base }: { all: boolean; base: BaseCtx },
): Promise<ReindexAnswer> {
  await requireAdmin(ctx);
  if (all) await base.db.run(sql`UPDATE search_entries SET index_version = 0`);
  return reindexStep(base);
}

async function requireAdmin(ctx: Ctx): Promise<void> {
  if ((await ctx.user()).role !== "admin")
    throw forbidden("Only the deployment's admin may rebuild the search index");
}
