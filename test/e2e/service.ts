import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import getPort from "get-port";
import { claim } from "../kit/run-folder.ts";
import { begin } from "./script.ts";

const READY_MS = 90_000;
const POLL_MS = 100;

/** An instance of the service, started as a person starts it. */
export type Service = {
  apiUrl: string;
  mcpUrl: string;
  /** The process id of npm. */
  pid: number;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  /** What it has printed so far. */
  output: () => string;
  /** Stops it with Ctrl-C and waits until it has ended. Returns its exit code. */
  stop: () => Promise<number | null>;
  /** Kills it without warning (`kill -9`) and waits until its port is closed. */
  kill: () => Promise<void>;
};

export type Ports = { api: number; mcp: number };

/** Below the ephemeral ports of Linux: an outgoing connection could take one of those before we listen. */
const candidates = () => Array.from({ length: 20 }, () => randomInt(10_000, 32_000));

/** A free port, which is this story's until the run ends: another one must not take it between two starts of a service. */
async function ownPort(): Promise<number> {
  const port = await getPort({ port: candidates() });
  return claim(`port-${port}`) ? port : ownPort();
}

/** Two free ports. */
export const freePorts = async (): Promise<Ports> => ({ api: await ownPort(), mcp: await ownPort() });

/** A folder for the state of one test; `remove` deletes it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "commonplace-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    (response) => response.ok,
    () => false,
  );

/** Waits until `condition` holds. Throws with the text of `explain` when it takes too long. */
export async function until(condition: () => Promise<boolean> | boolean, explain: () => string) {
  const deadline = Date.now() + READY_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(explain());
    await sleep(POLL_MS);
  }
}

const isClosed = (url: string) => async () => {
  const problem = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch((error: Error) => error);
  return problem instanceof Error && problem.name !== "TimeoutError";
};

/** A command that serves, the folder of the repository in which it runs, and as which user. */
export type How = { command?: "start" | "dev"; cwd?: string; user?: number };

/** `SERVICE=dev` runs the tests against `npm run dev`. */
const COMMAND = process.env.SERVICE === "dev" ? "dev" : "start";

/**
 * Runs `npm start` on free ports (or the given ones) and waits until both answer.
 *
 * @param stateDir where it keeps its data; start again on the same folder to find the data again
 * @param settings more environment variables, by the names of wrangler.toml
 */
export async function startService(
  stateDir: string,
  settings: Record<string, string> = {},
  ports?: Ports,
  { command = COMMAND, cwd = ".", user }: How = {},
): Promise<Service> {
  const { api, mcp } = ports ?? (await freePorts());
  const apiUrl = `http://localhost:${api}`;
  const mcpUrl = `http://localhost:${mcp}`;
  const own = { API_PORT: String(api), MCP_PORT: String(mcp), STATE_DIR: stateDir };
  const env = { RATE_LIMIT_USER: "off", ...settings, ...own };
  const { child, output, signal } = begin(["npm", "run", command], { cwd, env, user });
  const gone = once(child, "exit").then(([code]) => code as number | null);

  const ready = until(
    async () => {
      if (child.exitCode !== null)
        throw new Error(`npm run ${command} ended with ${child.exitCode}:\n${output()}`);
      // The message is printed a moment after both ports answer.
      return (
        output().includes("is running") && (await answers(`${apiUrl}/health`)) && answers(`${mcpUrl}/health`)
      );
    },
    () => `npm run ${command} did not get ready:\n${output()}`,
  );
  await ready.catch((problem) => {
    signal("SIGKILL");
    throw problem;
  });
  return {
    apiUrl,
    mcpUrl,
    pid: child.pid ?? 0,
    ended: gone,
    output,
    stop: () => {
      signal("SIGINT");
      return gone;
    },
    kill: async () => {
      signal("SIGKILL");
      await gone;
      await until(isClosed(`${apiUrl}/health`), () => "The service outlived kill -9");
    },
  };
}

type Credentials = { email: string; password: string };

async function accessToken(url: string, account: Credentials): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(account) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Creates an account and returns its access token. */
export const register = (apiUrl: string, account: Credentials): Promise<string> =>
  accessToken(`${apiUrl}/api/auth/register`, account);

/** Signs in and returns an access token. */
export const login = (apiUrl: string, account: Credentials): Promise<string> =>
  accessToken(`${apiUrl}/api/auth/login`, account);
