import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { commandName, readSettings, type Settings } from "./common/settings.ts";
import { claimState } from "./common/state.ts";
import { runHourly } from "./start/cron.ts";
import type { Target } from "./start/forward.ts";
import { limitsFor, openFront } from "./start/front.ts";
import { untilHung } from "./start/hang.ts";
import { untilReady, untilStarted } from "./start/health.ts";
import { createPrivately } from "./start/private.ts";
import { startWorker, type Worker } from "./start/processes.ts";
import { failStart, prepare, type Stop, stopper, stopWhenOver } from "./start/serving.ts";
import { welcome } from "./start/welcome.ts";
import type { Assignment } from "./start/worker.ts";

// `npm start`, after build.ts: the service on this machine, the API on one port and MCP on another.

/** How long a new runtime may take to answer after the last one ended. */
const RESTART_MS = 30_000;

/** Saves memory at the cost of speed: the process that keeps the runtime answers no requests. */
const NODE_FLAGS = ["--max-semi-space-size=2", "--optimize-for-size"];

/** With this, glibc gives large blocks back when they are freed: 25 MB after the start. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "65536" };

function stopWhenHung(worker: Worker, { apiUrl }: Settings, stop: Stop): void {
  const reason =
    "The Worker's runtime hangs: it has neither answered nor used processor time for minutes; stopping.";
  untilHung({ url: `${apiUrl}/health`, pid: () => worker.runtime }).then(() => stop(reason));
}

/** The set-up link of a copy that strangers can reach. Its modules take 50 MB, which a copy on localhost does not need. */
async function setUpLink(settings: Settings): Promise<string | undefined> {
  if (settings.isLocal) return undefined;
  return (await import("./start/set-up.ts")).setUpLink(settings);
}

/** Opens the two ports in front of the Worker, and waits until it answers through them. */
async function serve(
  worker: Worker,
  settings: Settings,
  target: Target,
  link: string | undefined,
): Promise<void> {
  const { host, names, apiPort, mcpPort } = settings;
  await openFront({ host, names, ports: [apiPort, mcpPort] }, target, limitsFor(settings));
  if (!(await untilStarted(settings, worker)))
    throw new Error("The service did not answer within a minute; stopping.");
  welcome(settings, link);
  runHourly(target);
}

async function main(): Promise<void> {
  createPrivately();
  const settings = readSettings(process.env);
  const command = commandName("npm start", "commonplace start");
  const state = claimState(settings, command);
  await prepare(settings, state, command);

  const link = await setUpLink(settings);
  console.log("Starting…");
  const secret = randomBytes(32).toString("base64url");
  const { stateDir, vars, address } = settings;
  const assignment: Assignment = { stateDir, vars, secret, address };
  const program = {
    file: join(import.meta.dirname, "worker.js"),
    flags: NODE_FLAGS,
    environment: { ...ALLOCATOR, WRANGLER_LOG: "error" },
  };
  const worker = startWorker(program, assignment, async () => {
    console.error("The Worker's runtime ended; starting a new one.");
    const back = await untilReady([settings.apiUrl], RESTART_MS);
    if (!back) stop("The Worker's runtime ended and did not come back; stopping.");
  });
  const stop = stopper(worker, state);
  stopWhenOver(worker, stop);
  stopWhenHung(worker, settings, stop);
  await serve(worker, settings, { ...(await worker.ports), secret }, link).catch(({ message }: Error) =>
    stop(message),
  );
}

main().catch(failStart);
