import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "commander";
import { planMatch } from "../src/search/match.ts";
import { parseQuery } from "../src/search/query.ts";
import { type RankedRow, rankStatement, TUNING, type Tuning } from "../src/search/rank.ts";
import { analyse, INDEX_VERSION } from "../src/text-index/analyse.ts";
import { readDocuments, readJudgements, readQueries, type Text } from "./collection.ts";
import { PLAIN_TOKENIZER, PLAIN_WEIGHTS, plainMatch } from "./plain.ts";
import { type Judgements, qualityOf } from "./quality.ts";
import { printTable } from "./table.ts";

// `npm run bench:fit -- <folder> <folder> …`: for each collection, chooses the parameters of the ranking on all others and
// tests them on this one, next to the current parameters and to plain FTS5. It runs the statement of a search in Node's
// SQLite, without HTTP and without the correction of typos.

const OWNER = 1;
const PAGE = 100;

/** The values that are tried for each parameter, one after the other, starting from the current parameters. */
const VALUES: Record<keyof Tuning, number[]> = {
  k1: [0.9, 1.2, 1.5],
  b: [0.5, 0.6, 0.75],
  title: [1, 2, 3],
  near: [0.15, 0.25, 0.35],
  exact: [0, 0.25, 0.5],
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

/** The documents that a query finds, best first. */
type Ranker = (collection: Collection, text: string) => string[];

const ranked =
  (tuning: Tuning): Ranker =>
  ({ database }, text) => {
    const range = { owner: OWNER, kinds: ["document"] as const, limit: PAGE, offset: 0 };
    const run = (relaxed: boolean) => {
      const plan = planMatch(OWNER, parseQuery(text), { relaxed });
      const { sql, params } = rankStatement(plan, range, tuning);
      const rows = database.prepare(sql).all(...params) as unknown as RankedRow[];
      return rows.flatMap(({ entry, record }) => (entry === null || record === null ? [] : [record]));
    };
    const found = run(false);
    return found.length > 0 ? found : run(true);
  };

const plain: Ranker = ({ database }, text) =>
  database
    .prepare(
      `SELECT record FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, ${PLAIN_WEIGHTS}) LIMIT ${PAGE}`,
    )
    .all(plainMatch(text))
    .map(({ record }) => String(record));

/** The figures so far by collection and parameters, so that nothing is measured twice. */
const measured = new Map<string, number>();

/** The nDCG@10 of a ranker on a collection. */
function measure(collection: Collection, ranker: Ranker, name: string): number {
  const key = `${collection.name} ${name}`;
  let ndcg = measured.get(key);
  if (ndcg === undefined) {
    const ranking = collection.queries.map(({ id, text }) => [id, ranker(collection, text)] as const);
    ndcg = qualityOf(new Map(ranking), collection.judgements).ndcg;
    measured.set(key, ndcg);
  }
  return ndcg;
}

const quality = (collection: Collection, tuning: Tuning) =>
  measure(collection, ranked(tuning), JSON.stringify(tuning));
const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The best parameters for some collections. */
function chooseFor(collections: Collection[]): Tuning {
  let best = TUNING;
  const figure = (tuning: Tuning) => mean(collections.map((one) => quality(one, tuning)));
  for (const [name, values] of Object.entries(VALUES)) {
    const tried = values.map((value) => ({ ...best, [name]: value }));
    best = tried.reduce((left, right) => (figure(right) > figure(left) ? right : left), best);
  }
  return best;
}

function main(folders: string[], { sample, fit: fitting }: { sample: number; fit: boolean }): void {
  const collections = folders.map((folder) => open(folder, sample));
  const shown = (figure: number) => figure.toFixed(4);
  const rows = collections.map((tested) => {
    const row = [tested.name, shown(measure(tested, plain, "plain")), shown(quality(tested, TUNING))];
    if (!fitting) return row;
    const others = collections.filter((one) => one !== tested);
    const chosen = chooseFor(others);
    const onOthers = mean(others.map((one) => quality(one, chosen)));
    return [...row, shown(onOthers), shown(quality(tested, chosen)), JSON.stringify(chosen)];
  });
  const fitted = ["others, chosen on them", "this one, with the same", "chosen"];
  printTable("nDCG@10", ["", "plain FTS5", "current", ...(fitting ? fitted : [])], rows);
}

new Command("bench:fit")
  .argument("<folders...>", "collections, each with docs.jsonl, queries.jsonl and qrels.tsv")
  .option("--sample <n>", "run only this many of the queries", Number, Number.MAX_SAFE_INTEGER)
  .option("--no-fit", "only measure the current parameters")
  .action(main)
  .parse();
