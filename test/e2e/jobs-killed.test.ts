import { randomInt } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";
import type { Job } from "../../src/contract/jobs.ts";
import { random } from "../kit/random.ts";
import { ADA, asUser } from "./accounts.ts";
import { askWith } from "./ask.ts";
import { folder, start } from "./instances.ts";
import { checkIntegrity } from "./integrity.ts";
import { type Filling, fillAccount, ownerOf } from "./large.ts";
import { nightly } from "./nightly.ts";
import { login, register, type Service } from "./service.ts";
import { openState } from "./state.ts";

// Long work on many documents, while the service is killed: what is answered meanwhile is right, and in the end nothing
// is lost or done twice. A kill at each single call of each kind of job is in test/features/jobs/job-kills.test.ts.

/** A few by default; the nightly run has more. */
const DOCUMENTS = Number(process.env.JOB_DOCUMENTS ?? 1000);
const KILLS = Number(process.env.JOB_KILLS ?? 2);
const SEED = Number(process.env.JOB_SEED ?? randomInt(2 ** 31));

/** In the full form a request is killed, too, and work that it held is resumed a minute later. */
const IS_FULL = process.env.JOB_DOCUMENTS !== undefined;

const SETTINGS = { RATE_LIMIT_REGISTER: "1000/60", RATE_LIMIT_LOGIN: "1000/60" };
const TIMEOUT = 120_000 + KILLS * 90_000 + DOCUMENTS * 40;
const BOB = { ...ADA, email: "bob@example.com" };
const AT_ONCE: Record<string, string> = IS_FULL ? {} : { Prefer: "respond-async" };

type Send = (
  method: string,
  path: string,
  more?: { body?: string | object; headers?: Record<string, string> },
) => Promise<{ status: number; text: string }>;

/** Sends requests with an API key or token. */
const sender =
  (apiUrl: string, token: string): Send =>
  async (method, path, { body, headers } = {}) => {
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    const answer = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { ...asUser(token), "Content-Type": type, ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };

/** The answer to a request that must succeed. */
async function read<Body>(send: Send, path: string): Promise<Body> {
  const { status, text } = await send("GET", path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}

const totalOf = async (send: Send, path: string): Promise<number> =>
  (await read<{ total: number }>(send, path)).total;

/** Creates an account, and returns an API key of it. */
async function join(apiUrl: string, person: typeof ADA): Promise<string> {
  const scopes = ["docs:read", "docs:write", "memory:read", "memory:write"];
  const ask = askWith(apiUrl, await register(apiUrl, person));
  return (await ask<{ key: string }>("POST", "/api/api-keys", { name: "Test", scopes })).key;
}

// On other ports each time: no request is sent on a connection that the kill has broken.
const startOn = (stateDir: string) => start(stateDir, SETTINGS);

/** A service in which Ada has much, and Bob a little. */
async function prepare(filling: Filling) {
  const stateDir = await folder();
  const first = await startOn(stateDir);
  const [ada, bob] = [await join(first.apiUrl, ADA), await join(first.apiUrl, BOB)];
  await first.stop();
  const database = openState(stateDir);
  const owner = ownerOf(database, ADA.email);
  const folderId = fillAccount(database, ADA.email, filling);
  fillAccount(database, BOB.email, { documents: 5 });
  database.close();
  const service = await startOn(stateDir);
  const sendOf = (key: string) => (of: Service) => sender(of.apiUrl, key);
  return { stateDir, service, owner, folderId, ada: sendOf(ada), bob: sendOf(bob) };
}

type Work = {
  name: string;
  /** Asks for it. The answer may never come. */
  begin: (service: Service) => Promise<unknown>;
  /** How much is to be done in the beginning. */
  total: number;
  /** How much is left; throws when something that is answered meanwhile is wrong. */
  left: (service: Service) => Promise<number>;
};

/** Kills the service at random moments of some work, until the work is done. Returns the running service. */
async function underKills(
  stateDir: string,
  running: Service,
  { name, begin, total, left }: Work,
): Promise<Service> {
  const next = random(SEED + name.length);
  const moments = Array.from({ length: KILLS }, () => Math.floor(next() * total)).sort((a, b) => b - a);
  let service = running;
  const asked = begin(service).catch(() => undefined);
  const seen: number[] = [];
  for (const moment of moments) {
    let now = total;
    do now = await left(service);
    while (now > moment);
    await service.kill();
    seen.push(now);
    const database = openState(stateDir);
    // Lets the time pass for which the killed service held its work.
    database.exec("UPDATE later SET due_at = '2020-01-01T00:00:00.000Z' WHERE state = 'waiting'");
    database.close();
    service = await startOn(stateDir);
  }
  await asked;
  while ((await left(service)) > 0);
  console.log(`${name}: ${total}, killed with ${seen.join(", ")} left (JOB_SEED=${SEED})`);
  return service;
}

/** What another account asks meanwhile. */
async function othersAreServed(send: Send): Promise<void> {
  expect((await send("GET", "/health")).status).toBe(200);
  expect(await totalOf(send, "/api/documents?limit=10")).toBe(5);
}

/** Whether the only job of an account has ended well. */
async function hasEnded(send: Send): Promise<boolean> {
  const { items } = await read<{ items: Job[] }>(send, "/api/jobs");
  // Work that fits its request is no job.
  for (const { state, detail } of items) expect(state, detail ?? "").not.toMatch(/failed|cancelled/);
  return items.every(({ state }) => state === "done");
}

const countIn = (database: DatabaseSync, from: string, owner: number) =>
  Number(database.prepare(`SELECT count(*) AS n FROM ${from}`).get(owner)?.n);

async function checkStopped(stateDir: string, service: Service, check: (database: DatabaseSync) => void) {
  await service.stop();
  const database = openState(stateDir);
  checkIntegrity(database);
  expect(database.prepare("SELECT entry FROM search_entries WHERE index_version < 0").all()).toEqual([]);
  const miscounted = `SELECT number FROM users LEFT JOIN usage ON usage.owner = number
    WHERE coalesce(documents, 0) <> (SELECT count(*) FROM documents WHERE owner = number AND trashed_at IS NULL)
      OR coalesce(records, 0) <> (SELECT count(*) FROM memories WHERE owner = number)`;
  expect(database.prepare(miscounted).all()).toEqual([]);
  check(database);
  database.close();
}

const INSIDE = DOCUMENTS / 2;

test(`a folder with ${INSIDE} documents is deleted under ${KILLS} kills`, { timeout: TIMEOUT }, async () => {
  const { stateDir, service, owner, folderId, ada, bob } = await prepare({
    documents: INSIDE + 10,
    inFolder: { name: "Ice", documents: INSIDE },
  });
  const inside = async (send: Send) => {
    const answer = await send("GET", `/api/documents?folder_id=${folderId}&limit=1`);
    return answer.status === 404 ? 0 : (JSON.parse(answer.text) as { total: number }).total;
  };
  const left = async (of: Service) => {
    await othersAreServed(bob(of));
    const send = ada(of);
    const before = await inside(send);
    const trashed = await totalOf(send, "/api/trash?limit=1");
    const after = await inside(send);
    expect(trashed).toBeGreaterThanOrEqual(INSIDE - before);
    expect(trashed).toBeLessThanOrEqual(INSIDE - after);
    return after || !(await hasEnded(send)) ? Math.max(1, after) : 0;
  };
  const begin = (of: Service) =>
    ada(of)("DELETE", `/api/folders/${folderId}?on_content=trash`, { headers: AT_ONCE });
  const last = await underKills(stateDir, service, { name: "delete a folder", begin, total: INSIDE, left });
  const send = ada(last);
  expect((await send("GET", `/api/folders/${folderId}`)).status).toBe(404);
  expect(await totalOf(send, "/api/trash?limit=1")).toBe(INSIDE);
  expect(await totalOf(send, "/api/search?q=walrus&limit=1")).toBe(10);
  await checkStopped(stateDir, last, (database) => {
    const counts = {
      "documents WHERE owner = ? AND version = 2 AND trashed_at IS NULL": 10,
      "documents WHERE owner = ? AND version = 3 AND trashed_at IS NOT NULL": INSIDE,
      "document_versions WHERE owner = ?": 2 * INSIDE + 10,
      "activity WHERE owner = ? AND kind = 'document' AND verb = 'deleted'": INSIDE,
      "activity WHERE owner = ? AND kind = 'folder' AND verb = 'deleted'": 1,
    };
    for (const [from, count] of Object.entries(counts))
      expect(countIn(database, from, owner), from).toBe(count);
  });
});

/** The lines of what an account has, in an order that does not depend on their place in the file. */
const linesOf = (file: string): string[] =>
  file
    .split("\n")
    .filter((line) => !/^\{"type":"(header|manifest|end)"/.test(line))
    .sort();

function rowsOfOwner(database: DatabaseSync, owner: number): number {
  const owned = `SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND c.name = 'owner'`;
  const tables = database.prepare(owned).all();
  const counts = tables.map(({ name }) => countIn(database, `${name} WHERE owner = ?`, owner));
  return counts.reduce((sum, count) => sum + count, countIn(database, "users WHERE number = ?", owner));
}

nightly(
  `${DOCUMENTS} documents and ${INSIDE} records are exported, erased, and imported elsewhere under ${KILLS} kills each`,
  { timeout: 3 * TIMEOUT },
  async () => {
    const { stateDir, service, owner, ada, bob } = await prepare({
      ...{ documents: DOCUMENTS, records: INSIDE, tags: ["quokka", "x"] },
      inFolder: { name: "Ice", documents: 10 },
    });
    const exported = (await ada(service)("GET", "/api/export")).text;
    const rowsLeft = () => {
      // The service may be running.
      const file = requireDatabaseFile(stateDir);
      const database = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
      const left = rowsOfOwner(database, owner);
      database.close();
      return left;
    };
    const token = sender(service.apiUrl, await login(service.apiUrl, ADA));
    const erasing = await underKills(stateDir, service, {
      ...{ name: "erase an account", total: rowsLeft() },
      begin: () => token("DELETE", "/api/auth/me", { body: { password: ADA.password } }),
      left: async (of) => {
        await othersAreServed(bob(of));
        return rowsLeft();
      },
    });
    expect((await ada(erasing)("GET", "/api/documents")).status).toBe(401);

    const carl = { ...ADA, email: "carl@example.com" };
    const key = await join(erasing.apiUrl, carl);
    const last = await underKills(stateDir, erasing, {
      ...{ name: "import a file", total: 2 * DOCUMENTS },
      begin: (of) =>
        sender(of.apiUrl, key)("POST", "/api/import", {
          body: exported,
          headers: { Prefer: "respond-async" },
        }),
      left: async (of) => {
        await othersAreServed(bob(of));
        const send = sender(of.apiUrl, key);
        const { items } = await read<{ items: Job[] }>(send, "/api/jobs");
        const [job] = items;
        if (!job || (await hasEnded(send))) return job ? 0 : 2 * DOCUMENTS;
        const isChecked = job.total !== null;
        return (isChecked ? 1 : 2) * DOCUMENTS - (await totalOf(send, "/api/documents?limit=1")) + 1;
      },
    });
    const again = await sender(last.apiUrl, key)("GET", "/api/export");
    expect(linesOf(again.text)).toEqual(linesOf(exported));
    await checkStopped(stateDir, last, (database) => expect(rowsOfOwner(database, owner)).toBe(0));
  },
);
