import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { analyse, INDEX_VERSION } from "../src/engine/analyse.ts";
import { planQuery } from "../src/engine/plan-query.ts";
import { type RankedRow, rankStatement } from "../src/engine/rank.ts";
import { TUNING, type Tuning } from "../src/engine/score.ts";
import { parseQuery } from "../src/shared/query/query.ts";
import { type Collection, plainSearch, qualityOf, readCollection, type Text } from "./collection.ts";
import { printTable } from "./figures.ts";

// For each collection, chooses the parameters of the ranking on all others and tests them on this one, next to the current
// parameters and to plain FTS5. It runs the statement of a search in Node's SQLite, without HTTP and without the correction
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

/** An index of the documents as the service makes it. */
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
function search(database: DatabaseSync, text: string, tuning: Tuning): string[] {
  const range = { owner: OWNER, kinds: ["document"] as const, limit: PAGE, offset: 0 };
  const run = (relaxed: boolean) => {
    const { sql, params } = rankStatement(planQuery(OWNER, parseQuery(text), { relaxed }), range, tuning);
    const rows = database.prepare(sql).all(...params) as unknown as RankedRow[];
    return rows.flatMap(({ entry, record }) => (entry === null || record === null ? [] : [record]));
  };
  const found = run(false);
  return found.length > 0 ? found : run(true);
}

/** A collection, and its nDCG@10 with any parameters; each is measured once. */
type Fitted = { name: string; plain: number; quality: (tuning: Tuning) => number };

function open({ name, documents, queries, judgements }: Collection): Fitted {
  const ndcg = (find: (text: string) => string[]) =>
    qualityOf(new Map(queries.map(({ id, text }) => [id, find(text)])), judgements)["nDCG@10"] ?? 0;
  const [database, plain] = [indexOf(documents), plainSearch(documents)];
  const known = new Map<string, number>();
  const quality = (tuning: Tuning) => {
    const key = JSON.stringify(tuning);
    const figure = known.get(key) ?? ndcg((text) => search(database, text, tuning));
    known.set(key, figure);
    return figure;
  };
  return { name, plain: ndcg((text) => plain(text, PAGE)), quality };
}

const meanQuality = (all: Fitted[], tuning: Tuning) =>
  all.reduce((sum, { quality }) => sum + quality(tuning), 0) / all.length;

/** The best parameters for these collections: each is tried with all of its values, until nothing gets better. */
function chooseTuning(all: Fitted[], from: Tuning = TUNING): Tuning {
  let best = from;
  for (const [name, values] of Object.entries(VALUES))
    for (const tuning of values.map((value) => ({ ...best, [name]: value })))
      if (meanQuality(all, tuning) > meanQuality(all, best)) best = tuning;
  return best === from ? best : chooseTuning(all, best);
}

/** Prints the quality of the current parameters, and of those that are chosen on the other collections. */
export function benchFit(folders: string[], sample: number): void {
  const all = folders.map((folder) => open(readCollection(folder, sample)));
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
