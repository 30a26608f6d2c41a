import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "commander";
import { analyse, INDEX_VERSION } from "../src/engine/analyse.ts";
import { planQuery } from "../src/engine/plan-query.ts";
import { type RankedRow, rankStatement } from "../src/engine/rank.ts";
import { TUNING, type Tuning } from "../src/engine/score.ts";
import { parseQuery } from "../src/shared/query/query.ts";
import { readDocuments, readJudgements, readQueries, type Text } from "./collection.ts";
import { best, type Candidates, candidatesOf } from "./fit-scores.ts";
import { PLAIN_TOKENIZER, PLAIN_WEIGHTS, plainMatch } from "./plain.ts";
import { type Judgements, qualityOf } from "./quality.ts";
import { printTable } from "./table.ts";

// `npm run bench:fit -- <folder> <folder> …`: for each collection, chooses the parameters of the ranking on all others and
// tests them on this one, next to the current parameters and to plain FTS5. It runs the statement of a search in Node's
// SQLite, without HTTP and without the correction of typos, and ranks with other parameters in memory.

const OWNER = 1;
const PAGE = 10;

/** The values to try, in every combination. */
const VALUES: Record<keyof Tuning, number[]> = {
  k1: [0.9, 1.2, 1.5],
  b: [0.5, 0.6, 0.75],
  title: [1, 2, 3],
  near: [0.15, 0.25, 0.35],
  exact: [0, 0.25, 0.5],
  date: [1],
  ending: [0.25],
};

type Collection = { name: string; database: DatabaseSync; judgements: Judgements; queries: Text[] };

function open(folder: string, sample: number): Collection {
  const database = new DatabaseSync(":memory:");
  for (const name of readdirSync("migrations").sort())
    database.exec(readFileSync(`migrations/${name}`, "utf8"));
  database.exec(
    `CREATE VIRTUAL TABLE plain USING fts5(record UNINDEXED, title, body, tokenize = '${PLAIN_TOKENIZER}')`,
  );
  const entry =
    database.prepare(`INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
      VALUES (${OWNER}, 'document', ?, ?, ?, ${INDEX_VERSION}) RETURNING entry`);
  const index = database.prepare(
    "INSERT INTO search_index (rowid, title, tags, body, extra) VALUES (?, ?, ?, ?, ?)",
  );
  const plain = database.prepare("INSERT INTO plain (record, title, body) VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { id, title = "", text } of readDocuments(folder)) {
    const row = analyse(OWNER, { title, tags: [], body: text });
    const written = entry.get(id, row.length, row.tokens) as { entry: number };
    index.run(written.entry, row.title, row.tags, row.body, row.extra);
    plain.run(id, title, text);
  }
  database.exec("COMMIT");
  const judgements = readJudgements(folder);
  return { name: basename(folder), database, judgements, queries: readQueries(folder, judgements, sample) };
}

/** The documents that the statement of a search finds, best first. */
function searched({ database }: Collection, text: string): string[] {
  const range = { owner: OWNER, kinds: ["document"] as const, limit: PAGE, offset: 0 };
  const run = (relaxed: boolean) => {
    const { sql, params } = rankStatement(planQuery(OWNER, parseQuery(text), { relaxed }), range);
    const rows = database.prepare(sql).all(...params) as unknown as RankedRow[];
    return rows.flatMap(({ entry, record }) => (entry === null || record === null ? [] : [record]));
  };
  const found = run(false);
  return found.length > 0 ? found : run(true);
}

/** What plain FTS5 finds. */
const plain = ({ database }: Collection, text: string): string[] =>
  database
    .prepare(
      `SELECT record FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, ${PLAIN_WEIGHTS}) LIMIT ${PAGE}`,
    )
    .all(plainMatch(text))
    .map(({ record }) => String(record));

/** The nDCG@10 of a way to answer the collection's queries. */
function quality({ queries, judgements }: Collection, answer: (query: Text) => string[]): number {
  return qualityOf(new Map(queries.map((query) => [query.id, answer(query)])), judgements).ndcg;
}

/** Every combination of `VALUES`. */
const combinations = (): Tuning[] =>
  Object.entries(VALUES).reduce<Tuning[]>(
    (all, [name, values]) => all.flatMap((tuning) => values.map((value) => ({ ...tuning, [name]: value }))),
    [TUNING],
  );

type Measured = { name: string; plain: number; current: number; byTuning: number[] };

/** Measures a collection with every combination, and then forgets it. */
function measure(folder: string, sample: number, tunings: Tuning[]): Measured {
  const collection = open(folder, sample);
  const found = new Map<string, Candidates>();
  for (const { id, text } of collection.queries) found.set(id, candidatesOf(collection.database, text));
  const ranked = (tuning: Tuning) => quality(collection, ({ id }) => best(found.get(id) ?? [], tuning, PAGE));
  const current = quality(collection, ({ text }) => searched(collection, text));
  if (Math.abs(ranked(TUNING) - current) > 0.0005)
    throw new Error(
      `${collection.name}: the ranking in memory is ${ranked(TUNING)}, the statement's ${current}`,
    );
  const measured = {
    name: collection.name,
    plain: quality(collection, ({ text }) => plain(collection, text)),
    current,
    byTuning: tunings.map(ranked),
  };
  collection.database.close();
  return measured;
}

const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** For a collection, the parameters that are best on all others, and their figures there and here. */
function fitFor(tested: Measured, all: Measured[], tunings: Tuning[]) {
  const others = all.filter((one) => one !== tested);
  const figures = tunings.map((_, place) => mean(others.map(({ byTuning }) => byTuning[place] ?? 0)));
  const place = figures.indexOf(Math.max(...figures));
  return { onOthers: figures[place] ?? 0, here: tested.byTuning[place] ?? 0, chosen: tunings[place] };
}

function main(folders: string[], { sample, fit }: { sample: number; fit: boolean }): void {
  const tunings = fit ? combinations() : [];
  const all = folders.map((folder) => measure(folder, sample, tunings));
  const shown = (figure: number) => figure.toFixed(4);
  const rows = all.map((tested) => {
    const row = [tested.name, shown(tested.plain), shown(tested.current)];
    if (!fit) return row;
    const { onOthers, here, chosen } = fitFor(tested, all, tunings);
    return [...row, shown(onOthers), shown(here), JSON.stringify(chosen)];
  });
  const fitted = ["others, chosen on them", "this one, with the same", "chosen"];
  printTable("nDCG@10", ["", "plain FTS5", "current", ...(fit ? fitted : [])], rows);
}

new Command("bench:fit")
  .argument("<folders...>", "collections, each with docs.jsonl, queries.jsonl and qrels.tsv")
  .option("--sample <n>", "run only this many of the queries", Number, Number.MAX_SAFE_INTEGER)
  .option("--no-fit", "only measure the current parameters")
  .action(main)
  .parse();
