import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../platform/core/ctx.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { assertInBatch, send, unless } from "../platform/db/call.ts";
import { OUTDATED } from "./analyse.ts";
import { type Indexed, longIndexStatements, type Texts } from "./index-store.ts";

/** How many entries one reindexing step writes, and how many bytes of text, unless a single one has more. */
const ENTRIES_PER_STEP = 50;
const BYTES_PER_STEP = 256 * 1024;
/** Remaining entries are counted up to this number, or each step would have to read all of them. */
const MAX_REMAINING = 10_000;

/** An entry to reindex, with the columns of what it belongs to. */
export type Due = Indexed & { entry: number; owner: number } & Record<string, unknown>;

/** Where the texts of entries are, in SQL about an entry `e`. */
export type TextSource = {
  readonly joins: string;
  /** the size of a text in bytes, and the columns to read besides those of the entry */
  readonly bytes: string;
  readonly columns: string;
  /** undefined if the entry belongs to nothing; `unchanged` fails once its texts or facts have changed */
  readonly read: (due: Due) => (Texts & { unchanged: SQL }) | undefined;
};

/** The next entries: at least one, if there are any. */
const outdatedEntriesSql = ({ joins, bytes, columns }: TextSource) => `
  WITH some AS (SELECT * FROM search_entries WHERE ${OUTDATED} ORDER BY index_version, entry LIMIT ${ENTRIES_PER_STEP}),
  sums AS (
    SELECT e.*, coalesce(${bytes}, 0) bytes,
      total(${bytes}) OVER (ORDER BY e.index_version, e.entry ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) before
    FROM some e ${joins})
  SELECT e.entry, e.owner, e.kind, e.record, ${columns}
  FROM sums e ${joins}
  WHERE e.before = 0 OR e.before + e.bytes <= ${BYTES_PER_STEP}`;

/** Reindexes an entry, or refuses as stale when its texts have changed in the meantime. */
async function reindexStatements(ctx: BaseCtx, source: TextSource, due: Due) {
  const texts = source.read(due);
  // Only an error can leave an entry without what it belongs to.
  if (texts === undefined) return [ctx.db.run(sql`DELETE FROM search_entries WHERE entry = ${due.entry}`)];
  const { unchanged, ...entry } = texts;
  const { kind, record, owner } = due;
  return [
    assertInBatch(ctx, unchanged, "stale"),
    ...(await longIndexStatements({ db: ctx.db, owner }, { kind, record, ...entry })),
  ];
}

/** Whether an entry is as an earlier version wrote it, in SQL. */
export const hasOutdated = (): SQL => sql`EXISTS (SELECT 1 FROM search_entries WHERE ${sql.raw(OUTDATED)})`;

/** One bounded step, oldest first; search stays available. Returns how many entries were written and how many are left. */
export const reindexStep = (ctx: BaseCtx, source: TextSource) =>
  untilWritten("index", () => reindexOnce(ctx, source));

async function reindexOnce(ctx: BaseCtx, source: TextSource) {
  const { results } = await ctx.db.$client.prepare(outdatedEntriesSql(source)).all<Due>();
  if (results.length > 0) {
    const statements = await Promise.all(results.map((due) => reindexStatements(ctx, source, due)));
    if ((await unless(send(ctx, statements.flat()), "stale")).refusal) return undefined;
  }
  const [due] = await ctx.db.all<{ remaining: number }>(sql`SELECT count(*) AS remaining
    FROM (SELECT 1 FROM search_entries WHERE ${sql.raw(OUTDATED)} LIMIT ${MAX_REMAINING})`);
  return { indexed: results.length, remaining: due?.remaining ?? 0 };
}
