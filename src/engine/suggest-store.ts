import type { Ctx } from "../platform/core/ctx.ts";
import { ownerPrefix } from "./forms.ts";

const MAX_SCANNED = 2000;
const LAST_CHARACTER = "\u{10ffff}";

/** Reads the words in the owner's texts that begin with `wordStart`, most frequent first, as rows of `text`. */
export function knownWordsStatement(
  { db, owner }: Pick<Ctx, "db" | "owner">,
  wordStart: string,
  limit: number,
) {
  const prefix = ownerPrefix(owner);
  return db.$client
    .prepare(
      `SELECT substr(term, ?) AS text FROM (SELECT term, doc FROM search_words WHERE term >= ? AND term < ? LIMIT ?)
         ORDER BY doc DESC, term LIMIT ?`,
    )
    .bind(prefix.length + 1, prefix + wordStart, prefix + wordStart + LAST_CHARACTER, MAX_SCANNED, limit);
}
