import { applyMigrations } from "../scripts/common/migrations.ts";
import { plainMatch } from "./plain.ts";
import { median, printTable } from "./table.ts";
import { costOf, fill, registerTenant, startMetered, type Tenant } from "./tenants.ts";
import { makeDocument, makeQuery, makeText } from "./texts.ts";

const DOCUMENTS = 1000;
const QUERIES = 20;
const ROUNDS = 5;
const ANALYSED = { characters: 200_000, times: 10 };

type Timed = { rows: number; ms: number };
type Way = (q: string) => Promise<number>;
const WAYS = ["search", "rank", "plain", "selectOne"] as const;
type Ways<Value> = Record<(typeof WAYS)[number], Value>;

async function newTenant(url: string, number: number): Promise<{ tenant: Tenant; bytes: number }> {
  const tenant = await registerTenant(url, `tenant${number}@example.com`);
  // Every tenant has different documents, made of the same words.
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => makeDocument(number * DOCUMENTS + index));
  await fill(tenant, documents, true);
  const bytes = documents.reduce((sum, { title, text }) => sum + title.length + text.length, 0);
  return { tenant, bytes };
}

/** Ways to ask the same question; each returns how many rows it read. */
function waysOf(tenant: Tenant): Ways<Way> {
  const part = (name: string) => async (q: string) => {
    const path = `/part/${name}?owner=${tenant.owner}&q=${encodeURIComponent(q)}`;
    const answer = await fetch(`${tenant.url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { rows_read: number }).rows_read;
  };
  return {
    search: async (q) => (await costOf(tenant, `/api/search?q=${encodeURIComponent(q)}`)).rowsRead,
    rank: part("rank"),
    plain: (q) => part("plain")(plainMatch(q)),
    selectOne: part("select-one"),
  };
}

/** The rows read by all queries and the median milliseconds, for each way. The ways take turns. */
async function time(ways: Ways<Way>): Promise<Ways<Timed>> {
  const runs: Ways<Timed[]> = { search: [], rank: [], plain: [], selectOne: [] };
  for (let turn = 0; turn < QUERIES * ROUNDS; turn++) {
    for (const name of WAYS) {
      const began = performance.now();
      const rows = await ways[name](makeQuery(turn % QUERIES));
      runs[name].push({ rows, ms: performance.now() - began });
    }
  }
  const summary = (timed: Timed[]): Timed => ({
    rows: timed.slice(0, QUERIES).reduce((sum, { rows }) => sum + rows, 0),
    ms: median(timed.map(({ ms }) => ms)),
  });
  return {
    search: summary(runs.search),
    rank: summary(runs.rank),
    plain: summary(runs.plain),
    selectOne: summary(runs.selectOne),
  };
}

function printSearches(found: [number, Ways<Timed>][]): void {
  const ms = ({ ms: milliseconds }: Timed) => milliseconds.toFixed(1);
  printTable(
    `One tenant's ${QUERIES} searches of 3 words among others (${DOCUMENTS} documents each, median ms of ${ROUNDS} rounds)`,
    [
      "tenants",
      "rows read",
      "of the statement",
      "plain FTS5",
      "search ms",
      "SELECT 1 ms",
      "statement ms",
      "plain FTS5 ms",
      "search ÷ (SELECT 1 + statement)",
    ],
    found.map(([tenants, { search, rank, plain, selectOne }]) => [
      tenants,
      search.rows,
      rank.rows,
      plain.rows,
      ms(search),
      ms(selectOne),
      ms(rank),
      ms(plain),
      (search.ms / (selectOne.ms + rank.ms)).toFixed(2),
    ]),
  );
}

/** Measures how many megabytes of text per second the analysis reads, in workerd. */
async function benchAnalysis(url: string): Promise<void> {
  const rows: string[][] = [];
  for (const script of ["Latin", "Cyrillic", "Chinese"] as const) {
    const body = makeText(script, ANALYSED.characters);
    const ask = async (times: number) => {
      const began = performance.now();
      await (await fetch(`${url}/part/analyse?times=${times}`, { method: "POST", body })).text();
      return performance.now() - began;
    };
    const speeds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const sending = await ask(0);
      const seconds = ((await ask(ANALYSED.times)) - sending) / 1000;
      speeds.push((Buffer.byteLength(body) * ANALYSED.times) / 1e6 / seconds);
    }
    rows.push([script, median(speeds).toFixed(1)]);
  }
  printTable("Analysis of text, in the Worker", ["", "MB/s"], rows);
}

/**
 * Measures what other tenants' documents add to a search (nothing) compared with the bare statements, the speed of the
 * analysis, and the size of the index.
 *
 * @param most the number of tenants at the end
 */
export async function benchTenancy(stateDir: string, most: number): Promise<void> {
  await applyMigrations(stateDir);
  const service = await startMetered(stateDir);
  const { tenant: first, bytes } = await newTenant(service.url, 0);
  const size = (await (await fetch(`${service.url}/part/index-bytes`)).json()) as number;
  const found: [number, Ways<Timed>][] = [];
  let tenants = 1;
  for (const wanted of new Set([1, Math.ceil(most / 10), most])) {
    if (wanted > 1) console.log(`Filling ${wanted} tenants with ${DOCUMENTS} documents each…`);
    for (; tenants < wanted; tenants++) await newTenant(service.url, tenants);
    found.push([wanted, await time(waysOf(first))]);
  }
  printSearches(found);
  console.log(`\n  The index takes ${(size / bytes).toFixed(2)} bytes for each byte of text.`);
  await benchAnalysis(service.url);
  await service.stop();
}
