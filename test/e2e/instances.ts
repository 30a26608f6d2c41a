import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { asUser } from "./accounts.ts";
import { begin } from "./script.ts";
import { freePorts, type Service, startService, temporaryFolder } from "./service.ts";

// Instances of the service that belong to one test each, or to the tests of one file.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A folder that is deleted after the test. */
export async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  cleanups.push(remove);
  return path;
}

/** Starts an instance that is stopped after the test. */
export async function start(...options: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...options);
  cleanups.push(service.stop);
  return service;
}

type Settings = Record<string, string>;

export type Shared = {
  service: Service;
  /** For files of the tests. Its state is in `state`. */
  folder: string;
  stateDir: string;
  /** Kills the service, and starts it again on the same ports. `between` runs while it is gone. */
  restart: (between?: () => void) => Promise<void>;
};

/** Starts a service for all tests of a file. `more` runs once it is there. */
export function sharedService(
  settings: Settings | ((folder: string) => Promise<Settings>) = {},
  more?: (shared: Shared) => Promise<unknown>,
): Shared {
  const shared = {} as Shared;
  let remove: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const [made, ports] = [await temporaryFolder(), await freePorts()];
    remove = made.remove;
    const chosen = typeof settings === "function" ? await settings(made.path) : settings;
    const stateDir = join(made.path, "state");
    const begin = async () => {
      shared.service = await startService(stateDir, chosen, ports);
    };
    const restart = async (between = () => {}) => {
      await shared.service.kill();
      between();
      await begin();
    };
    Object.assign(shared, { folder: made.path, stateDir, restart });
    await begin();
    await more?.(shared);
  });
  afterAll(async () => {
    await shared.service?.stop();
    await remove?.();
  });
  return shared;
}

/** Runs an `npm start` on free ports, or those of the settings, that is expected to fail. */
export async function failedStart(settings: Settings) {
  const { api, mcp } = await freePorts();
  const ports = { API_PORT: String(api), MCP_PORT: String(mcp) };
  return begin(["npm", "start"], { env: { ...ports, ...settings } }).ended;
}

export const create = (apiUrl: string, token: string, title: string) =>
  fetch(`${apiUrl}/api/documents`, {
    method: "POST",
    headers: asUser(token),
    body: JSON.stringify({ title }),
  });

/** The titles of all documents, in order. */
export async function titles(apiUrl: string, token: string): Promise<string[]> {
  const answer = await fetch(`${apiUrl}/api/documents?sort=title&limit=100`, { headers: asUser(token) });
  const { items } = (await answer.json()) as { items: { title: string }[] };
  return items.map(({ title }) => title);
}
