import { MemoryType } from "../../contract/memory.ts";
import { type FactVocabulary, factToken, stem } from "../../engine/index.ts";

// Facts about a memory record besides its text. Queries such as `decision about the database` and `due 3 May` match them.

const DUE = factToken("due");
/** The fact that a record is due on a day, in a month or in a year: `2026-05-03`, `05-03`, `2026-05`, `05` or `2026`. */
const dueOn = (date: string) => factToken(`due:${date}`);

type MemoryWithFacts = { memory_type: string; due_date: string | null };

export function memoryFacts({ memory_type, due_date }: MemoryWithFacts): string[] {
  if (due_date === null) return [factToken(memory_type)];
  const [year = "", month = "", day = ""] = due_date.split("-");
  const dates = [due_date, `${month}-${day}`, `${year}-${month}`, month, year];
  return [factToken(memory_type), DUE, ...dates.map(dueOn)];
}

export const isDueFact = (indexed: string) => indexed.startsWith(DUE);

const VERBS = { decide: "decision", block: "blocker" } as const;

const TYPE_OF_STEM: ReadonlyMap<string, string> = new Map(
  [...MemoryType.options.map((type) => [type, type] as const), ...Object.entries(VERBS)].map(
    ([word, type]) => [stem(word), type],
  ),
);

/** The facts that words of a query stand for. Misspelled words are corrected to types of which the caller has records. */
export const QUERY_FACTS: FactVocabulary = {
  factsOfWord: (word) => {
    const type = TYPE_OF_STEM.get(stem(word));
    return [...(type ? [factToken(type)] : []), ...(word === "due" ? [DUE] : [])];
  },
  factOfDate: dueOn,
  wordsByFact: new Map(MemoryType.options.map((type) => [factToken(type), [type, `${type}s`]])),
};
