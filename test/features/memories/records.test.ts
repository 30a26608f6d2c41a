import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { meterDatabase } from "../../../bench/workers/meter.ts";
import { openCtx } from "../../../src/features/auth/caller-store.ts";
import { getMeRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import { type CtxUser, ctxFor } from "../../../src/platform/core/ctx.ts";
import { addDays, dayOf, startOfDay } from "../../../src/contract/days.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { getBriefing } from "../../../src/features/dashboard/tools.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openBase, openSession } from "../../../src/platform/db/session.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import { readResource } from "../../../src/doors/mcp/resources.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/memories/routes.ts";
import { createMemory } from "../../../src/features/memories/store.ts";
import { closeMemories, remember, updateMemory } from "../../../src/features/memories/tools.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import { FORMS_VERSION, OUTDATED } from "../../../src/engine/analyse.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { ClientOf } from "../../kit/database.ts";
import { type Prepared, prepare } from "../../kit/memories.ts";
import { metered } from "../../kit/meter.ts";

// Memory records are numbered per owner: two people may both have record 1.

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;

const make = (client: Client, fields: object = {}) =>
  client.ok(memories.createMemoryRoute, { json: { ...RECORD, ...fields } });

const at = (id: number) => ({ params: { memory_id: String(id) } });

/** Everything that somebody owns, without the time of the export. */
const everythingOf = async (client: Client) =>
  (await (await client.fetch("/api/export")).text()).split("\n").slice(1, -2);

test("numbers start at 1 for each user, even concurrently, and are never reused", async () => {
  const [ada, bob] = [await person(), await person()];
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => make(ada, { topic: `Topic ${n}` })));
  expect(made.map(({ id }) => id).sort((a, b) => a - b)).toEqual(made.map((_, n) => n + 1));
  expect((await make(bob)).id).toBe(1);

  const erase = (id: number) =>
    ada.call(memories.deleteMemoryRoute, { ...at(id), query: { permanent: "true" } });
  for (const id of [20, 19]) await erase(id);
  expect((await make(ada)).id).toBe(21);
  const old = await ada.ok(memories.supersedeMemoryRoute, { ...at(21), json: { content: "To Alan" } });
  expect(old).toMatchObject({ id: 21, superseded_by_id: 22 });
  expect(await ada.ok(memories.getMemoryRoute, at(22))).toMatchObject({ id: 22, supersedes_id: 21 });
  await erase(22);
  expect(await ada.ok(memories.getMemoryRoute, at(21))).toMatchObject({ superseded_by_id: null });
  const operations = [1, 2].map((n) => ({ operation: "create", ...RECORD, topic: `Bulk ${n}` }));
  const { results } = await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
  expect(results.map(({ id }) => id)).toEqual([23, 24]);
  expect((await make(bob)).id).toBe(2);

  const { items } = await ada.ok(memories.listMemoryEventsRoute, at(21));
  expect(items.map(({ id, event }) => [id, event])).toEqual([
    [1, "created"],
    [2, "superseded"],
  ]);
});

test("an unknown document is named, with the same bytes for somebody else's and a random one", async () => {
  const [ada, bob] = [await person(), await person()];
  const { id } = await bob.ok(createDocumentRoute, { json: { title: "Foreign" } });
  const mine = await make(ada);
  const answers = new Set<string>();
  for (const document_id of [id, crypto.randomUUID()]) {
    const created = await ada.call(memories.createMemoryRoute, { json: { ...RECORD, document_id } });
    const changed = await ada.call(memories.updateMemoryRoute, { ...at(mine.id), json: { document_id } });
    const replaced = await ada.call(memories.supersedeMemoryRoute, {
      ...at(mine.id),
      json: { content: "x", document_id },
    });
    for (const { status, text } of [created, changed, replaced]) answers.add(`${status} ${text}`);
    const operations = [{ operation: "create", ...RECORD, document_id }];
    const { results } = await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
    expect(results).toEqual([{ index: 0, ok: false, detail: "document_id: not found" }]);
  }
  expect([...answers]).toEqual(['404 {"detail":"document_id: not found"}']);
  expect((await make(ada)).id).toBe(2);
});

const EVERY_WAY = [
  [memories.getMemoryRoute, {}],
  [memories.updateMemoryRoute, { json: { topic: "Mine now", tags: ["x"] } }],
  [memories.resolveMemoryRoute, { json: { resolution_note: "x" } }],
  [memories.reopenMemoryRoute, {}],
  [memories.deferMemoryRoute, { json: { deferred_until: "2090-01-01" } }],
  [memories.reopenMemoryRoute, {}],
  [memories.confirmMemoryRoute, {}],
  [memories.archiveMemoryRoute, {}],
  [memories.reopenMemoryRoute, {}],
  [memories.supersedeMemoryRoute, { json: { content: "x" } }],
  [memories.listMemoryEventsRoute, {}],
  [memories.deleteMemoryRoute, {}],
  [memories.restoreMemoryRoute, {}],
  [memories.deleteMemoryRoute, { query: { permanent: "true" } }],
] as const;

test("changing record 1 does not affect anybody else's record 1, and other numbers are a 404", async () => {
  const [ada, bob] = [await person(), await person()];
  for (let n = 1; n <= 9; n++) await make(bob, { topic: `Bob ${n}`, tags: ["b"] });
  await bob.ok(memories.supersedeMemoryRoute, { ...at(1), json: { content: "Newer" } });
  await make(ada, { topic: "Ada 1" });
  const before = await everythingOf(bob);

  for (const [route, parts] of EVERY_WAY) {
    const foreign = await ada.call(route, { ...at(7), ...parts });
    const random = await ada.call(route, { ...at(12_345), ...parts });
    expect([route.operationId, foreign.status, foreign.text]).toEqual([
      route.operationId,
      404,
      '{"detail":"Not found"}',
    ]);
    expect([foreign.text, [...foreign.headers.keys()]]).toEqual([random.text, [...random.headers.keys()]]);
  }
  for (const [route, parts] of EVERY_WAY) {
    expect([route.operationId, (await ada.call(route, { ...at(1), ...parts })).status < 300]).toEqual([
      route.operationId,
      true,
    ]);
  }
  expect(await everythingOf(bob)).toEqual(before);
  const ctx = await ctxOf(bob);
  expect((await callTool(ctx, fetchTool, { id: "mem:2" })).title).toBe("Bob 2");
  expect((await readResource(ctx, "memory://3"))?.text).toContain("Bob 3");
  const found = await bob.ok(searchRoute, { query: { q: "Bob", type: "memories" } });
  expect(found.total).toBe(10);
  expect(
    (await ada.ok(searchRoute, { query: { q: "Ada OR Mine OR slides", type: "memories" } })).results,
  ).toHaveLength(1);
});

test("remember returns an existing record with the same content, and says so", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const stranger = await ctxOf(await person());
  const said = { ...RECORD, due_date: "2030-01-01", tags: ["a"] };
  const first = await callTool(ctx, remember, said);
  expect(first.note).toBeUndefined();
  const again = await callTool(ctx, remember, said);
  expect(again).toEqual({ ...first, note: expect.stringContaining("nothing was added") });
  expect((await callTool(ctx, remember, RECORD)).memory?.id).toBe("mem:1");
  const others = [
    { ...said, due_date: "2030-01-02" },
    { ...said, tags: ["b"] },
    { ...said, content: "To grace" },
    { ...said, memory_type: "context" },
  ];
  for (const [n, other] of others.entries()) {
    expect(await callTool(ctx, remember, other)).toMatchObject({ memory: { id: `mem:${n + 2}` } });
  }
  const spoken = [
    { ...RECORD, topic: "?!", content: "…" },
    { ...RECORD, topic: "東京でQ&A", content: "She said: \"'title : tags'\" OR NOT" },
    { ...RECORD, topic: "C++", content: "word ".repeat(4000).trim() },
  ];
  for (const one of spoken) {
    expect((await callTool(stranger, remember, one)).note).toBeUndefined();
    expect((await callTool(stranger, remember, one)).note).toContain("nothing was added");
    expect((await callTool(stranger, remember, { ...one, content: `${one.content}!` })).note).toBeUndefined();
  }
  await ada.ok(memories.resolveMemoryRoute, at(1));
  expect((await callTool(ctx, remember, said)).memory?.id).toBe("mem:6");
  expect((await callTool(stranger, remember, said)).note).toBeUndefined();
  const parallel = await Promise.all(
    Array.from({ length: 8 }, () => callTool(stranger, remember, { ...said, topic: "Once" })),
  );
  expect(new Set(parallel.map(({ memory }) => memory?.id)).size).toBe(1);
});

test("a new record costs one call and a bounded number of rows", async () => {
  const ada = await person();
  await make(ada);
  const { session, meter } = metered(openSession(env.DB));
  const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
  await createMemory(ctx, { ...RECORD, topic: "Metered" }, { source_type: "api" });
  expect(meter.batches).toBe(1);
  // The record and its event; its entry in four lists, in a total, in what the account uses, and in three tables of the
  // text index.
  expect(meter.rowsWritten).toBeLessThanOrEqual(14);
  const types = ["commitment", "decision", "blocker", "pattern", "preference", "context"] as const;
  for (const memory_type of types) {
    for (const due_date of [null, "2030-01-01"]) {
      for (const project of [null, "Apollo"]) {
        const whole = { ...RECORD, memory_type, due_date, project, scope: "work" } as const;
        await createMemory(ctx, { ...whole, topic: "The first of its kind" }, { source_type: "api" });
        meter.rowsWritten = 0;
        await createMemory(ctx, { ...whole, topic: "One more" }, { source_type: "api" });
        expect(meter.rowsWritten, JSON.stringify(whole)).toBeLessThanOrEqual(14);
      }
    }
  }
});

test("each request on records costs a known number of calls to the database", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  await make(ada);
  await make(ada);
  const meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
  const client = new ClientOf(ada, meterDatabase(env.DB, meter));
  const headers = { "Idempotency-Key": "k" };
  const asked: [number, Parameters<Client["ok"]>[0], Parameters<Client["ok"]>[1]][] = [
    [1, memories.createMemoryRoute, { json: RECORD }],
    [1, memories.createMemoryRoute, { json: RECORD, headers }],
    [1, memories.getMemoryRoute, at(1)],
    [1, memories.listMemoriesRoute, { query: { status: "active" } }],
    [1, memories.listMemoryEventsRoute, at(1)],
    [2, memories.updateMemoryRoute, { ...at(1), json: { topic: "Other" } }],
    [2, memories.confirmMemoryRoute, at(1)],
    [2, memories.deferMemoryRoute, { ...at(1), json: { deferred_until: "2999-01-01" } }],
    [2, memories.reopenMemoryRoute, { ...at(1), headers }],
    [1, memories.reopenMemoryRoute, { ...at(1), headers }],
    [2, memories.resolveMemoryRoute, at(1)],
    [2, memories.reopenMemoryRoute, at(1)],
    [2, memories.archiveMemoryRoute, at(1)],
    [2, memories.supersedeMemoryRoute, { ...at(2), json: { content: "Newer" } }],
    [1, memories.deleteMemoryRoute, at(1)],
    [2, memories.restoreMemoryRoute, at(1)],
    [1, memories.deleteMemoryRoute, { ...at(1), query: { permanent: "true" } }],
    [1, listTrashRoute, { query: { type: "all" } }],
    [1, dashboard.listCommitmentsRoute, {}],
    [1, dashboard.listAlertsRoute, {}],
    [1, dashboard.listHistoryRoute, {}],
    [1, dashboard.getSummaryRoute, {}],
    [1, searchRoute, { query: { q: "slides", type: "memories" } }],
  ];
  for (const [calls, route, parts] of asked) {
    meter.calls = 0;
    await client.ok(route, parts);
    expect([route.operationId, meter.calls]).toEqual([route.operationId, calls]);
  }
  // Another isolate changes the time zone: this one notices with the answer, and asks again.
  for (const [timezone, calls] of [
    ["Pacific/Kiritimati", 2],
    ["Pacific/Kiritimati", 1],
    ["Pacific/Midway", 2],
  ] as const) {
    await env.DB.prepare("UPDATE users SET timezone = ? WHERE number = ?")
      .bind(timezone, await numberOf(ada))
      .run();
    meter.calls = 0;
    const today = dayOf(new Date(), timezone);
    expect(await client.ok(dashboard.getSummaryRoute)).toMatchObject({ timezone, today });
    expect(meter.calls).toBe(calls);
  }
});

test("a tool on records costs as many calls as its route", async () => {
  const ada = await person();
  const { user: _, ...known } = await ctxOf(ada);
  const meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
  const d1 = meterDatabase(env.DB, meter);
  const id = (await ada.ok(getMeRoute)).id;
  const epoch = 0;
  const callsOf = async (tool: Parameters<typeof callTool>[1], sent: object) => {
    const session = openSession(d1);
    const base = { db: openDatabase(session), now: known.now, home: 1 };
    const ctx = openCtx(base, session, { kind: "grant", home: 1, owner: known.owner, user_id: id, epoch });
    meter.calls = 0;
    await callTool(ctx, tool, sent);
    return meter.calls;
  };
  expect(await callsOf(remember as never, RECORD)).toBe(1);
  expect(await callsOf(remember as never, { ...RECORD, replaces_id: 1 })).toBe(2);
  expect(await callsOf(updateMemory as never, { id: 2, topic: "Other" })).toBe(2);
  expect(await callsOf(closeMemories as never, { ids: [2], outcome: "resolved" })).toBe(2);
  expect(await callsOf(listMemories as never, {})).toBe(1);
  expect(await callsOf(listMemories as never, { view: "all" })).toBe(1);
  expect(await callsOf(listMemories as never, { view: "history" })).toBe(1);
  expect(await callsOf(getBriefing as never, {})).toBe(1);
});

test("a record keeps the document that it has, even in the trash", async () => {
  const ada = await person();
  const { id } = await ada.ok(createDocumentRoute, { json: { title: "Slides" } });
  await make(ada, { document_id: id });
  await ada.call(deleteDocumentRoute, { params: { document_id: id } });
  expect(await ada.ok(memories.resolveMemoryRoute, at(1))).toMatchObject({
    status: "resolved",
    document_id: id,
  });
  await ada.ok(memories.reopenMemoryRoute, at(1));
  const old = await ada.ok(memories.supersedeMemoryRoute, { ...at(1), json: { content: "Newer" } });
  expect(await ada.ok(memories.getMemoryRoute, at(old.superseded_by_id ?? 0))).toMatchObject({
    document_id: id,
  });
});

test("a deferred record follows its owner into another time zone, and a woken one stays active", async () => {
  const ada = await person({ timezone: "Pacific/Kiritimati" });
  const owner = await numberOf(ada);
  const now = new Date();
  const there = dayOf(now, "Pacific/Kiritimati");
  const sleeping = { status: "deferred", created_at: "2026-01-01T00:00:00.000Z" } as const;
  const days = [there, addDays(there, 1), addDays(there, 200)];
  await prepare(
    owner,
    days.map((deferred_until) => ({ ...sleeping, deferred_until })),
  );
  const statuses = async () =>
    (await ada.ok(memories.listMemoriesRoute, { query: { sort: "due_date" } })).items.map(
      ({ status }) => status,
    );
  const before = await statuses();
  expect(before).toEqual(["active", "deferred", "deferred"]);
  for (const timezone of ["Pacific/Niue", "Europe/Berlin", "America/Santiago"]) {
    await ada.ok(updateMeRoute, { json: { timezone } });
    expect(await statuses()).toEqual(before);
    const { results } = await env.DB.prepare(
      "SELECT deferred_until AS day, touched_at FROM memories WHERE status = 'deferred' ORDER BY id",
    ).all();
    expect(results).toEqual(days.slice(1).map((day) => ({ day, touched_at: startOfDay(day, timezone) })));
  }
});

/** The last migration before records were numbered per user. */
const BEFORE = "0008_sign_in_epoch.sql";

const INSERT_BEFORE = `INSERT INTO memories (id, owner, memory_type, topic, content, status, tags, supersedes_id,
  superseded_by_id, closed_at, source_type, version, created_at, updated_at, touched_at)
  VALUES (?, ?, 'commitment', ?, 'Content', ?, '["x"]', ?, ?, ?, 'api', 1, ?4, ?4, ?4)`;

test("the migration keeps every number, and continues after the former shared counter", async () => {
  for (const [next, expected] of [
    [60, 60],
    [2 ** 40 + 300, 51],
  ] as const) {
    await reset();
    const at = env.MIGRATIONS.findIndex(({ name }) => name === BEFORE) + 1;
    await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, at));
    const now = "2026-01-01T00:00:00.000Z";
    const user = `INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at)
      VALUES (?, ?, ?, '', 'member', 'UTC', '{"commitment":14,"blocker":7}', ?)`;
    const record = (id: number, owner: number, status: string, links: (number | null)[]) => [
      env.DB.prepare(INSERT_BEFORE.replaceAll("?4, ?4, ?4", "?, ?, ?")).bind(
        ...[id, owner, `Topic ${id}`, status, ...links, status === "active" ? null : now, now, now, now],
      ),
      env.DB.prepare(
        "INSERT INTO memory_events (owner, memory_id, event, to_status, at) VALUES (?, ?, 'created', 'active', ?)",
      ).bind(owner, id, now),
      env.DB.prepare(
        "INSERT INTO search_entries (owner, kind, record, length, index_version) VALUES (?, 'memory', ?, 2, 0)",
      ).bind(owner, String(id)),
    ];
    await env.DB.batch([
      env.DB.prepare(user).bind(1, "a", "a@example.com", now),
      env.DB.prepare(user).bind(2, "b", "b@example.com", now),
      ...record(7, 1, "archived", [null, 50]),
      ...record(8, 2, "active", [null, null]),
      ...record(50, 1, "active", [7, null]),
      ...record(2 ** 41, 1, "active", [null, null]),
      env.DB.prepare("UPDATE memory_ids SET next = ?").bind(next),
    ]);
    await applyD1Migrations(env.DB, env.MIGRATIONS);
    const list = (query: string) =>
      env.DB.prepare(query)
        .all()
        .then(({ results }) => results.map((row) => Object.values(row)));
    expect(
      await list("SELECT owner, id, supersedes_id, superseded_by_id FROM memories ORDER BY owner, id"),
    ).toEqual([
      [1, 7, null, 50],
      [1, 50, 7, null],
      [1, 2 ** 41, null, null],
      [2, 8, null, null],
    ]);
    expect(
      await list("SELECT owner, memory_id, id, event FROM memory_events ORDER BY owner, memory_id"),
    ).toEqual([
      [1, 7, 1, "created"],
      [1, 50, 3, "created"],
      [1, 2 ** 41, 4, "created"],
      [2, 8, 2, "created"],
    ]);
    expect(await list("SELECT owner, entries, length FROM search_totals ORDER BY owner")).toEqual([
      [1, 3, 6],
      [2, 1, 2],
    ]);
    expect(
      await list("SELECT owner, sum(active), sum(archived) FROM memory_totals WHERE project = '' GROUP BY 1"),
    ).toEqual([
      [1, 2, 1],
      [2, 1, 0],
    ]);
    const ctx = ctxFor(openBase(env.DB), { number: 1, timezone: "UTC" } as CtxUser);
    expect((await createMemory(ctx, RECORD, { source_type: "api" })).id).toBe(expected);
  }
});

test("the migration of the lists keeps every record, and corrects when a deferred one wakes", async () => {
  await reset();
  const before = env.MIGRATIONS.findIndex(({ name }) => name === "0016_memory_rows.sql");
  await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, before));
  const user = `INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at,
    last_memory_id) VALUES (?, ?, ?, '', 'member', ?, '{"commitment":14,"blocker":7}', '2026-01-01T00:00:00.000Z', 9)`;
  await env.DB.batch([
    env.DB.prepare(user).bind(1, "a", "a@example.com", "UTC"),
    env.DB.prepare(user).bind(2, "b", "b@example.com", "Europe/Berlin"),
  ]);
  const created_at = "2026-01-01T00:00:00.000Z";
  const sleeping = { status: "deferred", deferred_until: "2026-12-24", created_at } as const;
  const rows = [
    { created_at, tags: ["x"], project: "Apollo" },
    { ...sleeping, touched_at: "2026-12-23T23:00:00.000Z" },
    { ...sleeping, touched_at: created_at },
    { status: "resolved", created_at },
  ] as const;
  await prepare(1, [...rows] as Prepared[]);
  await prepare(2, [...rows] as Prepared[]);
  const all = (columns: string, table: string) =>
    env.DB.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2, 3`).raw();
  const kept = () =>
    Promise.all([
      all("owner, id, status, tags, project, version", "memories"),
      all("*", "memory_totals"),
      all("*", "memory_tags"),
    ]);
  const was = await kept();
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await kept()).toEqual(was);
  expect(await all("owner, id, touched_at", "memories WHERE status = 'deferred'")).toEqual([
    [1, 11, "2026-12-24T00:00:00.000Z"],
    [1, 12, "2026-12-24T00:00:00.000Z"],
    [2, 11, "2026-12-23T23:00:00.000Z"],
    [2, 12, "2026-12-24T00:00:00.000Z"],
  ]);
  const ctx = ctxFor(openBase(env.DB), { number: 1, timezone: "UTC" } as CtxUser);
  expect((await createMemory(ctx, RECORD, { source_type: "api" })).id).toBe(14);
});

test("the index of outdated search entries has the condition by which they are looked up", async () => {
  for (const outdated of [OUTDATED, `index_version >= 0 AND index_version < ${FORMS_VERSION}`]) {
    const asked = `SELECT * FROM search_entries WHERE ${outdated} ORDER BY index_version, entry`;
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${asked}`).all<{ detail: string }>();
    expect(results.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("USING INDEX search_entries_outdated_idx"),
    ]);
  }
});
