import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseShards } from "../src/contract/shards.ts";
import { failStart } from "./common/fail.ts";
import { requireDatabaseFile } from "./common/local-database.ts";
import { commandName, homesSetting, readSettings, type ServiceSettings } from "./common/settings.ts";
import { claimState } from "./common/state.ts";
import { withExplainedProblems } from "./common/state-problems.ts";
import { runCronHourly } from "./start/cron.ts";
import { StateDisk } from "./start/disk.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";
import type { RuntimeTarget } from "./start/forward.ts";
import { corsOrigins, frontLimits, openFront } from "./start/front.ts";
import { waitUntilHung } from "./start/hang.ts";
import { waitUntilReady, waitUntilStarted } from "./start/health.ts";
import { createStopper, prepareStart, type StopService, stopOnExit } from "./start/life-cycle.ts";
import { startWorker, type WorkerProcess } from "./start/processes.ts";
import { printWelcome } from "./start/welcome.ts";
import type { WorkerAssignment } from "./start/worker.ts";
import { WriteLogs } from "./start/write-logs.ts";

// `npm start`, after build.ts: the service on this machine, the API on one port and MCP on another.

/** How long a new runtime may take to answer after the previous one ended. */
const RESTART_MS = 30_000;

/** Saves memory at the cost of speed, because the process that owns the runtime answers no requests. */
const NODE_FLAGS = ["--max-semi-space-size=2", "--optimize-for-size"];

/** Makes glibc return large blocks to the system when they are freed. Saves 25 MB after the start. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "65536" };

function stopWhenHung(worker: WorkerProcess, { apiUrl }: ServiceSettings, stop: StopService): void {
  const reason =
    "The Worker's runtime hangs: it has not answered or used processor time for minutes. Stopping.";
  waitUntilHung({ url: `${apiUrl}/health`, pid: () => worker.runtimePid }).then(() => stop(reason));
}

/** The set-up link of a copy that strangers can reach. Imported only for these: its modules take 50 MB. */
async function setUpLink(settings: ServiceSettings): Promise<string | undefined> {
  if (settings.isLocal) return undefined;
  return (await import("./start/set-up.ts")).createSetUpLink(settings);
}

/** Opens the disk before anything is written, because its reserve lets a copy start on a full disk. */
const openDisk = ({ stateDir }: ServiceSettings): StateDisk =>
  withExplainedProblems(stateDir, () => {
    mkdirSync(stateDir, { recursive: true });
    return new StateDisk(stateDir);
  });

/** Enlarges the databases' logs, so that reads need no disk space. */
function openLogs({ stateDir }: ServiceSettings, disk: StateDisk): WriteLogs {
  const homes = parseShards(homesSetting(process.env));
  const logs = new WriteLogs(homes.map(({ number }) => requireDatabaseFile(stateDir, number)));
  disk.setWriteLogs(logs);
  return logs;
}

/**
 * Tells the Worker when the disk's state changes. This takes an extra request, because requests in progress need the
 * new state too.
 */
const watchDisk = (disk: StateDisk, { apiUrl }: ServiceSettings): void =>
  disk.watch(() =>
    fetch(`${apiUrl}/health`).then(
      (answer) => answer.body?.cancel(),
      () => undefined,
    ),
  );

/** Opens the two ports in front of the Worker, and waits until it answers through them. */
async function serve(
  worker: WorkerProcess,
  settings: ServiceSettings,
  target: RuntimeTarget & { disk: StateDisk },
  link: string | undefined,
): Promise<void> {
  const { host, hostNames, apiPort, mcpPort } = settings;
  await openFront({ host, hostNames, ports: [apiPort, mcpPort] }, target, frontLimits(settings));
  watchDisk(target.disk, settings);
  if (!(await waitUntilStarted(settings, worker)))
    throw new Error("The service did not answer within a minute. Stopping.");
  printWelcome(settings, link);
  runCronHourly(target);
}

async function main(): Promise<void> {
  restrictNewFiles();
  const settings = readSettings(process.env);
  const command = commandName("npm start", "commonplace start");
  const disk = openDisk(settings);
  const state = claimState(settings, command);
  await prepareStart(settings, state, command);

  const link = await setUpLink(settings);
  const logs = openLogs(settings, disk);
  console.log("Starting…");
  const secret = randomBytes(32).toString("base64url");
  const { stateDir, vars, address } = settings;
  const assignment: WorkerAssignment = { stateDir, vars, secret, address };
  const program = {
    file: join(import.meta.dirname, "worker.js"),
    flags: NODE_FLAGS,
    environment: { ...ALLOCATOR, WRANGLER_LOG: "error" },
  };
  const restarted = async () => {
    console.error("The Worker's runtime ended. Starting a new one.");
    const isBack = await waitUntilReady([settings.apiUrl], RESTART_MS);
    if (!isBack) stop("The Worker's runtime ended and did not restart. Stopping.");
  };
  const worker = startWorker(program, assignment, restarted, disk);
  const release = () => {
    logs.close();
    state.release();
  };
  const stop = createStopper(worker, { release });
  stopOnExit(worker, stop);
  stopWhenHung(worker, settings, stop);
  const target = { ...(await worker.ports), secret, disk, origins: corsOrigins(settings) };
  await serve(worker, settings, target, link).catch(({ message }: Error) => stop(message));
}

main().catch(failStart);
