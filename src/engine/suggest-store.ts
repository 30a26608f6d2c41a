import { sql } from "drizzle-orm";
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
  const [from, to] = [prefix + wordStart, prefix + wordStart + LAST_CHARACTER];
  return db.all<{ text: string }>(sql`SELECT substr(term, ${prefix.length + 1}) AS text
    FROM (SELECT term, doc FROM search_words WHERE term >= ${from} AND term < ${to} LIMIT ${MAX_SCANNED})
    ORDER BY doc DESC, term LIMIT ${limit}`);
}
