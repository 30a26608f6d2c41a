import { nameKey } from "../../contract/name-key.ts";
import type { SuggestAnswer, SuggestQuery } from "../../contract/search.ts";
import { knownWordsStatement, type SqlFragment } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { splitWords } from "../../shared/text/words.ts";

const LAST_CHARACTER = "\u{10ffff}";

/** Case variants of a prefix: as typed, in lower case, capitalized and in capitals. */
function caseVariants(typed: string): string[] {
  const lower = typed.toLowerCase();
  const capitalized = lower.replace(/^./u, (letter) => letter.toUpperCase());
  return [...new Set([typed, lower, capitalized, typed.toUpperCase()])];
}

/** Reads the first rows of several one-column SELECTs, each in index order. */
function firstStatement({ db }: Ctx, selects: SqlFragment[], limit: number) {
  const limited = selects.map(({ sql }) => `SELECT * FROM (${sql} LIMIT ?)`);
  const params = selects.flatMap((select) => [...select.params, limit]);
  const first = { sql: `${limited.join(" UNION ")} ORDER BY 1 LIMIT ?`, params: [...params, limit] };
  return db.all<{ text: string }>(first);
}

/** Titles that begin with a text. SQLite ignores case only for ASCII letters, so other texts are tried in likely cases. */
function titlesStatement(ctx: Ctx, typed: string, limit: number) {
  const cases = /^\p{ASCII}*$/u.test(typed) ? [typed] : caseVariants(typed);
  const selects = cases.map((text) => ({
    sql: `SELECT DISTINCT title AS text FROM documents WHERE trashed_at IS NULL AND owner = ?
      AND title >= ? COLLATE NOCASE AND title < ? COLLATE NOCASE ORDER BY title COLLATE NOCASE`,
    params: [ctx.owner, text, text + LAST_CHARACTER],
  }));
  return firstStatement(ctx, selects, limit);
}

function tagsStatement(ctx: Ctx, typed: string, limit: number) {
  const key = nameKey(typed);
  const selects = caseVariants(typed).map((text) => ({
    sql: "SELECT tag AS text FROM tag_totals WHERE owner = ? AND tag >= ? AND tag < ? ORDER BY tag",
    params: [ctx.owner, text, text + LAST_CHARACTER],
  }));
  const spelled = {
    sql: `SELECT s.name FROM spellings s CROSS JOIN tag_totals t ON t.owner = s.owner AND t.tag = s.name
      WHERE s.owner = ? AND s.kind = 'tag' AND s.key >= ? AND s.key < ? ORDER BY s.key`,
    params: [ctx.owner, key, key + LAST_CHARACTER],
  };
  return firstStatement(ctx, [...selects, spelled], limit);
}

/** Suggests titles and tags that begin with the whole text, and words that begin with its last word. */
export async function suggest(ctx: Ctx, { q, limit }: SuggestQuery): Promise<SuggestAnswer> {
  const typed = q.trim();
  const last = splitWords(typed).at(-1);
  if (!last) return { suggestions: [] };
  const [titles, tags, known] = await ctx.db.batch([
    titlesStatement(ctx, typed, limit),
    tagsStatement(ctx, typed, limit),
    knownWordsStatement(ctx, last.text, limit),
  ]);
  const before = typed.slice(0, last.start);
  const suggestions = [
    ...titles.map(({ text }) => ({ kind: "title" as const, text })),
    ...tags.map(({ text }) => ({ kind: "tag" as const, text })),
    ...known.map(({ text }) => ({ kind: "word" as const, text: before + text })),
  ];
  return { suggestions: suggestions.slice(0, limit) };
}
