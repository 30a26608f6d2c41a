import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { runHourly } from "./start/cron.ts";
import { isHealthy, untilReady, watchHealth } from "./start/health.ts";
import { applyMigrations } from "./start/migrations.ts";
import { waitForPort } from "./start/ports.ts";
import {
  killWithParent,
  parentGone,
  registryOf,
  startWorker,
  stopAll,
  type Worker,
} from "./start/processes.ts";
import { ensureSecrets } from "./start/secrets.ts";
import { readSettings, type Settings } from "./start/settings.ts";
import { claimState, type StateClaim } from "./start/state.ts";

// `npm start`: the service on this machine, the API on one port and MCP on another.

const WATCH_MS = 1000;
/** How long a copy that was killed may take to let go of its ports. */
const LEFT_BEHIND_MS = 10_000;

function welcome({ apiUrl, mcpUrl, stateDir }: Settings): void {
  console.log(`
  Commonplace is running.

    API   ${apiUrl}
    MCP   ${mcpUrl}/mcp

  What to do next:
    - read and try the API:  ${apiUrl}/docs
    - make an account:       curl -X POST ${apiUrl}/api/auth/register \\
                               -H 'Content-Type: application/json' \\
                               -d '{"email": "you@example.com", "password": "at least 8 bytes"}'
    - bring your notes:      npm run import -- <folder> --url ${apiUrl} --email you@example.com

  Your data is in ${stateDir}. Ctrl-C stops both ports.
`);
}

/** Throws when a port is taken, and says how to choose another one. */
async function needPorts({ apiPort, mcpPort, host }: Settings, patience: number): Promise<void> {
  for (const [name, port] of Object.entries({ API_PORT: apiPort, MCP_PORT: mcpPort })) {
    if (await waitForPort(port, host, patience)) continue;
    const way = `choose another one: ${name}=${port + 10} npm start`;
    throw new Error(`Port ${port} is taken. Stop the program that uses it, or ${way}`);
  }
}

/** The one way out: ends the Workers, lets go of the state folder, exits. */
function stopper(workers: Worker[], state: StateClaim): (code: number) => Promise<void> {
  const guard = killWithParent(workers);
  let stopping = false;
  return async (code) => {
    if (stopping) return;
    stopping = true;
    await stopAll(workers);
    guard?.kill();
    state.release();
    process.exit(code);
  };
}

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const state = await claimState(settings, isHealthy);
  await needPorts(settings, state.leftBehind ? LEFT_BEHIND_MS : 0);
  ensureSecrets(resolve(".dev.vars"));
  console.log("Applying the migrations…");
  await applyMigrations(settings.stateDir);

  console.log("Starting…");
  // What a killed copy registered would lead the MCP port to a Worker that is gone.
  rmSync(registryOf(settings.stateDir), { recursive: true, force: true });
  const workers = [startWorker("API", settings), startWorker("MCP port", settings)];
  const stop = stopper(workers, state);
  const stopBecause = (problem: string) => {
    console.error(problem);
    return stop(1);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0));
  const ended = () => workers.find((worker) => worker.exited);
  setInterval(() => {
    const worker = ended();
    if (parentGone()) stop(0);
    else if (worker) stopBecause(`The ${worker.name} ended unexpectedly; stopping.`);
  }, WATCH_MS);

  const urls = [settings.apiUrl, settings.mcpUrl];
  if (!(await untilReady(urls))) return stopBecause("The service did not answer within a minute; stopping.");
  welcome(settings);
  runHourly(settings.apiUrl);
  watchHealth(urls, (url) => stopBecause(`${url} stopped answering; stopping.`));
}

main().catch((problem: Error) => {
  console.error(`\n${problem.message}\n`);
  process.exit(1);
});
