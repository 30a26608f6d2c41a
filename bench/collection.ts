import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ignoredFunctionWords } from "../src/engine/english.ts";
import { splitWords } from "../src/shared/text/words.ts";
import { random as generator } from "../test/kit/random.ts";
import { repeated } from "./account.ts";
import type { Figures } from "./figures.ts";
import { makeDocument, makeQuery } from "./texts.ts";

// A collection is docs.jsonl (id, title, text), queries.jsonl (id, text) and qrels.tsv (query, document, grade).

export type Text = { id: string; title?: string; text: string };

/** For each query, the grades above 0 by document. */
type Judgements = Map<string, Map<string, number>>;

/** Texts, and queries with the texts that answer them. */
export type Collection = { name: string; documents: Text[]; judgements: Judgements; queries: Text[] };

/** The length of the longest query that the API accepts. */
const MAX_QUERY = 500;

function readJudgements(lines: string[]): Judgements {
  const judgements: Judgements = new Map();
  for (const line of lines) {
    const [query = "", document = "", grade] = line.split("\t");
    if (!(Number(grade) > 0)) continue;
    const graded = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, graded.set(document, Number(grade)));
  }
  return judgements;
}

/** A collection with so many of its judged queries: every n-th, so that a sample covers all of it. */
export function readCollection(folder: string, sample: number): Collection {
  const linesOf = (file: string) => readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  const textsOf = (file: string) => linesOf(file).map((line) => JSON.parse(line) as Text);
  const judgements = readJudgements(linesOf("qrels.tsv"));
  const judged = textsOf("queries.jsonl").filter(({ id }) => judgements.has(id));
  const step = Math.max(1, judged.length / sample);
  const queries = repeated(Math.min(sample, judged.length), (number) => {
    const query = judged[Math.floor(number * step)] as Text;
    return { ...query, text: query.text.slice(0, MAX_QUERY) };
  });
  return { name: basename(folder), documents: textsOf("docs.jsonl"), judgements, queries };
}

/** A collection that nobody has judged. */
export const generated = (): Collection => ({
  name: "Generated",
  documents: repeated(1000, (number) => ({ id: String(number), ...makeDocument(number) })),
  judgements: new Map(),
  queries: repeated(20, (number) => ({ id: String(number), text: makeQuery(number) })),
});

const CUT = 10;

/** Discounted cumulative gain at 10 (Järvelin, Kekäläinen 2002). */
const dcg = (grades: number[]) =>
  grades.slice(0, CUT).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);

const isGraded = (grade: number) => grade > 0;

/** Means over all queries of nDCG@10, MRR@10 and recall, and how many have no answer; by what was found for each query. */
export function qualityOf(ranking: Map<string, string[]>, judgements: Judgements): Figures {
  const sum = { "nDCG@10": 0, "MRR@10": 0, "Recall@10": 0, "Recall@100": 0 };
  for (const [query, documents] of ranking) {
    const graded = judgements.get(query) ?? new Map<string, number>();
    const grades = documents.map((document) => graded.get(document) ?? 0);
    const first = grades.slice(0, CUT).findIndex(isGraded);
    sum["nDCG@10"] += dcg(grades) / dcg([...graded.values()].sort((a, b) => b - a));
    sum["MRR@10"] += first < 0 ? 0 : 1 / (first + 1);
    sum["Recall@10"] += grades.slice(0, CUT).filter(isGraded).length / graded.size;
    sum["Recall@100"] += grades.filter(isGraded).length / graded.size;
  }
  const means = Object.entries(sum).map(([name, total]) => [name, total / ranking.size]);
  const empty = [...ranking.values()].filter(({ length }) => length === 0).length;
  return { ...Object.fromEntries(means), "no hit": empty };
}

const MAX_REPEATED = 3;

/** Any word of a question, without function words; repeated words count up to three times. */
function plainMatch(question: string): string {
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

/** FTS5 as it comes, to compare with: Porter's stems, ranked by its own bm25(), words in the title count twice. */
export function plainSearch(documents: Text[]): (query: string, limit: number) => string[] {
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE VIRTUAL TABLE plain USING fts5(record UNINDEXED, title, body, tokenize = 'porter unicode61'); BEGIN",
  );
  const insert = database.prepare("INSERT INTO plain (record, title, body) VALUES (?, ?, ?)");
  for (const { id, title = "", text } of documents) insert.run(id, title, text);
  database.exec("COMMIT");
  const select = database.prepare(
    "SELECT record FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, 2, 1) LIMIT +?",
  );
  return (query, limit) => select.all(plainMatch(query), limit).map(({ record }) => String(record));
}

const WORDS = 3;
const CORRECTABLE = /^\p{L}{4,}$/u;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/** Deletes, inserts, replaces or transposes a letter (Damerau 1964) anywhere in the word. */
function mistype(word: string, random: () => number): string {
  const letters = [...word];
  const below = (limit: number) => Math.floor(random() * limit);
  const place = below(letters.length);
  const letter = ALPHABET[below(ALPHABET.length)] ?? "";
  const two = letters.slice(place, place + 2).reverse();
  const slips = [
    letters.toSpliced(place, 1),
    letters.toSpliced(place, 0, letter),
    letters.with(place, letter),
    letters.toSpliced(place, 2, ...two),
  ];
  return slips[below(slips.length)]?.join("") ?? word;
}

/** The number of texts in which each word occurs. */
function countWords(documents: Text[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { title = "", text } of documents)
    for (const word of new Set(splitWords(`${title}\n${text}`).map((word) => word.text)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The three rarest words of each query that occur in the texts, and all of it, each as it is and with a typing error. */
export function slipsOf({ queries, documents }: Collection): Record<string, Text[]> {
  const counts = countWords(documents);
  const random = generator(queries.length);
  const slips: Text[][] = [[], [], [], []];
  for (const { id, text } of queries) {
    const found = new Set(splitWords(text).map((word) => word.text));
    const known = [...found].filter((word) => CORRECTABLE.test(word) && counts.has(word));
    const rarest = known.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, WORDS);
    if (rarest.length < WORDS) continue;
    const place = Math.floor(random() * WORDS);
    const [word = "", wrong] = [rarest[place], mistype(rarest[place] ?? "", random)];
    const whole = text.replace(new RegExp(`\\b${word}\\b`, "gi"), wrong);
    const texts = [rarest.join(" "), rarest.with(place, wrong).join(" "), text, whole];
    for (const [kind, one] of texts.entries()) slips[kind]?.push({ id, text: one });
  }
  const names = ["three words", "one typing error", "whole queries", "one typing error in them"];
  return Object.fromEntries(names.map((name, kind) => [name, slips[kind] ?? []]));
}
