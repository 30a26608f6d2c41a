import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../platform/core/ctx.ts";
import { retryUntilWritten } from "../platform/core/retry.ts";
import { assertInBatch, catchRefusal, sendBatch } from "../platform/db/call.ts";
import { OUTDATED } from "./analyse.ts";
import { type EntryKey, type IndexedTexts, indexStatementsInSteps } from "./index-store.ts";

/** Entries, and bytes of text, that one reindexing step writes. A single entry may have more. */
const ENTRIES_PER_STEP = 50;
const BYTES_PER_STEP = 256 * 1024;
/** Remaining entries are counted up to this number; otherwise each step would read all of them. */
const MAX_REMAINING = 10_000;

export type OutdatedEntry = EntryKey & { entry: number; owner: number } & Record<string, unknown>;

/** SQL that reads the texts of an entry `e`. */
export type TextSource = {
  readonly joins: string;
  /** size of the text in bytes */
  readonly bytes: string;
  readonly columns: string;
  /** undefined if the entry's record is missing; `unchanged` is false once its texts or facts have changed */
  readonly read: (due: OutdatedEntry) => (IndexedTexts & { unchanged: SQL }) | undefined;
};

/** SQL: the next entries; at least one if there are any. */
const outdatedEntriesSql = ({ joins, bytes, columns }: TextSource) => `
  WITH some AS (SELECT * FROM search_entries WHERE ${OUTDATED} ORDER BY index_version, entry LIMIT ${ENTRIES_PER_STEP}),
  sums AS (
    SELECT e.*, coalesce(${bytes}, 0) bytes,
      total(${bytes}) OVER (ORDER BY e.index_version, e.entry ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) before
    FROM some e ${joins})
  SELECT e.entry, e.owner, e.kind, e.record, ${columns}
  FROM sums e ${joins}
  WHERE e.before = 0 OR e.before + e.bytes <= ${BYTES_PER_STEP}`;

/** The statements that reindex an entry. They fail as stale if its texts have changed in the meantime. */
async function reindexStatements(ctx: BaseCtx, source: TextSource, due: OutdatedEntry) {
  const texts = source.read(due);
  // Only a bug can leave an entry without its record.
  if (texts === undefined) return [ctx.db.run(sql`DELETE FROM search_entries WHERE entry = ${due.entry}`)];
  const { unchanged, ...entry } = texts;
  const { kind, record, owner } = due;
  return [
    assertInBatch(ctx, unchanged, "stale"),
    ...(await indexStatementsInSteps({ db: ctx.db, owner }, { kind, record, ...entry })),
  ];
}

export const hasOutdated = (): SQL => sql`EXISTS (SELECT 1 FROM search_entries WHERE ${sql.raw(OUTDATED)})`;

/** One bounded reindexing step, oldest entries first. Returns how many entries were written and how many are left. */
export const reindexStep = (ctx: BaseCtx, source: TextSource) =>
  retryUntilWritten("index", () => reindexOnce(ctx, source));

async function reindexOnce(ctx: BaseCtx, source: TextSource) {
  const entries = await ctx.db.all<OutdatedEntry>(sql.raw(outdatedEntriesSql(source)));
  if (entries.length > 0) {
    const statements = await Promise.all(entries.map((due) => reindexStatements(ctx, source, due)));
    if ((await catchRefusal(sendBatch(ctx, statements.flat()), "stale")).refusal) return undefined;
  }
  const [due] = await ctx.db.all<{ remaining: number }>(sql`SELECT count(*) AS remaining
    FROM (SELECT 1 FROM search_entries WHERE ${sql.raw(OUTDATED)} LIMIT ${MAX_REMAINING})`);
  return { indexed: entries.length, remaining: due?.remaining ?? 0 };
}
