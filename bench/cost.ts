import { applyMigrations } from "../scripts/start/migrations.ts";
import { printTable } from "./table.ts";
import { costOf, fill, registerTenant, startMetered, type Tenant } from "./tenants.ts";
import { makeDocument, makeQuery } from "./texts.ts";
import type { Meter } from "./workers/meter.ts";

const DOCUMENTS = 1000;

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

/** Rows read and written per request of a user with 1,000 documents. */
export async function benchCost(stateDir: string): Promise<void> {
  await applyMigrations(stateDir);
  const service = await startMetered(stateDir);
  const tenant = await registerTenant(service.url, "tenant@example.com");
  await fill(
    tenant,
    Array.from({ length: DOCUMENTS }, (_, index) => makeDocument(index)),
  );
  const costs = await requestCosts(tenant);
  await service.stop();
  printTable(
    "Rows per request",
    ["request", "read", "written", "D1 calls"],
    costs.map(([name, { rowsRead, rowsWritten, calls }]) => [name, rowsRead, rowsWritten, calls]),
  );
}
