import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Settings } from "./settings.ts";

export const WRANGLER = join("node_modules", "wrangler", "wrangler-dist", "cli.js");

const STOP_MS = 5000;

/** A running `wrangler dev`, the leader of a process group of its own. */
export type Worker = { name: string; process: ChildProcess; exited: boolean };

/** Where the two Workers of one copy find each other. */
export const registryOf = (stateDir: string) => join(stateDir, "registry");

/**
 * How V8 manages the memory of the Workers. By default it lets garbage lie while the machine has memory left, and an
 * export of 200 MB takes it to 290 to 350 MB; with these to 210 to 230, and requests take no longer.
 */
const V8_FLAGS = "--optimize-for-size --single-threaded-gc";

/**
 * wrangler's environment: no questions, nothing sent out, a registry that copies side by side do not share, and
 * neither its explorer, which gives everybody who reaches the port the whole database, nor its request log.
 */
export const wranglerEnvironment = (stateDir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  MINIFLARE_WORKERD_V8_FLAGS: process.env.MINIFLARE_WORKERD_V8_FLAGS ?? V8_FLAGS,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
  WRANGLER_REGISTRY_PATH: registryOf(stateDir),
});

function argumentsOf(name: "API" | "MCP port", settings: Settings): string[] {
  const shared = ["--ip", settings.host, "--inspector-port", "0", "--log-level", "error"];
  const quiet = "--show-interactive-dev-session=false";
  if (name === "MCP port") return ["--env", "gateway", "--port", String(settings.mcpPort), quiet, ...shared];
  const vars = Object.entries(settings.vars).flatMap(([key, value]) => ["--var", `${key}:${value}`]);
  return ["--port", String(settings.apiPort), "--persist-to", settings.stateDir, quiet, ...shared, ...vars];
}

/** Starts one of the two Workers. */
export function startWorker(name: "API" | "MCP port", settings: Settings): Worker {
  const child = spawn(process.execPath, [WRANGLER, "dev", ...argumentsOf(name, settings)], {
    env: wranglerEnvironment(settings.stateDir),
    // In a group of its own, a Ctrl-C in the terminal reaches it through us alone, once.
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const worker: Worker = { name, process: child, exited: false };
  child.once("exit", () => {
    worker.exited = true;
  });
  return worker;
}

/** Ends whatever is left of the Workers' process groups. */
function killGroups(workers: Worker[]): void {
  for (const worker of workers) {
    try {
      process.kill(-(worker.process.pid ?? 0), "SIGKILL");
    } catch {
      // Nobody is left in the group.
    }
  }
}

const ended = ({ process: child, exited }: Worker) =>
  exited ? Promise.resolve() : new Promise((done) => child.once("exit", done));

/** Asks the Workers to end, and ends what has not after a few seconds. */
export async function stopAll(workers: Worker[]): Promise<void> {
  for (const worker of workers) worker.process.kill("SIGTERM");
  const patience = setTimeout(() => killGroups(workers), STOP_MS);
  await Promise.all(workers.map(ended));
  clearTimeout(patience);
  killGroups(workers);
}

/**
 * Makes sure that the Workers do not outlive this process, even when it is killed: a shell waits for the end
 * of a pipe that only we hold, and ends the groups then. Nothing of the kind exists on Windows.
 */
export function killWithParent(workers: Worker[]): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const groups = workers.map((worker) => `-${worker.process.pid}`).join(" ");
  const guard = spawn("sh", ["-c", `cat >/dev/null; kill -9 ${groups}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  return guard;
}

const parent = process.ppid;

/** Whether npm, which started us, is gone: killed, it cannot pass a signal on. */
export const parentGone = () => process.env.npm_lifecycle_event !== undefined && process.ppid !== parent;
