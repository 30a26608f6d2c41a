import { documentResults, type SearchAnswer } from "../src/contract/search.ts";
import { until } from "../test/e2e/service.ts";
import { type Account, createMany, newAccount, send } from "./account.ts";
import {
  type Collection,
  generated,
  plainSearch,
  qualityOf,
  readCollection,
  slipsOf,
  type Text,
} from "./collection.ts";
import { type Copy, startCopy, startCounted } from "./copies.ts";
import type { Usage } from "./counted.ts";
import { type Case, type Figures, measureInTurns, median, printMeasured, quantile } from "./figures.ts";

// How well and at what cost the queries of a collection find its documents over HTTP, next to plain FTS5, alone and beside
// others with the same documents.

const FOUND = 100;

/** An account with the documents of a collection, on a copy that counts. `names` are the collection's, by document. */
type Filled = { account: Account; names: Map<string, string> };

async function fillWith(url: string, name: string, texts: Text[]): Promise<Filled> {
  const account = await newAccount({ apiUrl: url, mcpUrl: url }, name);
  // The API wants a title; a full stop is none of the words that are found.
  const documents = texts.map(({ title, text }) => ({
    title: title || ".",
    content: { format: "markdown", text },
  }));
  const ids = await createMany<string>(account, "documents", documents);
  // Until nothing is left to be indexed.
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

/** The rows that a copy has read since this was last asked. */
const rowsReadOf = async ({ account }: Filled) =>
  (JSON.parse((await send({ url: `${account.apiUrl}/cost` })).text) as Usage).rowsRead;

/** Asks all queries: how well they are answered, how fast, and how many rows are read. */
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

export type SearchOptions = {
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

/** Measures each collection, or without one generated texts. */
export async function benchSearch(copies: Copy[], stateDir: string, options: SearchOptions): Promise<void> {
  const { collections, sample } = options;
  const all = collections?.map((folder) => readCollection(folder, sample)) ?? [generated()];
  const services = [];
  for (const copy of copies) {
    // Its own start creates its database.
    const { stop, ports, stateDir: folder } = await startCopy(copy, `${stateDir}-${services.length}`);
    await stop();
    services.push(await startCounted(copy, folder, ports.mcp));
  }
  for (const collection of all)
    await benchCollection(
      services.map(({ url }) => url),
      collection,
      options,
    );
  for (const { stop } of services) await stop();
}
