import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Job } from "../../src/contract/jobs.ts";
import { asUser } from "./accounts.ts";
import {
  DOCUMENTS,
  IS_FULL,
  KILLS,
  newPlace,
  type Place,
  read,
  readState,
  type Send,
  sender,
  totalOf,
  underKills,
} from "./kills.ts";
import { type Filling, fillAccount, ownerOf } from "./large.ts";
import { nightly } from "./nightly.ts";
import { register, type Service } from "./service.ts";
import { openState } from "./state.ts";

// Long work on many documents, while the service is killed: what is answered meanwhile is right, and in the end nothing
// is lost or done twice.

const TIMEOUT = 120_000 + KILLS * 90_000 + DOCUMENTS * 40;
const ADA = { email: "ada@example.com", password: "a long password" };
const BOB = { email: "bob@example.com", password: "a long password" };
const AT_ONCE: Record<string, string> = IS_FULL ? {} : { Prefer: "respond-async" };

/** Creates an account, and returns an API key of it. */
async function join(apiUrl: string, person: typeof ADA): Promise<string> {
  const token = await register(apiUrl, person);
  const scopes = ["docs:read", "docs:write", "memory:read", "memory:write"];
  const answer = await fetch(`${apiUrl}/api/api-keys`, {
    method: "POST",
    headers: asUser(token),
    body: JSON.stringify({ name: "Test", scopes }),
  });
  return ((await answer.json()) as { key: string }).key;
}

/** A service in which Ada has much, and Bob a little. */
async function prepare(filling: Filling) {
  const place = await newPlace();
  const first = await place.startHere();
  const [ada, bob] = [await join(first.apiUrl, ADA), await join(first.apiUrl, BOB)];
  await first.stop();
  const database = openState(place.stateDir);
  const owner = ownerOf(database, ADA.email);
  const folder = fillAccount(database, ADA.email, filling);
  fillAccount(database, BOB.email, { documents: 5 });
  database.close();
  const service = await place.startHere();
  const sendOf = (key: string) => (of: Service) => sender(of.apiUrl, key);
  return { place, service, owner, folder, ada: sendOf(ada), bob: sendOf(bob) };
}

/** What somebody else asks meanwhile. */
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

const rowsOf = (database: DatabaseSync, sql: string, ...params: (string | number)[]) =>
  database.prepare(sql).all(...params);

const countIn = (database: DatabaseSync, from: string, owner: number) =>
  Number(rowsOf(database, `SELECT count(*) AS n FROM ${from}`, owner)[0]?.n);

/** What must hold in the database of a service that was stopped. */
function checkIndex(database: DatabaseSync): void {
  expect(rowsOf(database, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(rowsOf(database, "PRAGMA foreign_key_check")).toEqual([]);
  database.exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')");
  const lost = `SELECT entry FROM search_entries WHERE index_version < 0 OR entry NOT IN (SELECT id FROM search_index_docsize)
    UNION ALL SELECT id FROM search_index_docsize WHERE id > 0 AND id NOT IN (SELECT entry FROM search_entries)`;
  expect(rowsOf(database, lost)).toEqual([]);
  const miscounted = `SELECT number FROM users LEFT JOIN usage ON usage.owner = number
    WHERE coalesce(documents, 0) <> (SELECT count(*) FROM documents WHERE owner = number AND trashed_at IS NULL)
      OR coalesce(records, 0) <> (SELECT count(*) FROM memories WHERE owner = number)`;
  expect(rowsOf(database, miscounted)).toEqual([]);
}

/** Each of so many documents was changed exactly once, and the ledger says so. */
function checkOnce(
  database: DatabaseSync,
  owner: number,
  { count, verb }: { count: number; verb: string },
): void {
  expect(countIn(database, "documents WHERE owner = ? AND version = 3", owner)).toBe(count);
  expect(countIn(database, "document_versions WHERE owner = ?", owner)).toBe(2 * count);
  const told = "activity WHERE owner = ? AND kind = 'document' AND version_after = 3";
  expect(countIn(database, `${told} AND verb = '${verb}'`, owner)).toBe(count);
  expect(countIn(database, told, owner)).toBe(count);
  const of = `(SELECT DISTINCT record FROM ${told})`;
  expect(countIn(database, of, owner)).toBe(count);
  // Of very many entries, the oldest are not kept.
  const gaps = `activity AS a WHERE owner = ?
    AND number > (SELECT min(number) FROM activity AS first WHERE first.owner = a.owner)
    AND NOT EXISTS (SELECT 1 FROM activity AS b WHERE b.owner = a.owner AND b.number = a.number - 1)`;
  expect(countIn(database, gaps, owner)).toBe(0);
}

async function checkStopped(place: Place, service: Service, check: (database: DatabaseSync) => void) {
  await service.stop();
  const database = openState(place.stateDir);
  checkIndex(database);
  check(database);
  database.close();
}

nightly(`a tag on ${DOCUMENTS} documents is renamed under ${KILLS} kills`, { timeout: TIMEOUT }, async () => {
  const { place, service, owner, ada, bob } = await prepare({
    documents: DOCUMENTS,
    tags: ["quokka", "x"],
  });
  const tagged = (send: Send, tag: string) => totalOf(send, `/api/documents?tag=${tag}&limit=1`);
  const left = async (of: Service) => {
    await othersAreServed(bob(of));
    const send = ada(of);
    const before = await tagged(send, "quokka");
    const renamed = await tagged(send, "wombat");
    const after = await tagged(send, "quokka");
    expect(renamed).toBeGreaterThanOrEqual(DOCUMENTS - before);
    expect(renamed).toBeLessThanOrEqual(DOCUMENTS - after);
    const { items } = await read<{ items: { name: string; document_count: number }[] }>(send, "/api/tags");
    const counts = items.filter(({ name }) => name !== "x").map((tag) => tag.document_count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(DOCUMENTS);
    return after || !(await hasEnded(send)) ? Math.max(1, after) : 0;
  };
  const check = (database: DatabaseSync) => {
    const listed = `documents AS d WHERE owner = ? AND json_array_length(tags) = 2 AND 2 = (SELECT count(*)
      FROM document_tags AS t, json_each(d.tags) WHERE t.owner = d.owner AND tag = value AND document_id = d.id)`;
    expect(countIn(database, listed, owner)).toBe(DOCUMENTS);
    expect(countIn(database, "document_tags WHERE owner = ?", owner)).toBe(2 * DOCUMENTS);
  };
  const begin = (of: Service) =>
    ada(of)("PUT", "/api/tags/quokka", { body: { name: "wombat" }, headers: AT_ONCE });
  const last = await underKills(place, service, {
    name: "rename a tag",
    begin,
    total: DOCUMENTS,
    left,
    check,
  });
  const send = ada(last);
  expect(await tagged(send, "wombat")).toBe(DOCUMENTS);
  expect(await totalOf(send, "/api/search?q=wombat&limit=1")).toBe(DOCUMENTS);
  expect(await totalOf(send, "/api/search?q=quokka&limit=1")).toBe(0);
  await checkStopped(place, last, (database) => {
    checkOnce(database, owner, { count: DOCUMENTS, verb: "changed" });
    expect(countIn(database, "document_tags WHERE owner = ? AND tag = 'wombat'", owner)).toBe(DOCUMENTS);
    expect(countIn(database, "document_tags WHERE owner = ?", owner)).toBe(2 * DOCUMENTS);
  });
});

const INSIDE = DOCUMENTS / 2;

test(`a folder with ${INSIDE} documents is deleted under ${KILLS} kills`, { timeout: TIMEOUT }, async () => {
  const { place, service, owner, folder, ada, bob } = await prepare({
    documents: INSIDE + 10,
    inFolder: { name: "Ice", documents: INSIDE },
  });
  const inside = async (send: Send) => {
    const answer = await send("GET", `/api/documents?folder_id=${folder}&limit=1`);
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
    ada(of)("DELETE", `/api/folders/${folder}?on_content=trash`, { headers: AT_ONCE });
  const last = await underKills(place, service, { name: "delete a folder", begin, total: INSIDE, left });
  const send = ada(last);
  expect((await send("GET", `/api/folders/${folder}`)).status).toBe(404);
  expect(await totalOf(send, "/api/trash?limit=1")).toBe(INSIDE);
  expect(await totalOf(send, "/api/search?q=walrus&limit=1")).toBe(10);
  await checkStopped(place, last, (database) => {
    const outside = "documents WHERE owner = ? AND version = 2 AND trashed_at IS NULL";
    expect(countIn(database, outside, owner)).toBe(10);
    expect(
      countIn(database, "documents WHERE owner = ? AND version = 3 AND trashed_at IS NOT NULL", owner),
    ).toBe(INSIDE);
    expect(countIn(database, "document_versions WHERE owner = ?", owner)).toBe(2 * INSIDE + 10);
    expect(
      countIn(database, "activity WHERE owner = ? AND kind = 'document' AND verb = 'deleted'", owner),
    ).toBe(INSIDE);
    expect(
      countIn(database, "activity WHERE owner = ? AND kind = 'folder' AND verb = 'deleted'", owner),
    ).toBe(1);
  });
});

/** The lines of what an account has, in an order that does not depend on their place in the file. */
const linesOf = (file: string): string[] =>
  file
    .split("\n")
    .filter((line) => !/^\{"type":"(header|manifest|end)"/.test(line))
    .sort();

/** The tables whose rows have an owner. */
const ownedTables = (database: DatabaseSync): string[] =>
  rowsOf(
    database,
    `SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'owner'`,
  ).map(({ name }) => String(name));

function rowsOfOwner(database: DatabaseSync, owner: number): number {
  const counts = ownedTables(database).map((table) => countIn(database, `${table} WHERE owner = ?`, owner));
  return counts.reduce((sum, count) => sum + count, countIn(database, "users WHERE number = ?", owner));
}

nightly(
  `${DOCUMENTS} documents and ${INSIDE} records are exported, erased, and imported elsewhere under ${KILLS} kills each`,
  {
    timeout: 3 * TIMEOUT,
  },
  async () => {
    const { place, service, owner, ada, bob } = await prepare({
      ...{ documents: DOCUMENTS, records: INSIDE, tags: ["quokka", "x"] },
      inFolder: { name: "Ice", documents: 10 },
    });
    const exported = (await ada(service)("GET", "/api/export")).text;
    const rowsLeft = () => readState(place.stateDir, (database) => rowsOfOwner(database, owner));
    const signIn = async ({ apiUrl }: Service) => {
      const { text } = await sender(apiUrl)("POST", "/api/auth/login", { body: ADA });
      return sender(apiUrl, (JSON.parse(text) as { access_token: string }).access_token);
    };
    const token = await signIn(service);
    const erasing = await underKills(place, service, {
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
    const last = await underKills(place, erasing, {
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
    await checkStopped(place, last, (database) => expect(rowsOfOwner(database, owner)).toBe(0));
  },
);
