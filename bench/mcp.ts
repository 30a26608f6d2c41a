import type autocannon from "autocannon";
import { register, startService } from "../test/e2e/service.ts";
import { grantToken } from "./grant.ts";
import { type Load, runAll } from "./speed.ts";
import { median, printTable } from "./table.ts";

export const ACCOUNT = { email: "bench@example.com", password: "a password for the bench" };
export const RECORDS = 500;
const SESSIONS = 10;
const STARTS = 20;

export const CALL = { name: "list_memories", arguments: { view: "active", limit: 20 } };
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

const ACCEPT = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

const message = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Opens a session; answers its id and how many milliseconds that took. */
export async function openSession(url: string, token: string): Promise<{ id: string; took: number }> {
  const began = performance.now();
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...ACCEPT, Authorization: `Bearer ${token}` },
    body: message("initialize", {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    }),
  });
  await answer.text();
  return { id: answer.headers.get("Mcp-Session-Id") ?? "", took: performance.now() - began };
}

/** The call in a session. */
export const sessionRequest = (token: string, session: string) => ({
  method: "POST" as const,
  path: "/mcp",
  headers: {
    ...ACCEPT,
    Authorization: `Bearer ${token}`,
    "Mcp-Session-Id": session,
    "MCP-Protocol-Version": LEGACY,
  },
  body: message("tools/call", CALL),
});

/** The call without a session. */
export const statelessRequest = (token: string) => ({
  method: "POST" as const,
  path: "/mcp",
  headers: {
    ...ACCEPT,
    Authorization: `Bearer ${token}`,
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": CALL.name,
  },
  body: message("tools/call", {
    ...CALL,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  }),
});

/** The same question over REST, in a session, and without one. */
function loadsOf(apiUrl: string, mcpUrl: string, tokens: { api: string; mcp: string }, sessions: string[]) {
  let turn = 0;
  const inSession = () => sessionRequest(tokens.mcp, sessions[turn++ % sessions.length] ?? "");
  const rest = (): autocannon.Request => ({
    method: "GET",
    path: "/api/dashboard/commitments?limit=20",
    headers: { Authorization: `Bearer ${tokens.api}` },
  });
  const loads: Load[] = [
    { name: "REST, API port", url: apiUrl, request: rest },
    { name: "REST, MCP port", url: mcpUrl, request: rest },
    { name: `MCP ${MODERN}, OAuth`, url: mcpUrl, request: () => statelessRequest(tokens.mcp) },
    { name: `MCP ${LEGACY}, OAuth`, url: mcpUrl, request: inSession },
  ];
  return loads;
}

/** Gives an account records to ask for. */
export async function makeRecords(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  for (let number = 0; number < RECORDS; number++) {
    const body = JSON.stringify({
      memory_type: "commitment",
      topic: `Record ${number}`,
      content: "Promised",
    });
    await fetch(`${url}/api/memories`, { method: "POST", headers, body });
  }
}

/** Tool calls of both generations beside the same store function over REST, and what a session costs to begin. */
export async function benchMcp(stateDir: string): Promise<void> {
  const service = await startService(stateDir);
  const api = await register(service.apiUrl, ACCOUNT);
  await makeRecords(service.apiUrl, api);
  const mcp = await grantToken(service.mcpUrl, ACCOUNT);
  const url = `${service.mcpUrl}/mcp`;
  const sessions: string[] = [];
  for (let count = 0; count < SESSIONS; count++) sessions.push((await openSession(url, mcp)).id);
  const speeds = await runAll(loadsOf(service.apiUrl, service.mcpUrl, { api, mcp }, sessions));
  const baseline = speeds.get("REST, MCP port")?.perSecond ?? Number.NaN;
  printTable(
    `The same 20 of ${RECORDS} records, over REST and as a tool call`,
    ["", "per second", "p50 ms", "p99 ms", "ratio to REST, same port"],
    [...speeds].map(([name, { perSecond, p50, p99 }]) => [
      name,
      perSecond.toFixed(0),
      p50,
      p99,
      (perSecond / baseline).toFixed(2),
    ]),
  );
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count++) starts.push((await openSession(url, mcp)).took);
  console.log(`\n  A new session begins in ${median(starts).toFixed(0)} ms (median of ${STARTS}).`);
  await service.stop();
}
