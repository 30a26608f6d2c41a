import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import getPort from "get-port";
import { findRunningOperator } from "../common/copy-databases.ts";
import type { OperatorEndpoint } from "../common/operator.ts";

// Finds the copy that serves a state folder, or starts one in the background, which outlives the command.

const START_MS = 120_000;
const POLL_MS = 200;
const LOG_LINES = 15;

/** The running copy; undefined without one, or while it is starting. */
export const findRunningCopy = (stateDir: string): Promise<OperatorEndpoint | undefined> =>
  findRunningOperator(stateDir).catch(() => undefined);

/** The configured ports, or the default ones, or free ones if those are taken, also by each other. */
export async function choosePorts({ API_PORT, MCP_PORT }: NodeJS.ProcessEnv) {
  const api = API_PORT ?? String(await getPort({ port: 8000, exclude: MCP_PORT ? [Number(MCP_PORT)] : [] }));
  const mcp = MCP_PORT ?? String(await getPort({ port: 8001, exclude: [Number(api)] }));
  return { API_PORT: api, MCP_PORT: mcp };
}

/** Without npm's variable for scripts, which would make the copy stop together with npm (`isParentGone`). */
function withoutNpmLifecycle(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { npm_lifecycle_event: _, ...rest } = environment;
  return rest;
}

async function startCopy(program: string, log: string): Promise<ChildProcess> {
  const output = openSync(log, "w", 0o600);
  const env = { ...withoutNpmLifecycle(process.env), ...(await choosePorts(process.env)) };
  const flags = ["--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, program, "start"], {
    env,
    detached: true,
    stdio: ["ignore", output, output],
  });
  child.unref();
  return child;
}

const lastLines = (log: string) => readFileSync(log, "utf8").trim().split("\n").slice(-LOG_LINES).join("\n");

/** The copy that serves this folder, started if necessary. Throws with the copy's output if it does not start. */
export async function ensureRunningCopy(stateDir: string, program: string): Promise<OperatorEndpoint> {
  const running = await findRunningCopy(stateDir);
  if (running) return running;
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const log = join(stateDir, "log");
  console.error(`Starting Commonplace with the data in ${stateDir}…`);
  const child = await startCopy(program, log);
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const copy = await findRunningCopy(stateDir);
    if (copy && (await isServing(copy))) return copy;
    // Another program may have started a copy at the same moment. Then ours exits, and theirs is found.
    if (child.exitCode !== null && !copy && !(await isStarting(stateDir))) break;
    await sleep(POLL_MS);
  }
  throw new Error(`Commonplace did not start:\n${lastLines(log)}`);
}

const isServing = ({ mcp_url = "" }: OperatorEndpoint) =>
  fetch(new URL("/health", mcp_url)).then(
    ({ ok }) => ok,
    () => false,
  );

const isStarting = (stateDir: string) =>
  findRunningOperator(stateDir).then(
    (copy) => copy !== undefined,
    () => true,
  );
