import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays, localDay, startOfDay } from "../../../src/contract/days.ts";
import { readResource } from "../../../src/doors/mcp/resources.ts";
import { openCtx } from "../../../src/features/auth/caller-store.ts";
import { getMeRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { getBriefing } from "../../../src/features/dashboard/tools.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { createMemory } from "../../../src/features/memories/store.ts";
import { closeMemories, remember, updateMemory } from "../../../src/features/memories/tools.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { ClientOf } from "../../kit/database.ts";
import { prepare } from "../../kit/memories.ts";
import { MERGES, meterDatabase, metered } from "../../kit/meter.ts";

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
  const { session, meter } = metered(openSession(env.DB), MERGES);
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
    const today = localDay(new Date(), timezone);
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
    const base = { db: openDatabase(session), now: known.now, shard: 1 };
    const ctx = openCtx(base, session, { kind: "grant", shard: 1, owner: known.owner, user_id: id, epoch });
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
  const there = localDay(now, "Pacific/Kiritimati");
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
