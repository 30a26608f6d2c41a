import { type ChildProcess, fork, spawn } from "node:child_process";
import { wranglerEnvironment } from "../common/wrangler.ts";
import type { StateDisk } from "./disk.ts";
import type { RuntimePorts, WorkerReport } from "./worker.ts";

const STOP_TIMEOUT_MS = 5000;

/** The process that runs the Worker. It leads its own process group. */
export type WorkerProcess = {
  process: ChildProcess;
  hasExited: boolean;
  /** The process id of workerd; undefined while there is none. */
  runtimePid: number | undefined;
  /** Resolves with the ports it serves on; stays pending if it cannot start. */
  ports: Promise<RuntimePorts>;
};

/** The program that runs the Worker, with its Node flags and environment. */
export type WorkerProgram = { file: string; flags?: string[]; environment?: NodeJS.ProcessEnv };

/**
 * Starts the Worker.
 *
 * @param assignment the first message to the program
 * @param onRuntimeEnded called when the runtime has ended; Miniflare starts a new one
 * @param disk handles the runtime's lines about the disk
 */
export function startWorker(
  { file, flags = [], environment }: WorkerProgram,
  assignment: object,
  onRuntimeEnded: () => void = () => undefined,
  disk?: StateDisk,
): WorkerProcess {
  const child = fork(file, {
    env: { ...wranglerEnvironment(), ...environment },
    execArgv: [...process.execArgv, ...flags],
    // In its own process group, so that Ctrl-C reaches it only once, through this process.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  // By IPC, because it holds secrets, and every user of the machine can read a command line.
  child.send(assignment);
  const serving = Promise.withResolvers<RuntimePorts>();
  const worker: WorkerProcess = {
    process: child,
    hasExited: false,
    runtimePid: undefined,
    ports: serving.promise,
  };
  child.on("message", (report: WorkerReport) => {
    if ("ports" in report) return serving.resolve(report.ports);
    if ("disk" in report) return disk?.handleReport(report.disk);
    worker.runtimePid = report.runtime;
    if (report.runtime === undefined) onRuntimeEnded();
  });
  child.once("exit", () => {
    worker.hasExited = true;
  });
  return worker;
}

function killGroup(worker: WorkerProcess): void {
  try {
    process.kill(-(worker.process.pid ?? 0), "SIGKILL");
  } catch {
    // The group is already empty.
  }
}

/** Asks the Worker to exit, and kills what is left of its process group once it has, or after 5 seconds. */
export async function stopWorker(worker: WorkerProcess): Promise<void> {
  const exited = worker.hasExited || new Promise((done) => worker.process.once("exit", done));
  worker.process.kill("SIGTERM");
  const killTimer = setTimeout(() => killGroup(worker), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(killTimer);
  killGroup(worker);
}

/**
 * Makes sure that the Worker does not outlive this process, even if this process is killed: a shell waits for the end
 * of a pipe that only this process holds, then kills the group. Windows has no process groups.
 */
export function startWatchdog(worker: WorkerProcess): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const guard = spawn("sh", ["-c", `cat >/dev/null; kill -9 -${worker.process.pid}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  return guard;
}

const parent = process.ppid;

/** Whether npm, which started this process, has ended: a killed npm cannot pass on a signal. */
export const isParentGone = () => process.env.npm_lifecycle_event !== undefined && process.ppid !== parent;
