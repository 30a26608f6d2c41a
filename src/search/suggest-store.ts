import type { Ctx } from "../platform/core/ctx.ts";
import { ownerPrefix } from "../engine/analyse.ts";
import { words } from "../contract/text/words.ts";
import type { SuggestAnswer, SuggestQuery } from "../contract/search.ts";

/** How many words of a vocabulary one lookup reads at most. */
const MAX_SCANNED = 2000;
/** Sorts after any character of a text. */
const LAST = "\u{10ffff}";

/**
 * Completes what is being typed with titles and tags of the caller that begin with the whole text, and words that begin
 * with its last word.
 */
export async function suggest(ctx: Ctx, { q, limit }: SuggestQuery): Promise<SuggestAnswer> {
  const typed = q.trim();
  const last = words(typed).at(-1);
  if (!last) return { suggestions: [] };
  const prefix = ownerPrefix(ctx.owner);
  const owner = ctx.owner;
  const range = (from: string, column: string, collate = "") =>
    ctx.db.$client
      .prepare(
        `SELECT DISTINCT ${column} AS text FROM ${from} AND owner = ?
           AND ${column} >= ? ${collate} AND ${column} < ? ${collate} ORDER BY ${column} ${collate} LIMIT ?`,
      )
      .bind(owner, typed, typed + LAST, limit);
  const [titles, tags, known] = await ctx.db.$client.batch<{ text: string }>([
    range("documents WHERE trashed_at IS NULL", "title", "COLLATE NOCASE"),
    range("document_tags WHERE true", "tag"),
    ctx.db.$client
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
