import { MemoryType } from "../contract/memory.ts";
import { DUE, dueFact, typeFact } from "../text-index/facts.ts";
import { stem } from "../text-index/forms.ts";
import type { Dated } from "../contract/query/dates.ts";

// The words of a query that say what a memory record is: `decision about the database`, `due 3 May`.

/** Verbs of a type's name that do not have its stem. */
const VERBS = { decide: "decision", block: "blocker" } as const;

const TYPE_OF_STEM: ReadonlyMap<string, string> = new Map(
  [...MemoryType.options.map((type) => [type, type] as const), ...Object.entries(VERBS)].map(
    ([word, type]) => [stem(word), type],
  ),
);

/** The words for each type by its fact. A word with a typo is corrected to one of them if the caller has such records. */
export const TYPE_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  MemoryType.options.map((type) => [typeFact(type), [type, `${type}s`]]),
);

/** The facts of records that each word of a query stands for. */
export type FactsOfWord = (word: string) => readonly string[];

/** What the words of a query with these dates stand for: a type in any of its forms, that something is due, and when. */
export function factWords(dates: readonly Dated[]): FactsOfWord {
  const due = new Map<string, string[]>();
  for (const { typed, digits } of dates) {
    for (const word of typed) due.set(word, [...(due.get(word) ?? []), ...digits.map(dueFact)]);
  }
  return (word) => {
    const type = TYPE_OF_STEM.get(stem(word));
    return [...(type ? [typeFact(type)] : []), ...(word === "due" ? [DUE] : []), ...(due.get(word) ?? [])];
  };
}
