import { applyMigrations } from "../scripts/start/migrations.ts";
import { startScript } from "./processes.ts";
import { median, printTable } from "./table.ts";
import { costOf, fill, registerTenant, type Tenant } from "./tenants.ts";
import { makeDocument, makeQuery } from "./texts.ts";
import type { Meter } from "./workers/meter.ts";

const TENANTS = [1, 10, 100];
const DOCUMENTS = 1000;
const QUERIES = 20;

async function newTenant(url: string, number: number): Promise<Tenant> {
  const tenant = await registerTenant(url, `tenant${number}@example.com`);
  // Every tenant has other documents, made of the same words.
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => makeDocument(number * DOCUMENTS + index));
  await fill(tenant, documents);
  return tenant;
}

/** The first tenant's searches: the rows that they read, and their time. */
async function searchCosts(client: Tenant): Promise<{ rows: number[]; ms: number }> {
  const rows: number[] = [];
  const times: number[] = [];
  for (let query = 0; query < QUERIES; query++) {
    const start = performance.now();
    const cost = await costOf(client, `/api/search?q=${encodeURIComponent(makeQuery(query))}`);
    times.push(performance.now() - start);
    rows.push(cost.rowsRead);
  }
  return { rows, ms: median(times) };
}

async function requestCosts(client: Tenant): Promise<[string, Meter][]> {
  const list = await fetch(`${client.url}/api/documents?limit=1`, { headers: client.headers });
  const { items } = (await list.json()) as { items: { id: string }[] };
  const path = `/api/documents/${items[0]?.id}`;
  const { title, tags, text } = makeDocument(1e6);
  const body = JSON.stringify({ title, tags, content: { format: "markdown", text } });
  const folder = { method: "POST", body: JSON.stringify({ name: "A folder" }) };
  return [
    ["health", await costOf(client, "/health")],
    ["me", await costOf(client, "/api/auth/me")],
    ["get", await costOf(client, path)],
    ["list, 20 of 1,000", await costOf(client, "/api/documents")],
    ["list by tag", await costOf(client, "/api/documents?tag=ba")],
    ["create", await costOf(client, "/api/documents", { method: "POST", body })],
    ["update", await costOf(client, path, { method: "PUT", body })],
    ["search, 3 words", await costOf(client, `/api/search?q=${encodeURIComponent(makeQuery(0))}`)],
    ["tags", await costOf(client, "/api/tags")],
    ["create a folder", await costOf(client, "/api/folders", folder)],
    ["delete", await costOf(client, path, { method: "DELETE" })],
  ];
}

/** Rows read and written per request, and what other tenants' documents add to a search: nothing. */
export async function benchCost(stateDir: string): Promise<void> {
  await applyMigrations(stateDir);
  const service = await startScript("bench/workers/metered.ts", "wrangler.toml", stateDir);
  const first = await newTenant(service.url, 0);
  const rows: (string | number)[][] = [];
  let baseline: string | undefined;
  let tenants = 1;
  for (const wanted of TENANTS) {
    if (wanted > 1) console.log(`Filling ${wanted} tenants with ${DOCUMENTS} documents each…`);
    for (; tenants < wanted; tenants++) await newTenant(service.url, tenants);
    const { rows: read, ms } = await searchCosts(first);
    baseline ??= read.join();
    rows.push([
      wanted,
      read.reduce((sum, count) => sum + count, 0),
      read.join() === baseline ? "yes" : "NO",
      ms.toFixed(1),
    ]);
  }
  printTable(
    `One tenant's ${QUERIES} searches among others (${DOCUMENTS} documents each)`,
    ["tenants", "rows read", "the same", "median ms"],
    rows,
  );
  const costs = await requestCosts(first);
  await service.stop();
  printTable(
    "Rows per request",
    ["request", "read", "written", "D1 calls"],
    costs.map(([name, { rowsRead, rowsWritten, calls }]) => [name, rowsRead, rowsWritten, calls]),
  );
}
