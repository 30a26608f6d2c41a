import { resolve } from "node:path";
import { parseShards, type Shard } from "../../src/contract/shards.ts";
import { openStoppedDatabase } from "../common/copy-databases.ts";
import { requireDatabaseFile } from "../common/local-database.ts";
import { applyMigrations } from "../common/migrations.ts";
import { homesSetting, type ServiceSettings, secretsFile } from "../common/settings.ts";
import type { ServingCommand, StateClaim } from "../common/state.ts";
import { explainStateProblem } from "../common/state-problems.ts";
import { checkState } from "./check-state.ts";
import { restrictStateFolder } from "./file-permissions.ts";
import { waitForPort } from "./ports.ts";
import { isParentGone, startWatchdog, stopWorker, type WorkerProcess } from "./processes.ts";
import { ensureSecrets } from "./secrets.ts";

// How `npm start` and `npm run dev` start and stop.

const PARENT_CHECK_MS = 1000;
/** How long the ports of a killed copy may take to become free. */
const RELEASE_TIMEOUT_MS = 10_000;

/** Throws if a port is taken, and says how to choose another one. */
async function requirePorts(
  { apiPort, mcpPort, host }: ServiceSettings,
  patience: number,
  command: ServingCommand,
): Promise<void> {
  for (const [name, port] of Object.entries({ API_PORT: apiPort, MCP_PORT: mcpPort })) {
    if (await waitForPort(port, host, patience)) continue;
    const way = `choose another one: ${name}=${port + 10} ${command}`;
    throw new Error(`Port ${port} is in use. Stop the program that uses it, or ${way}`);
  }
}

async function shareKeysBetweenShards(stateDir: string, shards: Shard[]): Promise<void> {
  const { sharePushKeys } = await import("../shards/push-keys.ts");
  const [first, ...others] = shards.map(({ number }) =>
    openStoppedDatabase(requireDatabaseFile(stateDir, number)),
  );
  if (first) await sharePushKeys(first, others);
  for (const one of [first, ...others]) one?.close();
}

async function prepareState(stateDir: string): Promise<void> {
  restrictStateFolder(stateDir);
  ensureSecrets(resolve(secretsFile()));
  console.log("Applying the migrations…");
  const shards = parseShards(homesSetting(process.env));
  await checkState(stateDir, shards);
  await applyMigrations(stateDir, shards);
  if (shards.length > 1) await shareKeysBetweenShards(stateDir, shards);
}

/** Prepares everything that the Worker needs to start. Releases the state folder if that fails. */
export async function prepareStart(
  settings: ServiceSettings,
  state: StateClaim,
  command: ServingCommand,
): Promise<void> {
  try {
    await requirePorts(settings, state.isAfterKill ? RELEASE_TIMEOUT_MS : 0, command);
    await prepareState(settings.stateDir);
  } catch (problem) {
    state.release();
    throw explainStateProblem(problem, settings.stateDir);
  }
}

/** Stops the service; later calls have no effect. A problem is printed, and the exit code is then 1. */
export type StopService = (problem?: string) => Promise<void>;

/** The only way to exit: stops the Worker and releases the state folder. */
export function createStopper(worker: WorkerProcess, state: Pick<StateClaim, "release">): StopService {
  const guard = startWatchdog(worker);
  let isStopping = false;
  return async (problem) => {
    if (isStopping) return;
    isStopping = true;
    if (problem) console.error(problem);
    await stopWorker(worker);
    guard?.kill();
    state.release();
    process.exit(problem ? 1 : 0);
  };
}

/** Stops the service on a signal, when npm has ended, and when the Worker has exited. */
export function stopOnExit(worker: WorkerProcess, stop: StopService): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop());
  worker.process.once("exit", () => stop("The Worker ended unexpectedly. Stopping."));
  setInterval(() => isParentGone() && stop(), PARENT_CHECK_MS);
}
