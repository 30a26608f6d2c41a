import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays, localDay, startOfDay } from "../../../src/contract/days.ts";
import { readResource } from "../../../src/doors/mcp/resources.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { remember } from "../../../src/features/memories/tools.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { atOnce } from "../../kit/at-once.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { ClientOf } from "../../kit/database.ts";
import { prepare } from "../../kit/memories.ts";
import { meterDatabase } from "../../kit/meter.ts";
import { make, PROMISE } from "../../kit/records.ts";

// Memory records are numbered per owner: two people may both have record 1.

const at = (id: number) => ({ params: { memory_id: String(id) } });

/** Everything that an account owns, without the time of the export. */
const everythingOf = async (client: Client) =>
  (await (await client.fetch("/api/export")).text()).split("\n").slice(1, -2);

test("numbers start at 1 for each user, even concurrently, and are never reused", async () => {
  const [ada, bob] = [await person(), await person()];
  const made = await atOnce(20, (n) => make(ada, { topic: `Topic ${n}` }));
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
  const operations = [1, 2].map((n) => ({ operation: "create", ...PROMISE, topic: `Bulk ${n}` }));
  const { results } = await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
  expect(results.map(({ id }) => id)).toEqual([23, 24]);
  expect((await make(bob)).id).toBe(2);

  const { items } = await ada.ok(memories.listMemoryEventsRoute, at(21));
  expect(items.map(({ id, event }) => [id, event])).toEqual([
    [1, "created"],
    [2, "superseded"],
  ]);
});

test("an unknown document is named, with the same bytes for another account's and a random one", async () => {
  const [ada, bob] = [await person(), await person()];
  const { id } = await bob.ok(createDocumentRoute, { json: { title: "Foreign" } });
  const mine = await make(ada);
  const answers = new Set<string>();
  for (const document_id of [id, crypto.randomUUID()]) {
    const created = await ada.call(memories.createMemoryRoute, { json: { ...PROMISE, document_id } });
    const changed = await ada.call(memories.updateMemoryRoute, { ...at(mine.id), json: { document_id } });
    const newer = { ...at(mine.id), json: { content: "x", document_id } };
    const replaced = await ada.call(memories.supersedeMemoryRoute, newer);
    for (const { status, text } of [created, changed, replaced]) answers.add(`${status} ${text}`);
    const operations = [{ operation: "create", ...PROMISE, document_id }];
    const { results } = await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
    expect(results).toEqual([{ index: 0, ok: false, detail: "document_id: not found" }]);
  }
  expect([...answers]).toEqual(['404 {"detail":"document_id: not found"}']);
  expect((await make(ada)).id).toBe(2);
});

const EVERY_WAY = [
  [memories.getMemoryRoute, {}],
  [memories.listMemoryVersionsRoute, {}],
  [memories.skipMemoryRoute, {}],
  [memories.reopenMemoryRoute, {}],
  [memories.updateMemoryRoute, { json: { topic: "Mine now", tags: ["x"] } }],
  [memories.getMemoryVersionRoute, {}],
  [memories.restoreMemoryVersionRoute, {}],
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

test("another account's record 1 is another one, and its other numbers are a 404 like a trashed one", async () => {
  const [ada, bob] = [await person(), await person()];
  for (let n = 1; n <= 9; n++) await make(bob, { topic: `Bob ${n}`, tags: ["b"] });
  await bob.ok(memories.supersedeMemoryRoute, { ...at(1), json: { content: "Newer" } });
  const repeat = "FREQ=DAILY";
  await make(ada, { topic: "Ada 1", repeat });
  await make(ada);
  await ada.call(memories.deleteMemoryRoute, at(2));
  const before = await everythingOf(bob);

  const call = (id: number, [route, parts]: (typeof EVERY_WAY)[number]) =>
    ada.call(route, { params: { ...at(id).params, version: "1" }, ...parts });
  const { text } = await call(2, EVERY_WAY[0]);
  for (const way of EVERY_WAY)
    expect(await call(7, way), way[0].operationId).toMatchObject({ status: 404, text });
  const operations = [{ operation: "resolve", id: 7 }];
  const { results } = await ada.ok(memories.changeMemoriesRoute, { json: { operations } });
  expect(results).toEqual([{ index: 0, ok: false, id: 7, detail: "Not found" }]);
  expect((await ada.ok(memories.listMemoriesRoute)).items.map(({ topic }) => topic)).toEqual(["Ada 1"]);
  for (const way of EVERY_WAY) {
    const { status, body } = await call(1, way);
    expect([way[0].operationId, status < 300]).toEqual([way[0].operationId, true]);
    if (way[0] === memories.listMemoryVersionsRoute) expect(body).toMatchObject({ total: 0 });
  }
  expect(await everythingOf(bob)).toEqual(before);
  const ctx = await ctxOf(bob);
  expect((await callTool(ctx, fetchTool, { id: "mem:2" })).title).toBe("Bob 2");
  expect((await readResource(ctx, "memory://3"))?.text).toContain("Bob 3");
  const search = (who: Client, q: string) => who.ok(searchRoute, { query: { q, type: "memories" } });
  expect((await search(bob, "Bob")).total).toBe(10);
  expect((await search(ada, "Bob")).total).toBe(0);
});

test("remember returns an existing record with the same content, and says so", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const stranger = await ctxOf(await person());
  const said = { ...PROMISE, due_date: "2030-01-01", tags: ["a"] };
  const first = await callTool(ctx, remember, said);
  expect(first.note).toBeUndefined();
  const again = await callTool(ctx, remember, said);
  expect(again).toEqual({ ...first, note: expect.stringContaining("nothing was added") });
  expect((await callTool(ctx, remember, PROMISE)).memory?.id).toBe("mem:1");
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
    { ...PROMISE, topic: "?!", content: "…" },
    { ...PROMISE, topic: "東京でQ&A", content: "She said: \"'title : tags'\" OR NOT" },
    { ...PROMISE, topic: "C++", content: "word ".repeat(4000).trim() },
  ];
  for (const one of spoken) {
    expect((await callTool(stranger, remember, one)).note).toBeUndefined();
    expect((await callTool(stranger, remember, one)).note).toContain("nothing was added");
    expect((await callTool(stranger, remember, { ...one, content: `${one.content}!` })).note).toBeUndefined();
  }
  await ada.ok(memories.resolveMemoryRoute, at(1));
  expect((await callTool(ctx, remember, said)).memory?.id).toBe("mem:6");
  expect((await callTool(stranger, remember, said)).note).toBeUndefined();
  const parallel = await atOnce(8, () => callTool(stranger, remember, { ...said, topic: "Once" }));
  expect(new Set(parallel.map(({ memory }) => memory?.id)).size).toBe(1);
});

const meterOf = () => ({ rowsRead: 0, rowsWritten: 0, calls: 0 });

test("a request on records costs one call to the database, and a change two at most", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  await make(ada);
  await make(ada);
  const meter = meterOf();
  const client = new ClientOf(ada, meterDatabase(env.DB, meter));
  const headers = { "Idempotency-Key": "k" };
  const asked: [number, Parameters<Client["ok"]>[0], Parameters<Client["ok"]>[1]][] = [
    [1, memories.createMemoryRoute, { json: PROMISE, headers }],
    [1, memories.getMemoryRoute, at(1)],
    [1, memories.listMemoriesRoute, { query: { status: "active" } }],
    [1, memories.listMemoryEventsRoute, at(1)],
    [2, memories.updateMemoryRoute, { ...at(1), json: { topic: "Other" } }],
    [2, memories.deferMemoryRoute, { ...at(1), json: { deferred_until: "2999-01-01" } }],
    [2, memories.reopenMemoryRoute, { ...at(1), headers }],
    [1, memories.reopenMemoryRoute, { ...at(1), headers }],
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
    expect(meter.calls, route.operationId).toBeLessThanOrEqual(calls);
  }
  // Another isolate changes the time zone: this one notices with the answer, and asks again.
  for (const [timezone, calls] of [
    ["Pacific/Kiritimati", 2],
    ["Pacific/Kiritimati", 1],
    ["Pacific/Midway", 2],
  ] as const) {
    const changed = env.DB.prepare("UPDATE users SET timezone = ? WHERE number = ?");
    await changed.bind(timezone, await numberOf(ada)).run();
    meter.calls = 0;
    const today = localDay(new Date(), timezone);
    expect(await client.ok(dashboard.getSummaryRoute)).toMatchObject({ timezone, today });
    expect(meter.calls).toBeLessThanOrEqual(calls);
  }
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
