import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type Home, parseHomes } from "../src/contract/homes.ts";
import { stoppedTarget } from "./common/targets.ts";
import { localFile } from "./common/source.ts";
import { runHourly } from "./start/cron.ts";
import type { Target } from "./start/forward.ts";
import { openFront } from "./start/front.ts";
import { untilHung } from "./start/hang.ts";
import { isHealthy, untilReady } from "./start/health.ts";
import { applyMigrations } from "./common/migrations.ts";
import { waitForPort } from "./start/ports.ts";
import { closeState, createPrivately } from "./start/private.ts";
import { killWithParent, parentGone, startWorker, stopWorker, type Worker } from "./start/processes.ts";
import { ensureSecrets } from "./start/secrets.ts";
import { homesSetting, readSettings, type Settings } from "./common/settings.ts";
import { claimState, type StateClaim } from "./start/state.ts";
import { welcome } from "./start/welcome.ts";

// `npm start`, after build.ts: the service on this machine, the API on one port and MCP on another.

const WATCH_MS = 1000;
const READY_MS = 60_000;
/** How long a new runtime may take to answer after the last one ended. */
const RESTART_MS = 30_000;
/** How long the ports of a killed copy may take to become free. */
const LEFT_BEHIND_MS = 10_000;

/** Throws if a port is taken, and says how to choose another one. */
async function requirePorts({ apiPort, mcpPort, host }: Settings, patience: number): Promise<void> {
  for (const [name, port] of Object.entries({ API_PORT: apiPort, MCP_PORT: mcpPort })) {
    if (await waitForPort(port, host, patience)) continue;
    const way = `choose another one: ${name}=${port + 10} npm start`;
    throw new Error(`Port ${port} is taken. Stop the program that uses it, or ${way}`);
  }
}

/** Stops the service; later calls have no effect. A problem is printed and makes the exit code 1. */
type Stop = (problem?: string) => Promise<void>;

/** The only way to exit: stops the Worker and releases the state folder. */
function stopper(worker: Worker, state: StateClaim): Stop {
  const guard = killWithParent(worker);
  let stopping = false;
  return async (problem) => {
    if (stopping) return;
    stopping = true;
    if (problem) console.error(problem);
    await stopWorker(worker);
    guard?.kill();
    state.release();
    process.exit(problem ? 1 : 0);
  };
}

/** Stops the service when it is asked to, when npm is gone, and when the Worker has exited or hangs. */
function stopWhenOver(worker: Worker, url: string, stop: Stop): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop());
  worker.process.once("exit", () => stop("The Worker ended unexpectedly; stopping."));
  setInterval(() => parentGone() && stop(), WATCH_MS);
  untilHung({ url: `${url}/health`, pid: () => worker.runtime }).then(() =>
    stop(
      "The Worker's runtime hangs: it has neither answered nor used processor time for minutes; stopping.",
    ),
  );
}

/** The set-up link of a copy that strangers can reach. Its modules take 50 MB, which a copy on localhost does not need. */
async function setUpLink(settings: Settings): Promise<string | undefined> {
  if (settings.isLocal) return undefined;
  return (await import("./start/set-up.ts")).setUpLink(settings);
}

/** Gives the databases of a copy with several of them the same key for push services. */
async function shareKeys(stateDir: string, homes: Home[]): Promise<void> {
  const { sharePushKeys } = await import("./homes/push-keys.ts");
  const [first, ...others] = homes.map(({ number }) => stoppedTarget(localFile(stateDir, number)));
  if (first) await sharePushKeys(first, others);
  for (const one of [first, ...others]) one?.close();
}

/** Prepares everything that the Worker needs to start. */
async function prepare({ stateDir }: Settings): Promise<void> {
  closeState(stateDir);
  ensureSecrets(resolve(".dev.vars"));
  console.log("Applying the migrations…");
  const homes = parseHomes(homesSetting(process.env));
  await applyMigrations(stateDir, homes);
  if (homes.length > 1) await shareKeys(stateDir, homes);
}

/** Opens the two ports in front of the Worker, and waits until it answers through them. */
async function serve(settings: Settings, target: Target, link: string | undefined): Promise<void> {
  const { host, names, apiPort, mcpPort } = settings;
  await openFront({ host, names, ports: [apiPort, mcpPort] }, target);
  if (!(await untilReady([settings.apiUrl, settings.mcpUrl], READY_MS)))
    throw new Error("The service did not answer within a minute; stopping.");
  welcome(settings, link);
  runHourly(target);
}

async function main(): Promise<void> {
  createPrivately();
  const settings = readSettings(process.env);
  const state = await claimState(settings, isHealthy);
  await requirePorts(settings, state.leftBehind ? LEFT_BEHIND_MS : 0);
  await prepare(settings).catch((problem: Error) => {
    state.release();
    throw problem;
  });

  const link = await setUpLink(settings);
  console.log("Starting…");
  const secret = randomBytes(32).toString("base64url");
  const assignment = { stateDir: settings.stateDir, vars: settings.vars, secret, address: settings.address };
  const worker = startWorker(assignment, async () => {
    console.error("The Worker's runtime ended; starting a new one.");
    const back = await untilReady([settings.apiUrl], RESTART_MS);
    if (!back) stop("The Worker's runtime ended and did not come back; stopping.");
  });
  const stop = stopper(worker, state);
  stopWhenOver(worker, settings.apiUrl, stop);
  await serve(settings, { ...(await worker.ports), secret }, link).catch(({ message }: Error) =>
    stop(message),
  );
}

main().catch((problem: Error) => {
  console.error(`\n${problem.message}\n`);
  process.exit(1);
});
