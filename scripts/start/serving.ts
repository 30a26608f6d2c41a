import { resolve } from "node:path";
import { type Home, parseHomes } from "../../src/contract/homes.ts";
import { applyMigrations } from "../common/migrations.ts";
import { homesSetting, type Settings, secretsFile } from "../common/settings.ts";
import { localFile } from "../common/source.ts";
import type { Command, StateClaim } from "../common/state.ts";
import { explained } from "../common/state-problems.ts";
import { stoppedTarget } from "../common/targets.ts";
import { checkState } from "./check-state.ts";
import { waitForPort } from "./ports.ts";
import { closeState } from "./private.ts";
import { killWithParent, parentGone, stopWorker, type Worker } from "./processes.ts";
import { ensureSecrets } from "./secrets.ts";

// How `npm start` and `npm run dev` start and stop.

const PARENT_CHECK_MS = 1000;
/** How long the ports of a killed copy may take to become free. */
const RELEASE_TIMEOUT_MS = 10_000;

/** Throws if a port is taken, and says how to choose another one. */
async function requirePorts(
  { apiPort, mcpPort, host }: Settings,
  patience: number,
  command: Command,
): Promise<void> {
  for (const [name, port] of Object.entries({ API_PORT: apiPort, MCP_PORT: mcpPort })) {
    if (await waitForPort(port, host, patience)) continue;
    const way = `choose another one: ${name}=${port + 10} ${command}`;
    throw new Error(`Port ${port} is in use. Stop the program that uses it, or ${way}`);
  }
}

/** Gives all shards the same key for push services. */
async function shareKeysBetweenShards(stateDir: string, shards: Home[]): Promise<void> {
  const { sharePushKeys } = await import("../homes/push-keys.ts");
  const [first, ...others] = shards.map(({ number }) => stoppedTarget(localFile(stateDir, number)));
  if (first) await sharePushKeys(first, others);
  for (const one of [first, ...others]) one?.close();
}

async function prepareState(stateDir: string): Promise<void> {
  closeState(stateDir);
  ensureSecrets(resolve(secretsFile()));
  console.log("Applying the migrations…");
  const shards = parseHomes(homesSetting(process.env));
  await checkState(stateDir, shards);
  await applyMigrations(stateDir, shards);
  if (shards.length > 1) await shareKeysBetweenShards(stateDir, shards);
}

/** Prepares everything that the Worker needs to start. Releases the state folder if that fails. */
export async function prepare(settings: Settings, state: StateClaim, command: Command): Promise<void> {
  try {
    await requirePorts(settings, state.leftBehind ? RELEASE_TIMEOUT_MS : 0, command);
    await prepareState(settings.stateDir);
  } catch (problem) {
    state.release();
    throw explained(problem, settings.stateDir);
  }
}

/** Stops the service; later calls have no effect. A problem is printed, and the exit code is then 1. */
export type Stop = (problem?: string) => Promise<void>;

/** The only way to exit: stops the Worker and releases the state folder. */
export function stopper(worker: Worker, state: Pick<StateClaim, "release">): Stop {
  const guard = killWithParent(worker);
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
export function stopWhenOver(worker: Worker, stop: Stop): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop());
  worker.process.once("exit", () => stop("The Worker ended unexpectedly. Stopping."));
  setInterval(() => parentGone() && stop(), PARENT_CHECK_MS);
}

/** Ends a command that could not start, with the reason. */
export function failStart({ message }: Error): never {
  console.error(`\n${message}\n`);
  process.exit(1);
}
