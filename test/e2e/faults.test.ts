import { randomInt } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ADA } from "./accounts.ts";
import { folder, start } from "./instances.ts";
import { checkIntegrity } from "./integrity.ts";
import { freePorts, register } from "./service.ts";
import { openState } from "./state.ts";

// Nothing is lost when the service is killed at random moments under mixed writes.

/** A few by default; the nightly run has more. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const WRITERS = 4;
const SETTINGS = { RATE_LIMIT_REGISTER: "1000/60" };

type Document = { id: string; version: number; title: string; content?: { text?: string } };

/** What a client knows about a document: the last acknowledged version, or that it was deleted. */
type Known = { version: number; text: string; trashed: boolean; erased: boolean; perhapsErased?: boolean };

type Request = { method?: string; body?: unknown; headers?: Record<string, string> };

/** One request; undefined if there was no answer. */
async function ask(url: string, token: string, { method = "POST", body, headers }: Request) {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  return response && text !== undefined
    ? { status: response.status, body: (text ? JSON.parse(text) : undefined) as Document }
    : undefined;
}

/** Creates a document with an Idempotency-Key, which is also its title. */
const create = (api: string, token: string, key: string) =>
  ask(`${api}/documents`, token, {
    body: { title: key, content: { text: `created ${key}` }, tags: ["t"] },
    headers: { "Idempotency-Key": key },
  });

const pick = <Item>(items: Item[]): Item | undefined => items[randomInt(Math.max(1, items.length))];

/** A program that writes until there is no answer. It records what was acknowledged. */
async function write(
  api: string,
  token: string,
  books: Map<string, Known>,
  pending: Set<string>,
): Promise<void> {
  for (let n = 0; ; n++) {
    const living = [...books].filter(([, { trashed, erased }]) => !trashed && !erased).map(([id]) => id);
    const id = pick(living);
    if (id === undefined || n % 3 === 0) {
      const key = crypto.randomUUID();
      pending.add(key);
      const made = await create(api, token, key);
      if (!made) return;
      expect(made.status).toBe(201);
      pending.delete(key);
      books.set(made.body.id, { version: 1, text: key, trashed: false, erased: false });
      continue;
    }
    // Only one writer at a time changes a document, so that the record is exact.
    const known = books.get(id) as Known;
    books.delete(id);
    const done = await change(api, token, id, known);
    books.set(id, done.known);
    if (!done.answered) return;
  }
}

/** Changes a document in one of several ways; an unacknowledged change may or may not have happened. */
async function change(api: string, token: string, id: string, known: Known) {
  const address = `${api}/documents/${id}`;
  const line = `edited ${crypto.randomUUID()}`;
  switch (randomInt(5)) {
    case 0: {
      const answer = await ask(address, token, { method: "DELETE" });
      return { known: { ...known, trashed: answer?.status === 204 }, answered: answer !== undefined };
    }
    case 1: {
      const answer = await ask(`${address}?permanent=true`, token, { method: "DELETE" });
      const fate = answer ? { erased: answer.status === 204 } : { perhapsErased: true };
      return { known: { ...known, ...fate }, answered: answer !== undefined };
    }
    case 2: {
      const operations = [
        { operation: "add_tags", id, tags: [line] },
        { operation: "update", id, content: { text: line } },
      ];
      const answer = await ask(`${api}/documents/bulk`, token, { body: { operations } });
      if (answer) expect(answer.status).toBe(200);
      const next = { ...known, version: known.version + 1, text: line };
      return { known: answer ? next : known, answered: answer !== undefined };
    }
    default: {
      const answer = await ask(`${address}/edit`, token, { body: { operation: "append", text: line } });
      if (!answer) return { known, answered: false };
      expect(answer.status).toBe(200);
      return { known: { ...known, version: answer.body.version, text: line }, answered: true };
    }
  }
}

/** What must hold in a database after a kill. */
function checkDatabase(database: DatabaseSync): void {
  checkIntegrity(database);
  const rows = (sql: string) => database.prepare(sql).all();
  const unindexed = `SELECT d.id FROM documents AS d LEFT JOIN search_entries AS s ON s.kind = 'document' AND s.record = d.id
    WHERE d.trashed_at IS NULL AND s.entry IS NULL`;
  expect(rows(unindexed)).toEqual([]);
  const orphans = `SELECT s.record FROM search_entries AS s LEFT JOIN documents AS d ON d.id = s.record
    WHERE s.kind = 'document' AND (d.id IS NULL OR d.trashed_at IS NOT NULL)`;
  expect(rows(orphans)).toEqual([]);
  const gaps = `SELECT d.id FROM documents AS d LEFT JOIN document_versions AS v ON v.document_id = d.id
    GROUP BY d.id HAVING count(v.version) <> min(d.version - 1, 50)
      OR (d.version > 1 AND (max(v.version) <> d.version - 1 OR min(v.version) <> max(1, d.version - 50)))`;
  expect(rows(gaps)).toEqual([]);
  const tags = `SELECT d.id FROM documents AS d, json_each(CASE WHEN d.trashed_at IS NULL THEN d.tags ELSE '[]' END) AS t
    WHERE NOT EXISTS (SELECT 1 FROM document_tags WHERE document_id = d.id AND tag = t.value)`;
  expect(rows(tags)).toEqual([]);
  const totals = `SELECT t.owner FROM search_totals AS t WHERE t.kind = 'document' AND t.entries <>
    (SELECT count(*) FROM search_entries AS s WHERE s.owner = t.owner AND s.kind = t.kind)`;
  expect(rows(totals)).toEqual([]);
}

/** Every acknowledged write exists, and every other one exists completely or not at all. */
function checkBooks(database: DatabaseSync, books: Map<string, Known>, repeated: Set<string>): void {
  const find = database.prepare("SELECT version, content, trashed_at FROM documents WHERE id = ?");
  for (const [id, known] of books) {
    const row = find.get(id) as { version: number; content: string; trashed_at: string | null } | undefined;
    if (known.erased) {
      expect(row, id).toBeUndefined();
      continue;
    }
    if (!row) {
      expect(known.perhapsErased, `${id} is lost`).toBe(true);
      books.delete(id);
      continue;
    }
    expect(row.version, id).toBeGreaterThanOrEqual(known.version);
    if (known.trashed) expect(row.trashed_at, id).not.toBeNull();
    if (row.version === known.version) expect(row.content, id).toContain(known.text);
    // An unanswered change may have happened; from here on it must not vanish.
    if (row.version > known.version) known.text = "";
    Object.assign(known, { version: row.version, trashed: row.trashed_at !== null, perhapsErased: false });
  }
  const made = database.prepare("SELECT count(*) AS n FROM documents WHERE title = ?");
  for (const key of repeated) expect(made.get(key)?.n, key).toBe(1);
}

test(`nothing acknowledged is lost in ${ROUNDS} kills`, { timeout: ROUNDS * 60_000 }, async () => {
  const [stateDir, ports] = [await folder(), await freePorts()];
  const books = new Map<string, Known>();
  let token = "";
  let acknowledged = 0;
  let pending = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const service = await start(stateDir, SETTINGS, ports);
    const api = `${service.apiUrl}/api`;
    // Unanswered requests are repeated with their keys: each takes effect once, whether it had been written or not.
    const repeated = pending;
    for (const key of repeated) expect((await create(api, token, key))?.status).toBe(201);
    token = await register(service.apiUrl, { ...ADA, email: `round${round}@example.com` });
    const own = new Map<string, Known>();
    pending = new Set();
    const writers = Array.from({ length: WRITERS }, () => write(api, token, own, pending));
    await sleep(randomInt(200, 2000));
    await service.kill();
    await Promise.all(writers);
    for (const [id, known] of own) books.set(id, known);
    acknowledged += own.size;
    console.log(`kill ${round + 1}: ${own.size} documents, ${pending.size} creations without an answer`);
    const database = openState(stateDir);
    checkDatabase(database);
    checkBooks(database, books, repeated);
    database.close();
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS);
  console.log(`${ROUNDS} kills, ${acknowledged} documents`);
});
