import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type autocannon from "autocannon";
import type { Ports } from "../test/e2e/service.ts";
import { type Copy, here } from "./copies.ts";
import { openSession } from "./mcp.ts";
import { startScript } from "./processes.ts";
import { ROWS } from "./rows.ts";
import { type Subject, signIn } from "./subject.ts";
import type { Usage } from "./workers/counted.ts";

const WORKERS = "bench/workers";

/** The usage of each row, and of starting an MCP session. */
export type Counts = { rows: Usage[]; initialize: Usage };

const PAUSE_MS = 50;

/** The usage since it was last read, when nothing is used any more: some work goes on after its answer. */
async function usageUntilQuiet(url: string): Promise<Usage> {
  const used = (await (await fetch(`${url}/cost`)).json()) as Usage;
  if (Object.values(used).every((count) => count === 0)) return used;
  await setTimeout(PAUSE_MS);
  const more = await usageUntilQuiet(url);
  const names = Object.keys(used) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, used[name] + more[name]])) as Usage;
}

/** The usage of a step alone. */
export async function usageOf(url: string, step: () => Promise<unknown>): Promise<Usage> {
  await usageUntilQuiet(url);
  await step();
  return usageUntilQuiet(url);
}

/** Sends a request and reads its answer to the end. Throws unless it succeeds. */
export async function send(
  url: string,
  { method = "GET", path, headers, body }: autocannon.Request,
): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true'))
    throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

/** Counts the usage of each row, on the state that `npm start` of the same copy has left. */
export async function countRows(
  copy: Copy,
  stateDir: string,
  ports: Ports,
  subject: Subject,
): Promise<Counts> {
  // Every commit is measured with the same meter.
  mkdirSync(join(copy.root, WORKERS), { recursive: true });
  if (copy !== here)
    for (const file of ["meter.ts", "counted.ts"])
      copyFileSync(join(WORKERS, file), join(copy.root, WORKERS, file));
  const { url, stop } = await startScript({
    script: `${WORKERS}/counted.ts`,
    config: "wrangler.toml",
    stateDir,
    root: copy.root,
    // Tokens are bound to this address.
    port: ports.mcp,
    vars: { REGISTRATION: "open", MCP_URL: `http://localhost:${ports.mcp}/mcp`, RATE_LIMIT_LOGIN: "1000/60" },
  });
  await signIn(url, subject);
  const rows: Usage[] = [];
  for (const { request } of ROWS) {
    // The first request may also record that its token or session is in use.
    await send(url, request(subject));
    rows.push(await usageOf(url, () => send(url, request(subject))));
  }
  const initialize = await usageOf(url, () => openSession(url, subject.mcp.token));
  await stop();
  return { rows, initialize };
}
