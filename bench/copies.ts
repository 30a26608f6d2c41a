import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { WRANGLER_CLI, wranglerEnvironment } from "../scripts/common/wrangler.ts";
import { ensureSecrets } from "../scripts/start/secrets.ts";
import {
  freePorts,
  type Ports,
  type Service,
  startService,
  temporaryFolder,
  until,
} from "../test/e2e/service.ts";

// The commits to compare, and how to start them. Everything is stopped and removed at the end, also if the benchmark fails
// or is interrupted.

type Step = () => Promise<unknown>;

const steps: Step[] = [];
let ending: Promise<void> | undefined;

/** Registers a clean-up step. Steps run in reverse order. */
export const atEnd = (step: Step): void => void steps.push(step);

async function undo(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) await step().catch(console.error);
}

/** Runs `work`, then the clean-up steps. */
export async function undoneAtEnd(work: () => Promise<void>): Promise<void> {
  const end = () => {
    ending ??= undo();
    return ending;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => end().then(() => process.exit(1)));
  await work().finally(end);
}

/** A commit of this repository, checked out and installed in a folder. */
export type Copy = { name: string; root: string };

/** The working tree, including uncommitted changes. */
export const here: Copy = { name: "this commit", root: resolve(".") };

// npm sets these variables for a script. In another folder they would be wrong.
for (const name of Object.keys(process.env))
  if (/^npm_(lifecycle_|package_|config_local_prefix$)/.test(name)) delete process.env[name];

const runIn = (cwd: string, [program = "", ...options]: string[], signal?: AbortSignal) =>
  promisify(execFile)(program, options, { cwd, maxBuffer: 2 ** 26, ...(signal && { signal }) });

const git = (...options: string[]) => runIn(here.root, ["git", ...options]);

const lockfile = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");

/** Installs the copy's dependencies, or links this folder's if the lockfiles are equal. */
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

/** A running copy of the service. `took` is the time in milliseconds until both ports answered. */
export type Running = Service & { copy: Copy; stateDir: string; ports: Ports; took: number };

/** Without rate limits, which would end a measurement early. A commit ignores settings that it does not have. */
const UNLIMITED = {
  REGISTRATION: "open",
  RATE_LIMIT_USER: "off",
  WEBHOOK_PRIVATE: "allow",
  ...Object.fromEntries(
    [
      ...["LOGIN", "REGISTER", "REFRESH", "ACCOUNT", "STRANGERS", "PASSWORD_RESET", "MAIL", "MCP_LOGIN"],
      ...["CLIENT_REGISTRATION", "CLIENT_METADATA", "WEBHOOK_TEST"],
    ].map((name) => [`RATE_LIMIT_${name}`, "100000/60"]),
  ),
};

/** Runs a copy's own `npm start` and waits until both ports answer. */
export async function startCopy(copy: Copy, stateDir: string, given?: Ports): Promise<Running> {
  const ports = given ?? (await freePorts());
  const began = performance.now();
  const service = await startService(stateDir, UNLIMITED, ports, { command: "start", cwd: copy.root });
  atEnd(service.stop);
  return { ...service, copy, stateDir, ports, took: performance.now() - began };
}

/** Starts the copies, each with its own state folder, and fills them. */
export async function startEach<Result>(
  copies: Copy[],
  stateDir: string,
  fill: (running: Running) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const copy of copies) {
    const running = await startCopy(copy, `${stateDir}-${results.length}`);
    console.log(`Filling ${copy.name}…`);
    results.push(await fill(running));
  }
  return results;
}

/** A program that answers at a port. */
type Serving = { url: string; stop: () => Promise<void> };

/** Starts a program, which is stopped at the end, and waits until it answers. */
async function serve(cwd: string, port: number, options: string[]): Promise<Serving> {
  const url = `http://localhost:${port}`;
  const child = spawn(process.execPath, options, {
    cwd,
    env: wranglerEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  atEnd(stop);
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`${options.join(" ")} ended:\n${output}`);
    return fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(isReady, () => `${options.join(" ")} did not get ready:\n${output}`);
  return { url, stop };
}

/** The files that count a copy's usage. They import only src/index.ts, so that all commits are counted in the same way. */
const COUNTING = ["bench/counted.ts", "test/kit/meter.ts"];

/**
 * Runs a copy in `wrangler dev`, with its usage at /cost.
 *
 * @param port the one for which its MCP tokens were issued
 */
export async function startCounted({ root }: Copy, stateDir: string, port: number): Promise<Serving> {
  ensureSecrets(resolve(root, ".dev.vars"));
  for (const file of root === here.root ? [] : COUNTING) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  const settings = { ...UNLIMITED, MCP_URL: `http://localhost:${port}/mcp` };
  return serve(root, port, [
    ...[WRANGLER_CLI, "dev", "bench/counted.ts", "--config", "wrangler.toml", "--persist-to", stateDir],
    ...["--log-level", "error", "--port", String(port), "--inspector-port", "0"],
    "--show-interactive-dev-session=false",
    ...Object.entries(settings).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ]);
}

/** The baseline: the front of `npm start` with a Worker that does nothing, and at /select-one runs `SELECT 1`. */
export async function startBare(stateDir: string): Promise<Serving> {
  const port = await getPort();
  const program = join(import.meta.dirname, "bare.ts");
  return serve(here.root, port, ["--disable-warning=ExperimentalWarning", program, String(port), stateDir]);
}
