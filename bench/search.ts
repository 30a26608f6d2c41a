import { Command } from "commander";
import { applyMigrations } from "../scripts/start/migrations.ts";
import { documentsOf, type SearchAnswer } from "../src/search/schema.ts";
import { temporaryFolder } from "../test/e2e/service.ts";
import { readDocuments, readJudgements, readQueries, type Text } from "./collection.ts";
import { plainMatch } from "./plain.ts";
import { type Judgements, qualityOf } from "./quality.ts";
import { slipsOf } from "./slips.ts";
import { median, printTable } from "./table.ts";
import { fill, registerTenant, startMetered, type Tenant } from "./tenants.ts";
import type { Meter } from "./workers/meter.ts";
import type { Plain } from "./workers/search-parts.ts";

// `npm run bench:search -- <folder>`: measures over HTTP how well the queries of a collection find their documents,
// next to plain FTS5 over the same documents.

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
    const found = (await answer.json()) as SearchAnswer;
    run.times.push(performance.now() - start);
    run.rows.push((JSON.parse(answer.headers.get("X-Cost") ?? "{}") as Meter).rowsRead);
    run.ranking.set(
      id,
      documentsOf(found).map(({ id: document }) => names.get(document) ?? ""),
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
  const { ndcg, mrr, recall, empty } = qualityOf(ranking, judgements);
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const figures = [ndcg, mrr, recall].map((figure) => figure.toFixed(4));
  return [name, ...figures, empty, median(times).toFixed(1), p99.toFixed(1), median(rows)];
}

type Options = { tenants: number; sample: number; slips: boolean };

async function main(folder: string, { tenants, sample, slips }: Options): Promise<void> {
  const judgements = readJudgements(folder);
  const queries = readQueries(folder, judgements, sample);
  const texts = readDocuments(folder);
  const documents = texts.map(({ id, title, text }) => ({ title: title ?? "", tags: [], text, id }));
  const state = await temporaryFolder();
  await applyMigrations(state.path);
  const service = await startMetered(state.path);
  try {
    const owner = await registerTenant(service.url, "owner@example.com");
    const ids = await fill(owner, documents, true);
    const names = new Map(ids.map((id, index) => [id, texts[index]?.id ?? ""]));
    const rows = [
      row("plain FTS5", judgements, await runPlain(owner, queries, names)),
      row("alone", judgements, await runQueries(owner, queries, names)),
    ];
    if (slips) {
      const { typed, slipped } = slipsOf(queries, texts);
      rows.push(row("three words", judgements, await runQueries(owner, typed, names)));
      rows.push(row("one typing error", judgements, await runQueries(owner, slipped, names)));
    }
    for (let number = 0; number < tenants; number++) {
      await fill(await registerTenant(service.url, `foreign${number}@example.com`), documents);
    }
    if (tenants > 0)
      rows.push(row(`among ${tenants} ×`, judgements, await runQueries(owner, queries, names)));
    const headings = ["", "nDCG@10", "MRR@10", "Recall@100", "no hit", "p50 ms", "p99 ms", "rows read"];
    printTable(`${folder}: ${texts.length} documents, ${queries.length} queries`, headings, rows);
  } finally {
    await service.stop();
    await state.remove();
  }
}

const program = new Command("bench:search")
  .argument("<folder>", "docs.jsonl, queries.jsonl and qrels.tsv")
  .option("--tenants <n>", "repeat it beside this many tenants with the same documents", Number, 0)
  .option(
    "--slips",
    "also search for three words of each query, as they are and with one typing error",
    false,
  )
  .option("--sample <n>", "run only this many of the queries", Number, Number.MAX_SAFE_INTEGER)
  .action(main);
await program.parseAsync();
