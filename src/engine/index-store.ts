import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../platform/core/ctx.ts";
import type { Database } from "../platform/core/statement.ts";
import type { search_entries } from "../platform/db/tables.ts";
import { runYielding } from "../platform/queue/yielding.ts";
import { splitWords } from "../shared/text/words.ts";
import { analyse, analyseInSteps, INDEX_VERSION, type IndexRow } from "./analyse.ts";
import { LAST_CHARACTER, MAX_SCANNED } from "./correct.ts";
import { ownerPrefix } from "./forms.ts";
import { MERGE_AFTER_REMOVAL, mergeAfterWrite } from "./merge.ts";

export type EntryKey = Pick<typeof search_entries.$inferSelect, "kind" | "record">;

type IndexContext = { db: Database; owner: number };

export type IndexedTexts = { title: string; tags: string[]; text: string; facts?: string[] };

/** What to index. `record` can be SQL if the id is assigned in the same transaction. */
type NewEntry = IndexedTexts & { kind: EntryKey["kind"]; record: string | SQL };

const searchable = ({ title, tags, text, facts = [] }: NewEntry) => ({ title, tags, body: text, facts });

/** Characters indexed per transaction. FTS5 takes 50 ms per million, 500 if all words differ. Longer texts are deferred. */
export const MAX_INDEXED_INLINE = 128 * 1024;

export const indexStatements = (ctx: IndexContext, entry: NewEntry) =>
  writeStatements(ctx, entry, analyse(ctx.owner, searchable(entry)));

/** As above, for a text that may be long: other requests run while it is analysed. */
export const indexStatementsInSteps = async (ctx: IndexContext, entry: NewEntry) =>
  writeStatements(ctx, entry, await runYielding(analyseInSteps(ctx.owner, searchable(entry))));

/** A random negative index version that marks an entry as waiting; unlikely to be used by another one. */
export const newWaitingTicket = () => -1 - Math.floor(Math.random() * 2 ** 31);

/** Marks an entry as waiting for its words. Until then the record is found by the old ones. */
export const markWaitingStatement = (
  { db, owner }: IndexContext,
  { kind, record }: EntryKey,
  ticket: number,
) =>
  db.run(sql`
    INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
    VALUES (${owner}, ${kind}, ${record}, 0, 0, ${ticket})
    ON CONFLICT (owner, kind, record) DO UPDATE SET index_version = excluded.index_version`);

/** Indexes a waiting entry, unless its ticket has changed: then the record was written, deleted or reindexed meanwhile. */
export async function deferredIndexStatements({ db, owner }: IndexContext, entry: NewEntry, ticket: number) {
  const row = await runYielding(analyseInSteps(owner, searchable(entry)));
  const { title, tags, body, extra, length, tokens } = row;
  const isStillWaiting = sql`owner = ${owner} AND kind = ${entry.kind} AND record = ${entry.record} AND index_version = ${ticket}`;
  return [
    db.run(
      sql`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
        SELECT entry, ${title}, ${tags}, ${body}, ${extra} FROM search_entries WHERE ${isStillWaiting}`,
      { finalStatement: mergeAfterWrite(row, entry) },
    ),
    db.run(sql`UPDATE search_entries SET length = ${length}, tokens = ${tokens}, index_version = ${INDEX_VERSION}
      WHERE ${isStillWaiting}`),
  ] as const;
}

function writeStatements({ db, owner }: IndexContext, entry: NewEntry, row: IndexRow) {
  const { kind, record } = entry;
  const { title, tags, body, extra, length, tokens } = row;
  return [
    db.run(sql`
      INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
      VALUES (${owner}, ${kind}, ${record}, ${length}, ${tokens}, ${INDEX_VERSION})
      ON CONFLICT (owner, kind, record) DO UPDATE SET length = excluded.length, tokens = excluded.tokens,
        index_version = excluded.index_version
        WHERE (length, tokens, index_version) IS NOT (excluded.length, excluded.tokens, excluded.index_version)`),
    db.run(
      sql`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
        SELECT entry, ${title}, ${tags}, ${body}, ${extra}
        FROM search_entries WHERE owner = ${owner} AND kind = ${kind} AND record = ${record}`,
      { finalStatement: mergeAfterWrite(row, entry) },
    ),
  ] as const;
}

export const unindexStatement = (ctx: Ctx, { kind, record }: EntryKey) =>
  ctx.db.run(
    sql`DELETE FROM search_entries WHERE owner = ${ctx.owner} AND kind = ${kind} AND record = ${record}`,
    { finalStatement: MERGE_AFTER_REMOVAL },
  );

const MAX_COMPARED_WORDS = 50;

/** SQL: keys of the caller's records that contain the words of both texts in order. Undefined for texts without words (`?!`). */
export function sameTextKeys(
  ctx: Ctx,
  kind: EntryKey["kind"],
  texts: { title: string; body: string },
): SQL | undefined {
  const prefix = ownerPrefix(ctx.owner);
  const phrases = Object.entries(texts).flatMap(([column, text]) => {
    const found = splitWords(text).slice(0, MAX_COMPARED_WORDS);
    return found.length > 0 ? [`${column} : "${found.map((word) => prefix + word.text).join(" ")}"`] : [];
  });
  return phrases.length > 0
    ? sql`SELECT record FROM search_index JOIN search_entries ON entry = search_index.rowid
        WHERE search_index MATCH ${phrases.join(" AND ")} AND owner = ${ctx.owner} AND kind = ${kind}`
    : undefined;
}

/** How much of a text is compared; texts with fewer words are too common to compare. */
const COMPARED_CHARACTERS = 4000;
const MIN_COMPARED_WORDS = 3;

/** SQL: keys of the newest entries (`limit` of all kinds) with this text's first fifty words; undefined below three words. */
export function sameBodyKeys(
  ctx: Ctx,
  kind: EntryKey["kind"],
  { body, limit }: { body: string; limit: number },
): SQL | undefined {
  const prefix = ownerPrefix(ctx.owner);
  const found = splitWords(body.slice(0, COMPARED_CHARACTERS));
  // The last word may be cut off.
  const whole = body.length > COMPARED_CHARACTERS ? found.slice(0, -1) : found;
  if (whole.length < MIN_COMPARED_WORDS) return undefined;
  const phrase = whole.slice(0, MAX_COMPARED_WORDS).map((word) => prefix + word.text);
  return sql`SELECT record
    FROM (SELECT rowid AS entry_of FROM search_index WHERE search_index MATCH ${`body : "${phrase.join(" ")}"`}
      ORDER BY rowid DESC LIMIT ${limit}) AS newest
      CROSS JOIN search_entries ON entry = newest.entry_of AND owner = ${ctx.owner} AND kind = ${kind}`;
}

const MAX_TITLE_WORDS = 12;

/** SQL: `record` and `rank` of a kind's entries among the `limit` titles that match best. Undefined without words. */
export function similarTitleKeys(
  ctx: Ctx,
  kind: EntryKey["kind"],
  { titleWords, limit }: { titleWords: readonly string[]; limit: number },
): SQL | undefined {
  if (titleWords.length === 0) return undefined;
  const prefix = ownerPrefix(ctx.owner);
  const any = titleWords.slice(0, MAX_TITLE_WORDS).map((word) => `"${prefix}${word}"`);
  // Only the best matches, of all kinds, are looked up in search_entries.
  return sql`SELECT record, rank
    FROM (SELECT rowid AS entry_of, rank FROM search_index WHERE search_index MATCH ${`title : (${any.join(" OR ")})`}
      ORDER BY rank LIMIT ${limit}) AS best
      CROSS JOIN search_entries ON entry = best.entry_of AND owner = ${ctx.owner} AND kind = ${kind}`;
}

/** Counts the caller's records of a kind by reading a single row. */
export const countEntries = (ctx: Ctx, kind: EntryKey["kind"]) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT entries AS total FROM search_totals WHERE owner = ${ctx.owner} AND kind = ${kind}`,
  );

/** Reads the words in the owner's texts that begin with `wordStart`, most frequent first, as rows of `text`. */
export function knownWordsStatement({ db, owner }: IndexContext, wordStart: string, limit: number) {
  const prefix = ownerPrefix(owner);
  const [from, to] = [prefix + wordStart, prefix + wordStart + LAST_CHARACTER];
  return db.all<{ text: string }>(sql`SELECT substr(term, ${prefix.length + 1}) AS text
    FROM (SELECT term, doc FROM search_words WHERE term >= ${from} AND term < ${to} LIMIT ${MAX_SCANNED})
    ORDER BY doc DESC, term LIMIT ${limit}`);
}
