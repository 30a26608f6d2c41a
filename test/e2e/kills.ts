import { randomInt } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { random } from "../kit/random.ts";
import { folder, start } from "./instances.ts";
import type { Service } from "./service.ts";
import { openState } from "./state.ts";

// Long work whose service is killed again and again while it goes on.

/** A few by default; the nightly run has more. */
export const DOCUMENTS = Number(process.env.LATER_DOCUMENTS ?? 1000);
export const KILLS = Number(process.env.LATER_KILLS ?? 2);
const SEED = Number(process.env.LATER_SEED ?? randomInt(2 ** 31));

/** In the full form a request is killed, too, and work that it held is gone on with a minute later. */
export const IS_FULL = process.env.LATER_DOCUMENTS !== undefined;

const SETTINGS = { RATE_LIMIT_REGISTER: "1000/60", RATE_LIMIT_LOGIN: "1000/60" };

export type Answer = { status: number; text: string; header: (name: string) => string | null };

export type Send = (
  method: string,
  path: string,
  more?: { body?: string | object; headers?: Record<string, string> },
) => Promise<Answer>;

/** Sends requests with somebody's API key or token. */
export const sender =
  (apiUrl: string, token = ""): Send =>
  async (method, path, { body, headers } = {}) => {
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    const answer = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": type, ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      text: await answer.text(),
      header: (name) => answer.headers.get(name),
    };
  };

/** The answer to a request that must succeed. */
export async function read<Body>(send: Send, path: string): Promise<Body> {
  const { status, text } = await send("GET", path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}

export const totalOf = async (send: Send, path: string): Promise<number> =>
  (await read<{ total: number }>(send, path)).total;

/** A state folder, and the service that runs on it again after each kill. */
export async function newPlace() {
  const stateDir = await folder();
  // On other ports each time: no request is sent on a connection that the kill has broken.
  return { stateDir, startHere: () => start(stateDir, SETTINGS) };
}
export type Place = Awaited<ReturnType<typeof newPlace>>;

/** Reads the database of a service that may be running. */
export function readState<Result>(stateDir: string, reads: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(requireDatabaseFile(stateDir), { readOnly: true, timeout: 30_000 });
  try {
    return reads(database);
  } finally {
    database.close();
  }
}

/** Looks at what a killed service left, and lets the time pass for which it held its work. */
function visit(stateDir: string, check: Work["check"]): void {
  const database = openState(stateDir);
  check?.(database);
  database.exec("UPDATE later SET due_at = '2020-01-01T00:00:00.000Z' WHERE state = 'waiting'");
  database.close();
}

export type Work = {
  name: string;
  /** Asks for it. The answer may never come. */
  begin: (service: Service) => Promise<unknown>;
  /** How much is to be done in the beginning. */
  total: number;
  /** How much is left; throws when something that is answered meanwhile is wrong. */
  left: (service: Service) => Promise<number>;
  /** What must hold in the database after a kill. */
  check?: (database: DatabaseSync) => void;
};

/** Kills the service at random moments of some work, and lets it end. Returns the one that is running then. */
export async function underKills(
  { stateDir, startHere }: Place,
  running: Service,
  { name, begin, total, left, check }: Work,
): Promise<Service> {
  const next = random(SEED + name.length);
  const moments = Array.from({ length: KILLS }, () => Math.floor(next() * total)).sort((a, b) => b - a);
  let service = running;
  const asked = begin(service).catch(() => undefined);
  const began = performance.now();
  const seen: number[] = [];
  for (const moment of moments) {
    let now = total;
    do now = await left(service);
    while (now > moment);
    await service.kill();
    seen.push(now);
    visit(stateDir, check);
    service = await startHere();
  }
  await asked;
  while ((await left(service)) > 0);
  const took = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${name}: ${total}, killed with ${seen.join(", ")} left (LATER_SEED=${SEED}), ${took} s`);
  return service;
}
