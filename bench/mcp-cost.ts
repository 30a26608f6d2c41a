import { applyMigrations } from "../scripts/start/migrations.ts";
import { register } from "../test/e2e/service.ts";
import { grantToken } from "./grant.ts";
import { ACCOUNT, CALL, makeRecords, openSession, RECORDS, sessionRequest, statelessRequest } from "./mcp.ts";
import { startScript } from "./processes.ts";
import { printTable } from "./table.ts";
import type { Usage } from "./workers/metered-objects.ts";

const WARM_CALLS = 10;

type Call = { method: "POST"; headers: Record<string, string>; body: string };

/** What a step used, after everything before it has been counted away. Its answer is read to the end. */
async function usageOf(url: string, step: () => Promise<unknown>): Promise<Usage> {
  const read = async () => (await (await fetch(`${url}/cost`)).json()) as Usage;
  await read();
  await step();
  return read();
}

const cells = (name: string, { objects, stored, rowsRead, rowsWritten, calls, kv }: Usage, times = 1) => [
  name,
  ...[objects, stored, rowsRead, rowsWritten, calls, kv].map((count) => +(count / times).toFixed(2)),
];

/** What tool calls of both generations and the beginning of a session use: Durable Objects, D1 and KV. */
export async function benchMcpCost(stateDir: string): Promise<void> {
  await applyMigrations(stateDir);
  const service = await startScript("bench/workers/metered-objects.ts", "wrangler.toml", stateDir);
  const { url } = service;
  const api = await register(url, ACCOUNT);
  await makeRecords(url, api);
  const token = await grantToken(url, ACCOUNT);
  const send = async (request: Call) => {
    const answer = await fetch(`${url}/mcp`, { ...request, headers: { ...request.headers } });
    const text = await answer.text();
    if (!text.includes("structuredContent")) throw new Error(`${answer.status} ${text}`);
  };
  const inTurn = async (request: Call) => {
    for (let call = 0; call < WARM_CALLS; call++) await send(request);
  };
  const rest = async () => {
    const answer = await fetch(`${url}/api/dashboard/commitments?limit=20`, {
      headers: { Authorization: `Bearer ${api}` },
    });
    await answer.text();
  };
  await send(statelessRequest(token));
  let id = "";
  const begun = await usageOf(url, async () => {
    id = (await openSession(`${url}/mcp`, token)).id;
  });
  const session = sessionRequest(token, id);
  printTable(
    `What ${CALL.name} (20 of ${RECORDS} records) uses, each`,
    ["", "object requests", "object writes", "D1 rows read", "rows written", "D1 calls", "KV calls"],
    [
      cells("REST", await usageOf(url, rest)),
      cells("MCP 2026-07-28, OAuth", await usageOf(url, () => inTurn(statelessRequest(token))), WARM_CALLS),
      cells("MCP 2025-11-25: initialize", begun),
      cells("MCP 2025-11-25, OAuth", await usageOf(url, () => inTurn(session)), WARM_CALLS),
    ],
  );
  await service.stop();
}
