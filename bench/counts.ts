import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type autocannon from "autocannon";
import type { Ports } from "../test/e2e/service.ts";
import { type Copy, here } from "./copies.ts";
import { openSession } from "./mcp.ts";
import { startScript } from "./processes.ts";
import { ROWS } from "./rows.ts";
import { type Subject, signIn } from "./subject.ts";
import type { Usage } from "./workers/counted.ts";

const WORKERS = "bench/workers";

/** What each row uses, and what the beginning of an MCP session uses. */
export type Counts = { rows: Usage[]; initialize: Usage };

/** What a step used, after everything before it has been counted away. */
async function usageOf(url: string, step: () => Promise<unknown>): Promise<Usage> {
  const read = async () => (await (await fetch(`${url}/cost`)).json()) as Usage;
  await read();
  await step();
  return read();
}

/** Sends a request and reads its answer to the end. Throws unless it succeeds. */
async function send(url: string, { method = "GET", path, headers, body }: autocannon.Request): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true'))
    throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

/** Counts the rows for a subject on the state that `npm start` of the same copy has left. */
export async function countRows(
  copy: Copy,
  stateDir: string,
  ports: Ports,
  subject: Subject,
): Promise<Counts> {
  // The same meter for every commit.
  mkdirSync(join(copy.root, WORKERS), { recursive: true });
  if (copy !== here)
    for (const file of ["meter.ts", "counted.ts"])
      copyFileSync(join(WORKERS, file), join(copy.root, WORKERS, file));
  const { url, stop } = await startScript({
    script: `${WORKERS}/counted.ts`,
    config: "wrangler.toml",
    stateDir,
    root: copy.root,
    // Tokens are for this address.
    port: ports.mcp,
    vars: { MCP_URL: `http://localhost:${ports.mcp}/mcp`, RATE_LIMIT_LOGIN: "1000/60" },
  });
  await signIn(url, subject);
  const rows: Usage[] = [];
  for (const { request } of ROWS) {
    // The first one may note that a token or a session is in use again.
    await send(url, request(subject));
    rows.push(await usageOf(url, () => send(url, request(subject))));
  }
  const initialize = await usageOf(url, () => openSession(url, subject.mcp.token));
  await stop();
  return { rows, initialize };
}
