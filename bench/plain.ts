import { ignoredFunctionWords } from "../src/engine/english.ts";
import { splitWords } from "../src/shared/text/words.ts";

// FTS5 as it comes, to compare with: Porter's stems, ranked by its own bm25(), words in the title count twice.

/** Its tokenizer, and the weights of the columns title and body. */
export const PLAIN_TOKENIZER = "porter unicode61";
export const PLAIN_WEIGHTS = "2, 1";

const MAX_REPEATED = 3;

/** Any word of a question, without function words; repeated words count up to three times. */
export function plainMatch(question: string): string {
  const all = splitWords(question).map((word) => word.text);
  const dropped = ignoredFunctionWords(all);
  const counts = new Map<string, number>();
  const kept = all.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    return !dropped.has(word) && count <= MAX_REPEATED;
  });
  return kept.map((word) => `"${word}"`).join(" OR ") || '""';
}
