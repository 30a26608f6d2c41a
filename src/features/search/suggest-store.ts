import { nameKey } from "../../contract/name-key.ts";
import type { SuggestAnswer, SuggestQuery } from "../../contract/search.ts";
import { words } from "../../contract/text/words.ts";
import { type Fragment, knownWordsStatement } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";

const LAST = "\u{10ffff}";

/** A text as it may be written at the beginning of others: as typed, in lower case, capitalized and in capitals. */
function casesOf(typed: string): string[] {
  const lower = typed.toLowerCase();
  const capitalized = lower.replace(/^./u, (letter) => letter.toUpperCase());
  return [...new Set([typed, lower, capitalized, typed.toUpperCase()])];
}

/** The statement that reads the first texts of some SELECTs with one column, each in the order of an index. */
function firstStatement({ db }: Ctx, selects: Fragment[], limit: number) {
  const limited = selects.map(({ sql }) => `SELECT * FROM (${sql} LIMIT ?)`);
  const params = selects.flatMap((select) => [...select.params, limit]);
  return db.$client.prepare(`${limited.join(" UNION ")} ORDER BY 1 LIMIT ?`).bind(...params, limit);
}

/** Titles that begin with a text. SQLite compares ASCII letters in any case, others in those in which they are likely. */
function titlesStatement(ctx: Ctx, typed: string, limit: number) {
  const cases = /^\p{ASCII}*$/u.test(typed) ? [typed] : casesOf(typed);
  const selects = cases.map((text) => ({
    sql: `SELECT DISTINCT title AS text FROM documents WHERE trashed_at IS NULL AND owner = ?
      AND title >= ? COLLATE NOCASE AND title < ? COLLATE NOCASE ORDER BY title COLLATE NOCASE`,
    params: [ctx.owner, text, text + LAST],
  }));
  return firstStatement(ctx, selects, limit);
}

function tagsStatement(ctx: Ctx, typed: string, limit: number) {
  const key = nameKey(typed);
  const selects = casesOf(typed).map((text) => ({
    sql: "SELECT tag AS text FROM tag_totals WHERE owner = ? AND tag >= ? AND tag < ? ORDER BY tag",
    params: [ctx.owner, text, text + LAST],
  }));
  const spelled = {
    sql: `SELECT s.name FROM spellings s CROSS JOIN tag_totals t ON t.owner = s.owner AND t.tag = s.name
      WHERE s.owner = ? AND s.kind = 'tag' AND s.key >= ? AND s.key < ? ORDER BY s.key`,
    params: [ctx.owner, key, key + LAST],
  };
  return firstStatement(ctx, [...selects, spelled], limit);
}

/** Titles and tags that begin with the whole text, and words that begin with its last word. */
export async function suggest(ctx: Ctx, { q, limit }: SuggestQuery): Promise<SuggestAnswer> {
  const typed = q.trim();
  const last = words(typed).at(-1);
  if (!last) return { suggestions: [] };
  const [titles, tags, known] = await ctx.db.$client.batch<{ text: string }>([
    titlesStatement(ctx, typed, limit),
    tagsStatement(ctx, typed, limit),
    knownWordsStatement(ctx, last.text, limit),
  ]);
  const before = typed.slice(0, last.start);
  const suggestions = [
    ...(titles?.results ?? []).map(({ text }) => ({ kind: "title" as const, text })),
    ...(tags?.results ?? []).map(({ text }) => ({ kind: "tag" as const, text })),
    ...(known?.results ?? []).map(({ text }) => ({
      kind: "word" as const,
      text: before + text,
    })),
  ];
  return { suggestions: suggestions.slice(0, limit) };
}
