import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Ports, temporaryFolder, until } from "../test/e2e/service.ts";
import { atEnd } from "./at-end.ts";

const run = promisify(execFile);

/** A commit of this repository, installed in a folder. */
export type Copy = { name: string; root: string };

/** This folder as it is, committed or not. */
export const here: Copy = { name: "this commit", root: resolve(".") };

/** Variables that npm sets for a script and that would mislead it in another folder. */
const NPMS_OWN = /^npm_(lifecycle_|package_|config_local_prefix$)/;

const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !NPMS_OWN.test(name)));

/** Runs a program in a folder. Throws with its output if it fails. */
const runIn = (root: string, command: string[], signal?: AbortSignal) =>
  run(command[0] ?? "", command.slice(1), {
    cwd: root,
    env: plainEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
    ...(signal && { signal }),
  });

const git = (...options: string[]) => runIn(here.root, ["git", ...options]);

const lockfile = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");

/** Installs the copy's dependencies; with an equal lockfile it shares this folder's. */
async function install(root: string, signal: AbortSignal): Promise<void> {
  if (lockfile(root) !== lockfile(here.root)) {
    await runIn(root, ["npm", "ci"], signal);
    return;
  }
  symlinkSync(join(here.root, "node_modules"), join(root, "node_modules"));
  await runIn(root, ["npm", "run", "prepare"], signal);
}

/** Checks out a commit into a temporary worktree and installs it. The worktree is removed at the end. */
export async function checkOut(ref: string): Promise<Copy> {
  const { stdout } = await git("rev-parse", "--short", "--verify", `${ref}^{commit}`);
  const name = stdout.trim();
  const folder = await temporaryFolder();
  const root = join(folder.path, name);
  const interrupted = new AbortController();
  atEnd(async () => {
    interrupted.abort();
    const removed = await git("worktree", "remove", "--force", root).catch(() => undefined);
    await folder.remove();
    // git forgets an unfinished worktree only once its folder is gone.
    if (!removed) await git("worktree", "prune");
  });
  await git("worktree", "add", "--detach", root, name);
  await install(root, interrupted.signal);
  return { name, root };
}

/** A running copy of the service; `took` is the milliseconds from its start until both ports answered. */
export type Running = {
  apiUrl: string;
  mcpUrl: string;
  pid: number;
  took: number;
  /** What it has printed. */
  output: () => string;
  stop: () => Promise<void>;
};

/** Turns limits off, by their names in every commit: a commit ignores names it does not know. */
const UNLIMITED = { RATE_LIMIT_USER: "off", RATE_LIMIT_LOGIN: "1000/60" };

const READY = "is running";

const isHealthy = (url: string) =>
  fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  );

function stopper(child: ChildProcess): () => Promise<void> {
  const gone = once(child, "exit");
  const stop = async () => {
    // The whole process group, as Ctrl-C in a terminal does.
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGINT");
    await gone;
  };
  atEnd(stop);
  return stop;
}

/**
 * Runs a copy's own `npm start` and waits until it says that it is running and both ports answer.
 *
 * @param settings more environment variables, by the names of wrangler.toml
 */
export async function startCopy(
  copy: Copy,
  stateDir: string,
  ports: Ports,
  settings: Record<string, string> = {},
): Promise<Running> {
  const began = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: copy.root,
    env: {
      ...plainEnvironment(),
      ...UNLIMITED,
      ...settings,
      API_PORT: String(ports.api),
      MCP_PORT: String(ports.mcp),
      STATE_DIR: stateDir,
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = stopper(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const [apiUrl, mcpUrl] = [`http://localhost:${ports.api}`, `http://localhost:${ports.mcp}`];
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`npm start of ${copy.name} ended:\n${output}`);
      return output.includes(READY) && (await isHealthy(apiUrl)) && isHealthy(mcpUrl);
    },
    () => `npm start of ${copy.name} did not get ready:\n${output}`,
  );
  return { apiUrl, mcpUrl, pid: child.pid ?? 0, took: performance.now() - began, output: () => output, stop };
}
