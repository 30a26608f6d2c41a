import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { documentResults, type SearchAnswer } from "../src/contract/search.ts";
import { analyse, INDEX_VERSION } from "../src/engine/analyse.ts";
import { ignoredFunctionWords } from "../src/engine/english.ts";
import { planQuery } from "../src/engine/plan-query.ts";
import { type RankedRow, rankStatement } from "../src/engine/rank.ts";
import { TUNING, type Tuning } from "../src/engine/score.ts";
import { parseQuery } from "../src/shared/query/query.ts";
import { splitWords } from "../src/shared/text/words.ts";
import { until } from "../test/e2e/service.ts";
import { random as generator } from "../test/kit/random.ts";
import { type Account, createMany, newAccount, repeated, send } from "./account.ts";
import { type Copy, startCounted, startEach } from "./copies.ts";
import type { Usage } from "./counted.ts";
import {
  type Case,
  type Figures,
  measureInTurns,
  median,
  printMeasured,
  printTable,
  quantile,
} from "./figures.ts";
import { makeDocument, makeQuery } from "./texts.ts";

// `search`: the quality, speed and cost of searching a collection over HTTP, compared with plain FTS5, alone and among other
// accounts with the same documents.

const FOUND = 100;

/** An account with the documents of a collection. `names` maps its document ids to those of the collection. */
type Filled = { account: Account; names: Map<string, string> };

async function fillWith(url: string, name: string, texts: Text[]): Promise<Filled> {
  const account = await newAccount({ apiUrl: url, mcpUrl: url }, name);
  // The API requires a title, and a search never finds a full stop.
  const documents = texts.map(({ title, text }) => ({
    title: title || ".",
    content: { format: "markdown", text },
  }));
  const ids = await createMany<string>(account, "documents", documents);
  // Until everything is indexed.
  await until(
    async () =>
      !(await account.ask<SearchAnswer>("GET", "/api/search?q=a")).notes?.some((note) => /index/i.test(note)),
    () => "The index is not complete",
  );
  return { account, names: new Map(ids.map((id, place) => [id, texts[place]?.id ?? ""])) };
}

async function search({ account, names }: Filled, text: string): Promise<string[]> {
  const query = new URLSearchParams({ q: text, limit: String(FOUND) });
  const answer = await account.ask<SearchAnswer>("GET", `/api/search?${query}`);
  return documentResults(answer).map(({ id }) => names.get(id) ?? "");
}

/** The number of rows read since the last call. */
const rowsReadOf = async ({ account }: Filled) =>
  (JSON.parse((await send({ url: `${account.apiUrl}/cost` })).text) as Usage).rowsRead;

/** Measures the quality and speed of all queries, and the rows they read. */
async function ask(
  { queries, judgements }: Pick<Collection, "queries" | "judgements">,
  find: (text: string) => Promise<string[]> | string[],
  rowsRead?: () => Promise<number>,
): Promise<Figures> {
  const ranking = new Map<string, string[]>();
  const [times, rows]: number[][] = [[], []];
  await rowsRead?.();
  for (const { id, text } of queries) {
    const start = performance.now();
    ranking.set(id, await find(text));
    times?.push(performance.now() - start);
    if (rowsRead) rows?.push(await rowsRead());
  }
  return {
    ...(judgements.size > 0 && qualityOf(ranking, judgements)),
    ...{ "p50 ms": median(times ?? []), "p99 ms": quantile(times ?? [], 0.99) },
    ...(rowsRead && { "rows read": median(rows ?? []) }),
  };
}

type SearchOptions = {
  collections?: string[];
  sample: number;
  slips: boolean;
  tenants: number;
  rounds: number;
};

const QUALITY = { "nDCG@10": 4, "MRR@10": 4, "Recall@10": 4, "Recall@100": 4, "no hit": 0 };
const COST = { "p50 ms": 1, "p99 ms": 1, "rows read": 0 };

async function benchCollection(
  urls: string[],
  collection: Collection,
  { slips, tenants, rounds }: SearchOptions,
): Promise<void> {
  const { name, documents, queries, judgements } = collection;
  const owner = name.replace(/\W/g, "");
  const all: Filled[] = [];
  for (const url of urls) all.push(await fillWith(url, owner, documents));
  const caseOf = (row: string, asked: Text[]): Case => ({
    name: row,
    measures: all.map((filled) => {
      const searchIn = (text: string) => search(filled, text);
      return () => ask({ queries: asked, judgements }, searchIn, () => rowsReadOf(filled));
    }),
  });
  const plain = plainSearch(documents);
  const measured = await measureInTurns(
    [
      { name: "plain FTS5", measures: [() => ask(collection, (text) => plain(text, FOUND))] },
      caseOf("alone", queries),
      ...(slips ? Object.entries(slipsOf(collection)).map(([row, asked]) => caseOf(row, asked)) : []),
    ],
    rounds,
  );
  for (const url of urls)
    for (let tenant = 0; tenant < tenants; tenant++) await fillWith(url, `${owner}${tenant}`, documents);
  if (tenants > 0) measured.push(...(await measureInTurns([caseOf(`among ${tenants} ×`, queries)], rounds)));
  printMeasured(
    `${name}: ${documents.length} documents, ${queries.length} queries (ratio: of p50, below 1 is faster)`,
    { figures: { ...(judgements.size > 0 && QUALITY), ...COST }, ratio: "p50 ms" },
    measured,
  );
}

/** Measures each collection; generated texts without one. */
export async function benchSearch(copies: Copy[], stateDir: string, options: SearchOptions): Promise<void> {
  const { collections, sample } = options;
  const all = collections?.map((folder) => readCollection(folder, sample)) ?? [generated()];
  // `npm start` creates the database.
  const services = await startEach(copies, stateDir, async ({ copy, stateDir: folder, ports, stop }) => {
    await stop();
    return startCounted(copy, folder, ports.mcp);
  });
  for (const collection of all)
    await benchCollection(
      services.map(({ url }) => url),
      collection,
      options,
    );
  for (const { stop } of services) await stop();
}

// A collection is docs.jsonl (id, title, text), queries.jsonl (id, text) and qrels.tsv (query, document, grade).

export type Text = { id: string; title?: string; text: string };

/** The positive grades by query and document. */
type Judgements = Map<string, Map<string, number>>;

/** Documents, and queries with judgements of which documents answer them. */
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

/** Reads a collection with at most `sample` of its judged queries, taken evenly. */
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

/** A generated collection without judgements. */
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

/** The means of nDCG@10, MRR@10 and recall over all queries, and the number of queries without a result. */
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

/** An FTS5 query for any word of a question except function words. A repeated word counts up to three times. */
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

/** The baseline: FTS5 with Porter's stemmer and its own bm25(), where words in the title count twice. */
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

/** The three rarest known words of each query, and the whole query, each with and without a typing error. */
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

// `fit`: for each collection, chooses the ranking parameters on all others and tests them on this one, compared with the
// current parameters and plain FTS5. It runs the search statement in Node's SQLite, without HTTP and without the correction
// of typos.

const OWNER = 1;
const PAGE = 10;

/** The values to try. */
const VALUES: Record<keyof Tuning, number[]> = {
  k1: [0.9, 1.2, 1.5],
  b: [0.5, 0.6, 0.75],
  title: [1, 2, 3],
  near: [0.15, 0.25, 0.35],
  exact: [0, 0.25, 0.5],
  date: [1],
  ending: [0.25],
};

/** Indexes documents as the service does. */
function indexOf(documents: Text[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const name of readdirSync("migrations").sort())
    database.exec(readFileSync(`migrations/${name}`, "utf8"));
  const entry =
    database.prepare(`INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
      VALUES (${OWNER}, 'document', ?, ?, ?, ${INDEX_VERSION}) RETURNING entry`);
  const index = database.prepare(
    "INSERT INTO search_index (rowid, title, tags, body, extra) VALUES (?, ?, ?, ?, ?)",
  );
  database.exec("BEGIN");
  for (const { id, title = "", text } of documents) {
    const row = analyse(OWNER, { title, tags: [], body: text });
    const written = entry.get(id, row.length, row.tokens) as { entry: number };
    index.run(written.entry, row.title, row.tags, row.body, row.extra);
  }
  database.exec("COMMIT");
  return database;
}

/** The documents that the statement of a search finds, best first. */
function rankWith(database: DatabaseSync, text: string, tuning: Tuning): string[] {
  const range = { owner: OWNER, kinds: ["document"] as const, limit: PAGE, offset: 0 };
  const run = (relaxed: boolean) => {
    const { sql, params } = rankStatement(planQuery(OWNER, parseQuery(text), { relaxed }), range, tuning);
    const rows = database.prepare(sql).all(...params) as unknown as RankedRow[];
    return rows.flatMap(({ entry, record }) => (entry === null || record === null ? [] : [record]));
  };
  const found = run(false);
  return found.length > 0 ? found : run(true);
}

/** A collection and its nDCG@10, which is measured once for each choice of parameters. */
type Fitted = { name: string; plain: number; quality: (tuning: Tuning) => number };

function openFitted({ name, documents, queries, judgements }: Collection): Fitted {
  const ndcg = (find: (text: string) => string[]) =>
    qualityOf(new Map(queries.map(({ id, text }) => [id, find(text)])), judgements)["nDCG@10"] ?? 0;
  const [database, plain] = [indexOf(documents), plainSearch(documents)];
  const known = new Map<string, number>();
  const quality = (tuning: Tuning) => {
    const key = JSON.stringify(tuning);
    const figure = known.get(key) ?? ndcg((text) => rankWith(database, text, tuning));
    known.set(key, figure);
    return figure;
  };
  return { name, plain: ndcg((text) => plain(text, PAGE)), quality };
}

const meanQuality = (all: Fitted[], tuning: Tuning) =>
  all.reduce((sum, { quality }) => sum + quality(tuning), 0) / all.length;

/** The best parameters for these collections: tries all values of each parameter until none is better. */
function chooseTuning(all: Fitted[], from: Tuning = TUNING): Tuning {
  let best = from;
  for (const [name, values] of Object.entries(VALUES))
    for (const tuning of values.map((value) => ({ ...best, [name]: value })))
      if (meanQuality(all, tuning) > meanQuality(all, best)) best = tuning;
  return best === from ? best : chooseTuning(all, best);
}

/** Prints the quality of the current parameters, and of those chosen on the other collections. */
export function benchFit(folders: string[], sample: number): void {
  const all = folders.map((folder) => openFitted(readCollection(folder, sample)));
  const rows = all.map((tested) => {
    const current = [tested.plain, tested.quality(TUNING)];
    const others = all.filter((one) => one !== tested);
    const chosen = others.length > 0 ? chooseTuning(others) : TUNING;
    const figures = [...current, meanQuality(others, chosen), tested.quality(chosen)];
    return [tested.name, ...figures.map((figure) => figure.toFixed(4)), JSON.stringify(chosen)];
  });
  const fitted = ["others, chosen on them", "this one, with the same", "chosen"];
  printTable("nDCG@10", ["", "plain FTS5", "current", ...fitted], rows);
}
