import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "commander";
import { planMatch } from "../src/search/match.ts";
import { parseQuery } from "../src/search/query.ts";
import { type RankedRow, rankStatement, TUNING, type Tuning } from "../src/search/rank.ts";
import { functionWords } from "../src/search/stop-words.ts";
import { analyse, INDEX_VERSION } from "../src/text-index/analyse.ts";
import { words } from "../src/text-index/words.ts";
import { lines, MAX_QUERY, readJudgements, readQueries, type Text } from "./collection.ts";
import { type Judgements, qualityOf } from "./quality.ts";
import { printTable } from "./table.ts";

// `npm run bench:fit -- <folder> <folder> …`: chooses the numbers of the ranking on all collections but one and tests
// them on that one, for each in turn, beside the numbers as they are and beside plain FTS5. Past HTTP, in SQLite.

const OWNER = 1;
const PAGE = 100;

/** What each number is tried with; a choice takes one step at a time from the numbers as they are. */
const STEPS: Record<keyof Tuning, number[]> = {
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
  database.exec("CREATE VIRTUAL TABLE plain USING fts5(record UNINDEXED, title, body, tokenize = 'porter')");
  const entry =
    database.prepare(`INSERT INTO search_entries (owner, kind, record, length, tokens, index_version)
    VALUES (${OWNER}, 'document', ?, ?, ?, ${INDEX_VERSION}) RETURNING entry`);
  const index = database.prepare(
    "INSERT INTO search_index (rowid, title, tags, body, extra) VALUES (?, ?, ?, ?, ?)",
  );
  const plain = database.prepare("INSERT INTO plain (record, title, body) VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const line of lines(folder, "docs.jsonl")) {
    const { id, title = "", text } = JSON.parse(line) as Text;
    const row = analyse(OWNER, { title, tags: [], body: text });
    const written = entry.get(id, row.length, row.tokens) as { entry: number };
    index.run(written.entry, row.title, row.tags, row.body, row.extra);
    plain.run(id, title, text);
  }
  database.exec("COMMIT");
  const judgements = readJudgements(folder);
  return { name: basename(folder), database, judgements, queries: readQueries(folder, judgements, sample) };
}

type Ranker = (collection: Collection, text: string) => string[];

const ranked =
  (tuning: Tuning): Ranker =>
  ({ database }, text) => {
    const scope = { owner: OWNER, kinds: ["document"] as const, limit: PAGE, offset: 0 };
    const run = (relaxed: boolean) => {
      const plan = planMatch(OWNER, parseQuery(text), { relaxed });
      const { sql, params } = rankStatement(plan, scope, tuning);
      const rows = database.prepare(sql).all(...params) as unknown as RankedRow[];
      return rows.flatMap(({ entry, record }) => (entry === null || record === null ? [] : [record]));
    };
    const found = run(false);
    return found.length > 0 ? found : run(true);
  };

/** FTS5 as it comes: Porter's stems, any of the words without function words, each up to three times, the title twice. */
const plainly: Ranker = ({ database }, text) => {
  const all = words(text).map((word) => word.text);
  const dropped = functionWords(all);
  const said = new Map<string, number>();
  const kept = all.filter((word) => {
    said.set(word, (said.get(word) ?? 0) + 1);
    return !dropped.has(word) && (said.get(word) ?? 0) <= 3;
  });
  const rows = database
    .prepare(`SELECT record FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, 2, 1) LIMIT ${PAGE}`)
    .all(kept.map((word) => `"${word}"`).join(" OR ") || '""') as { record: string }[];
  return rows.map(({ record }) => record);
};

/** nDCG@10 of each way to rank that was tried, so that none is tried twice. */
const measured = new Map<string, number>();

function measure(collection: Collection, ranker: Ranker, name: string): number {
  const key = `${collection.name} ${name}`;
  let ndcg = measured.get(key);
  if (ndcg === undefined) {
    const ask = ({ id, text }: Text) => [id, ranker(collection, text.slice(0, MAX_QUERY))] as const;
    ndcg = qualityOf(new Map(collection.queries.map(ask)), collection.judgements).ndcg;
    measured.set(key, ndcg);
  }
  return ndcg;
}

const quality = (collection: Collection, tuning: Tuning) =>
  measure(collection, ranked(tuning), JSON.stringify(tuning));
const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The best numbers for some collections, one number after the other. */
function chooseFor(collections: Collection[]): Tuning {
  let best = TUNING;
  for (const [name, values] of Object.entries(STEPS)) {
    const tried = values.map((value) => ({ ...best, [name]: value }));
    const figure = (tuning: Tuning) => mean(collections.map((one) => quality(one, tuning)));
    best = tried.reduce((left, right) => (figure(right) > figure(left) ? right : left), best);
  }
  return best;
}

function main(folders: string[], { sample, fit: fitting }: { sample: number; fit: boolean }): void {
  const collections = folders.map((folder) => open(folder, sample));
  const rows = collections.map((tested) => {
    const figures = [measure(tested, plainly, "plain"), quality(tested, TUNING)];
    if (!fitting) return [tested.name, ...figures.map((figure) => figure.toFixed(4))];
    const chosen = chooseFor(collections.filter((one) => one !== tested));
    figures.push(quality(tested, chosen));
    return [tested.name, ...figures.map((figure) => figure.toFixed(4)), JSON.stringify(chosen)];
  });
  printTable(
    "nDCG@10",
    ["tested on", "plain FTS5", "as it is", ...(fitting ? ["fitted on the others", "with"] : [])],
    rows,
  );
}

new Command("bench:fit")
  .argument("<folders...>", "collections, each with docs.jsonl, queries.jsonl and qrels.tsv")
  .option("--sample <n>", "ask so many of the queries", Number, Number.MAX_SAFE_INTEGER)
  .option("--no-fit", "only measure the numbers as they are")
  .action(main)
  .parse();
