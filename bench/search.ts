import { Command } from "commander";
import { applyMigrations } from "../scripts/common/migrations.ts";
import { documentResults, type SearchAnswer } from "../src/contract/search.ts";
import { temporaryFolder } from "../test/e2e/service.ts";
import { type Collection, readCollection, type Text } from "./collection.ts";
import { readLocomo } from "./locomo.ts";
import { plainMatch } from "./plain.ts";
import type { Serving } from "./processes.ts";
import { type Judgements, qualityOf } from "./quality.ts";
import { slipsOf } from "./slips.ts";
import { median, printTable } from "./table.ts";
import { fill, registerTenant, startMetered, type Tenant } from "./tenants.ts";
import type { Meter } from "./workers/meter.ts";
import type { Plain } from "./workers/search-parts.ts";

// `npm run bench:search -- <folder or locomo10.json>`: measures over HTTP how well the queries of a collection find their
// documents, next to plain FTS5 over the same documents. Each conversation of LoCoMo is a collection.

type Run = { ranking: Map<string, string[]>; times: number[]; rows: number[] };

async function runQueries(
  { url, headers }: Tenant,
  queries: Text[],
  names: Map<string, string>,
): Promise<Run> {
  const run: Run = { ranking: new Map(), times: [], rows: [] };
  for (const { id, text } of queries) {
    const start = performance.now();
    const query = new URLSearchParams({ q: text, limit: "100" });
    const answer = await fetch(`${url}/api/search?${query}`, { headers });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    const found = (await answer.json()) as SearchAnswer;
    run.times.push(performance.now() - start);
    run.rows.push((JSON.parse(answer.headers.get("X-Cost") ?? "{}") as Meter).rowsRead);
    run.ranking.set(
      id,
      documentResults(found).map(({ id: document }) => names.get(document) ?? ""),
    );
  }
  return run;
}

/** The same queries on one plain FTS5 table. */
async function runPlain({ url, owner }: Tenant, queries: Text[], names: Map<string, string>): Promise<Run> {
  const run: Run = { ranking: new Map(), times: [], rows: [] };
  for (const { id, text } of queries) {
    const start = performance.now();
    const query = new URLSearchParams({ owner: String(owner), q: plainMatch(text), limit: "100" });
    const found = (await (await fetch(`${url}/part/plain?${query}`)).json()) as Plain;
    run.times.push(performance.now() - start);
    run.rows.push(found.rows_read);
    run.ranking.set(
      id,
      found.records.map((document) => names.get(document) ?? ""),
    );
  }
  return run;
}

function row(name: string, judgements: Judgements, { ranking, times, rows }: Run): (string | number)[] {
  const { ndcg, mrr, recall10, recall, empty } = qualityOf(ranking, judgements);
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const figures = [ndcg, mrr, recall10, recall].map((figure) => figure.toFixed(4));
  return [name, ...figures, empty, median(times).toFixed(1), p99.toFixed(1), median(rows)];
}

type Options = { tenants: number; sample: number; slips: boolean };

const HEADINGS = [
  ...["", "nDCG@10", "MRR@10", "Recall@10", "Recall@100"],
  ...["no hit", "p50 ms", "p99 ms", "rows read"],
];

/** What was measured, by row. */
type Measured = Map<string, { judgements: Judgements; run: Run }>;

const print = (title: string, measured: Measured) =>
  printTable(
    title,
    HEADINGS,
    [...measured].map(([name, { judgements, run }]) => row(name, judgements, run)),
  );

/** The queries of several collections as those of one. */
function together(all: Measured[]): Measured {
  const joined: Measured = new Map();
  for (const [place, measured] of all.entries()) {
    for (const [name, { judgements, run }] of measured) {
      const none: Run = { ranking: new Map(), times: [], rows: [] };
      const sum = joined.get(name) ?? { judgements: new Map(), run: none };
      for (const [id, grades] of judgements) sum.judgements.set(`${place} ${id}`, grades);
      for (const [id, found] of run.ranking) sum.run.ranking.set(`${place} ${id}`, found);
      sum.run.times.push(...run.times);
      sum.run.rows.push(...run.rows);
      joined.set(name, sum);
    }
  }
  return joined;
}

async function measure(
  service: Serving,
  collection: Collection,
  options: Options,
  place: number,
): Promise<Measured> {
  const { name, documents: texts, judgements, queries } = collection;
  const documents = texts.map(({ id, title, text }) => ({ title: title ?? "", tags: [], text, id }));
  const owner = await registerTenant(service.url, `owner${place}@example.com`);
  const ids = await fill(owner, documents, true);
  const names = new Map(ids.map((id, index) => [id, texts[index]?.id ?? ""]));
  const measured: Measured = new Map();
  const ask = async (row: string, asked: Text[]) =>
    measured.set(row, { judgements, run: await runQueries(owner, asked, names) });
  measured.set("plain FTS5", { judgements, run: await runPlain(owner, queries, names) });
  await ask("alone", queries);
  if (options.slips) {
    const { typed, slipped, whole, wholeSlipped } = slipsOf(queries, texts);
    await ask("three words", typed);
    await ask("one typing error", slipped);
    await ask("whole queries", whole);
    await ask("one typing error in them", wholeSlipped);
  }
  for (let number = 0; number < options.tenants; number++) {
    await fill(await registerTenant(service.url, `foreign${place}-${number}@example.com`), documents);
  }
  if (options.tenants > 0) await ask(`among ${options.tenants} ×`, queries);
  print(`${name}: ${texts.length} documents, ${queries.length} queries`, measured);
  return measured;
}

async function main(path: string, options: Options): Promise<void> {
  const collections = path.endsWith(".json")
    ? readLocomo(path, options.sample)
    : [readCollection(path, options.sample)];
  const state = await temporaryFolder();
  await applyMigrations(state.path);
  const service = await startMetered(state.path);
  try {
    const all: Measured[] = [];
    for (const [place, collection] of collections.entries())
      all.push(await measure(service, collection, options, place));
    if (all.length > 1) print(`${path}: all queries`, together(all));
  } finally {
    await service.stop();
    await state.remove();
  }
}

const program = new Command("bench:search")
  .argument("<path>", "a folder with docs.jsonl, queries.jsonl and qrels.tsv, or LoCoMo's locomo10.json")
  .option("--tenants <n>", "repeat it beside this many tenants with the same documents", Number, 0)
  .option(
    "--slips",
    "also search for three words of each query, and for all, as they are and with one typing error",
    false,
  )
  .option("--sample <n>", "run only this many of the queries", Number, Number.MAX_SAFE_INTEGER)
  .action(main);
await program.parseAsync();
