import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx, Database } from "../platform/core/ctx.ts";
import { inTurns } from "../core/fair.ts";
import type { search_entries } from "../db/tables.ts";
import { analyse, analyseInSteps, INDEX_VERSION, type IndexRow, ownerPrefix } from "./analyse.ts";
import { words } from "../contract/text/words.ts";

/** What an entry refers to: `record` is the key of a record of that kind and owner. */
export type Indexed = Pick<typeof search_entries.$inferSelect, "kind" | "record">;

/** What writing to the index needs: the owner of the words. */
type Writer = { db: Database; owner: number };

/**
 * The texts and facts of a record. Its key may be SQL: a memory record's number is assigned in the transaction that
 * creates it.
 */
type Entry = {
  kind: Indexed["kind"];
  record: string | SQL;
  title: string;
  tags: string[];
  text: string;
  facts?: string[];
};

const searchable = ({ title, tags, text, facts = [] }: Entry) => ({ title, tags, body: text, facts });

/**
 * How many characters of text a transaction indexes: FTS5 takes 50 ms of the database for a million, and ten times as long
 * if all words are different. Longer texts are indexed after the transaction that writes them.
 */
export const INDEXED_AT_ONCE = 128 * 1024;

/** The statements that index or reindex a record's texts. */
export const indexStatements = (ctx: Writer, entry: Entry) =>
  writeStatements(ctx, entry, analyse(ctx.owner, searchable(entry)));

/** The same for a text that may be long: others run while it is analysed. */
export const longIndexStatements = async (ctx: Writer, entry: Entry) =>
  writeStatements(ctx, entry, await inTurns(analyseInSteps(ctx.owner, searchable(entry))));

/** A number below all versions that marks an entry as waiting, and that no other entry is likely to have. */
export const newTicket = () => -1 - Math.floor(Math.random() * 2 ** 31);

/** The statement that marks a record's entry as waiting for its words; until it has them, it is found by the old ones. */
export const waitingStatement = ({ db, owner }: Writer, { kind, record }: Indexed, ticket: number) =>
  db.run(sql`
    INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
    VALUES (${owner}, ${kind}, ${record}, 0, 0, ${ticket})
    ON CONFLICT (owner, kind, record) DO UPDATE SET index_version = excluded.index_version`);

/**
 * The statements that index the texts of a waiting entry. They do nothing if it no longer has its ticket, because the record
 * was written again, deleted or reindexed in the meantime.
 */
export async function lateIndexStatements({ db, owner }: Writer, entry: Entry, ticket: number) {
  const { title, tags, body, extra, length, tokens } = await inTurns(
    analyseInSteps(owner, searchable(entry)),
  );
  const waiting = sql`owner = ${owner} AND kind = ${entry.kind} AND record = ${entry.record} AND index_version = ${ticket}`;
  return [
    db.run(sql`
      INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, ${title}, ${tags}, ${body}, ${extra} FROM search_entries WHERE ${waiting}`),
    db.run(sql`UPDATE search_entries SET length = ${length}, tokens = ${tokens}, index_version = ${INDEX_VERSION}
      WHERE ${waiting}`),
  ] as const;
}

function writeStatements({ db, owner }: Writer, { kind, record }: Entry, row: IndexRow) {
  const { title, tags, body, extra, length, tokens } = row;
  return [
    db.run(sql`
      INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
      VALUES (${owner}, ${kind}, ${record}, ${length}, ${tokens}, ${INDEX_VERSION})
      ON CONFLICT (owner, kind, record) DO UPDATE SET length = excluded.length, tokens = excluded.tokens,
        index_version = excluded.index_version
        WHERE (length, tokens, index_version) IS NOT (excluded.length, excluded.tokens, excluded.index_version)`),
    db.run(sql`
      INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, ${title}, ${tags}, ${body}, ${extra}
      FROM search_entries WHERE owner = ${owner} AND kind = ${kind} AND record = ${record}`),
  ] as const;
}

/** The statement that removes a record from the index. */
export const unindexStatement = (ctx: Ctx, { kind, record }: Indexed) =>
  ctx.db.run(sql`DELETE FROM search_entries
    WHERE owner = ${ctx.owner} AND kind = ${kind} AND record = ${record}`);

/** How many words of a text are compared. */
const MAX_COMPARED = 50;

/**
 * The keys, in SQL, of the caller's records of a kind that have the words of both texts in their order: few enough to
 * compare the records themselves. Texts without words, such as `?!`, give undefined.
 */
export function alikeKeys(
  ctx: Ctx,
  kind: Indexed["kind"],
  texts: { title: string; body: string },
): SQL | undefined {
  const prefix = ownerPrefix(ctx.owner);
  const phrases = Object.entries(texts).flatMap(([column, text]) => {
    const found = words(text).slice(0, MAX_COMPARED);
    return found.length > 0 ? [`${column} : "${found.map((word) => prefix + word.text).join(" ")}"`] : [];
  });
  return phrases.length > 0
    ? sql`SELECT record FROM search_index JOIN search_entries ON entry = search_index.rowid
        WHERE search_index MATCH ${phrases.join(" AND ")} AND owner = ${ctx.owner} AND kind = ${kind}`
    : undefined;
}

/** How many words of a title are looked for. */
const MAX_NEAR_WORDS = 12;

/**
 * The keys, in SQL, of the caller's records of a kind among the `limit` texts whose titles fit these words best: rows of
 * `record` and `rank`. No words give undefined.
 */
export function nearKeys(
  ctx: Ctx,
  kind: Indexed["kind"],
  { titleWords, limit }: { titleWords: readonly string[]; limit: number },
): SQL | undefined {
  if (titleWords.length === 0) return undefined;
  const prefix = ownerPrefix(ctx.owner);
  const any = titleWords.slice(0, MAX_NEAR_WORDS).map((word) => `"${prefix}${word}"`);
  // Only the best are looked up in search_entries, of both kinds.
  return sql`SELECT record, rank
    FROM (SELECT rowid AS entry_of, rank FROM search_index WHERE search_index MATCH ${`title : (${any.join(" OR ")})`}
      ORDER BY rank LIMIT ${limit}) AS best
      CROSS JOIN search_entries ON entry = best.entry_of AND owner = ${ctx.owner} AND kind = ${kind}`;
}

/** The statement that counts the caller's records of a kind. It reads a single row. */
export const countEntries = (ctx: Ctx, kind: Indexed["kind"]) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT entries AS total FROM search_totals WHERE owner = ${ctx.owner} AND kind = ${kind}`,
  );

/** The approximate number of index pages (of 4 KB) that one merge step writes. */
const MERGED_PAGES = 500;

/**
 * One bounded step of removing deleted entries from the index. A deleted entry is only marked, and its words stay in
 * their segment until that is merged; a merge handles segments of which a tenth is deleted
 * (https://sqlite.org/fts5.html, 'merge' and 'deletemerge').
 */
export async function mergeStep(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(
    sql`INSERT INTO search_index (search_index, rank) VALUES ('merge', ${sql.raw(String(MERGED_PAGES))})`,
  );
}
