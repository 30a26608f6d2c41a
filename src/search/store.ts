import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { INDEX_VERSION, wordsOf } from "./analyse.ts";
import type { SearchAnswer, SearchQuery } from "./schema.ts";

/** A record as search knows it: `record` is its own key within its kind. */
export type Indexed = { kind: "document" | "memory"; record: string };

const inOwnersWords = (owner: number, words: string[]) => words.map((word) => `${owner}x${word}`).join(" ");

/** The statements that index a record's texts, or index them again, where `when` holds. */
export function indexStatements(
  ctx: Ctx,
  entry: Indexed & { title: string; tags: string[]; text: string },
  when: SQL,
) {
  const title = wordsOf(entry.title);
  const tags = entry.tags.flatMap(wordsOf);
  const body = wordsOf(entry.text);
  const owner = ctx.user.number;
  const length = title.length + tags.length + body.length;
  return [
    ctx.db.run(sql`
      INSERT INTO search_entries (owner, kind, record, length, index_version)
      SELECT ${owner}, ${entry.kind}, ${entry.record}, ${length}, ${INDEX_VERSION} WHERE ${when}
      ON CONFLICT (kind, record) DO UPDATE SET length = excluded.length, index_version = excluded.index_version`),
    ctx.db.run(sql`
      INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, ${inOwnersWords(owner, title)}, ${inOwnersWords(owner, tags)}, ${inOwnersWords(owner, body)}, ''
      FROM search_entries WHERE kind = ${entry.kind} AND record = ${entry.record} AND ${when}`),
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

const MAX_WORDS = 64;

/** Throws 404 for a folder that is not the caller's. */
async function needFolder(ctx: Ctx, id: string | undefined): Promise<void> {
  if (!id) return;
  const found = await ctx.db.all(sql`SELECT 1 FROM folders WHERE id = ${id} AND owner = ${ctx.user.number}`);
  if (found.length === 0) throw notFound();
}

/** Finds the caller's documents by words. */
export async function searchDocuments(ctx: Ctx, query: SearchQuery): Promise<SearchAnswer> {
  const words = [...new Set(wordsOf(query.q))].slice(0, MAX_WORDS);
  const match = words.map((word) => `"${ctx.user.number}x${word}"`).join(" OR ");
  await needFolder(ctx, query.folder_id);
  if (match === "") return { results: [], total: 0, query: query.q };
  const hits = sql`FROM search_index JOIN search_entries ON entry = search_index.rowid
    JOIN documents AS d ON d.id = record AND d.owner = ${ctx.user.number}
    WHERE search_index MATCH ${match} AND (${query.folder_id ?? null} IS NULL OR d.folder_id = ${query.folder_id ?? null})`;
  const [rows, [count]] = await ctx.db.batch([
    ctx.db.all<Hit>(sql`SELECT d.id, d.title, d.tags, d.source_type, d.updated_at, d.folder_id, d.content,
      -bm25(search_index, 3, 2, 1, 0.5) AS score ${hits} ORDER BY score DESC, d.id LIMIT ${query.limit} OFFSET ${query.offset}`),
    ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total ${hits}`),
  ]);
  const results = rows.map(({ score, content, ...row }) => ({
    document: { ...row, tags: JSON.parse(row.tags) as string[] },
    score,
    snippet: (content ?? "").slice(0, 200),
  }));
  return { results, total: count?.total ?? 0, query: query.q };
}

type Hit = Omit<SearchAnswer["results"][number]["document"], "tags"> & {
  tags: string;
  content: string | null;
  score: number;
};
