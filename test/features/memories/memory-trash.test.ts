import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import type { Access } from "../../../src/contract/access.ts";
import { addDays } from "../../../src/contract/days.ts";
import { MemoryType } from "../../../src/contract/memory.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { getBriefing } from "../../../src/features/dashboard/tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { closeMemories, remember } from "../../../src/features/memories/tools.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { listTrashTool, restoreTool } from "../../../src/features/trash/tools.ts";
import { runCall, type Tool } from "../../../src/platform/tools/tool.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { type Prepared, prepare } from "../../kit/memories.ts";
import { make, PROMISE } from "../../kit/records.ts";
import { at, inTrash, read, restore, setNow, trash } from "../../kit/trash.ts";

// A record in the trash.

afterEach(() => {
  vi.useRealTimers();
});

const erase = (client: Client, id: number) =>
  client.call(memories.deleteMemoryRoute, { ...at(id), query: { permanent: "true" } });

const LISTS = [
  [dashboard.listCommitmentsRoute, {}],
  [dashboard.listCommitmentsRoute, { scope: "work", project: "Apollo" }],
  [dashboard.listAlertsRoute, {}],
  [dashboard.listAlertsRoute, { scope: "work" }],
  [dashboard.listHistoryRoute, {}],
  [dashboard.listHistoryRoute, { project: "Apollo" }],
  [dashboard.listHistoryRoute, { memory_type: "blocker", status: "deferred" }],
  [dashboard.getSummaryRoute, {}],
  ...["updated_at", "created_at", "due_date"].map((sort) => [memories.listMemoriesRoute, { sort }] as const),
  ...["active", "deferred", "resolved", "archived"].map(
    (status) => [memories.listMemoriesRoute, { status, tag: "a" }] as const,
  ),
  [memories.listMemoriesRoute, { q: "topic", project: "Apollo" }],
] as const;

/** Every answer that is made of records. */
async function everyAnswer(client: Client): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [route, query] of LISTS) answers.push(await client.ok(route, { query }));
  const { url } = await client.ok(dashboard.createCalendarTokenRoute);
  const calendar = await (await client.fetch(url)).text();
  const events = calendar.match(/^(UID:memory-\d+|SUMMARY.*)/gm)?.sort();
  return [...answers, events, await callTool(await ctxOf(client, new Date()), getBriefing)];
}

const day = fc.integer({ min: -40, max: 40 }).map((days) => addDays("2026-11-20", days));
const anyRecord: fc.Arbitrary<Prepared> = fc
  .record({
    memory_type: fc.constantFrom(...MemoryType.options),
    status: fc.constantFrom("active", "deferred", "resolved", "archived"),
    scope: fc.constantFrom("work", "personal", null),
    project: fc.constantFrom("Apollo", "Gemini", null),
    tags: fc.subarray(["a", "b"]),
    due_date: fc.option(day),
    deferred_until: fc.option(day),
    created: fc.integer({ min: 30, max: 90 }),
    changed: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ created, changed, deferred_until, status, ...row }) => ({
    ...row,
    ...{ status, deferred_until: status === "deferred" ? deferred_until : null },
    created_at: `${addDays("2026-11-20", -created)}T08:00:00.000Z`,
    updated_at: `${addDays("2026-11-20", -changed)}T08:00:00.000Z`,
  }));

test("a record in the trash is as if it had never been, and comes back as it was", async () => {
  setNow();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ row: anyRecord, deleted: fc.boolean() }), { minLength: 12, maxLength: 16 }),
      async (records) => {
        const [ada, bob] = [await person(), await person()];
        const rows = records.map(({ row }) => row);
        const made = await prepare(await numberOf(ada), rows);
        await prepare(await numberOf(bob), rows);
        const before = await everyAnswer(ada);
        const deleted = made.filter((_, index) => records[index]?.deleted);
        for (const id of deleted) {
          await trash(ada, id);
          expect((await erase(bob, id)).status).toBe(204);
        }
        expect(await everyAnswer(ada)).toEqual(await everyAnswer(bob));
        for (const id of deleted) await restore(ada, id);
        expect(await everyAnswer(ada)).toEqual(before);
      },
    ),
    { numRuns: 2 },
  );
});

test("the trash is out of search and duplicates, refuses every step, and can be listed and restored", async () => {
  const ada = await person();
  const { id } = await make(ada, { project: "Apollo", tags: ["x"], due_date: "2030-01-01" });
  await ada.ok(memories.deferMemoryRoute, {
    ...at(id),
    json: { deferred_until: "2090-01-01", note: "Later" },
  });
  const before = await ada.ok(memories.getMemoryRoute, at(id));
  const events = await ada.ok(memories.listMemoryEventsRoute, at(id));
  const found = async () =>
    (await ada.ok(searchRoute, { query: { q: "slides", type: "memories" } })).results.length;
  expect(await found()).toBe(1);

  await trash(ada, id);
  expect(await found()).toBe(0);
  expect((await read(ada, id)).status).toBe(404);
  const { deleteMemoryRoute, listMemoryEventsRoute, listMemoryVersionsRoute, ...routes } = memories;
  const plain = [
    deleteMemoryRoute,
    listMemoryEventsRoute,
    listMemoryVersionsRoute,
    routes.resolveMemoryRoute,
  ];
  for (const route of [...plain, routes.reopenMemoryRoute, routes.confirmMemoryRoute])
    expect((await ada.call(route as typeof deleteMemoryRoute, at(id))).status, route.operationId).toBe(404);
  for (const route of [routes.updateMemoryRoute, routes.supersedeMemoryRoute])
    expect((await ada.call(route, { ...at(id), json: { content: "x" } })).status).toBe(404);
  const ctx = await ctxOf(ada);
  expect((await callTool(ctx, remember, PROMISE)).memory?.id).toBe(`mem:${id + 1}`);

  const { items } = await ada.ok(listTrashRoute, { query: { type: "memories" } });
  expect(items).toEqual([
    {
      ...{ type: "memory", id, memory_type: "commitment", topic: PROMISE.topic, status: "deferred" },
      ...{ project: "Apollo", scope: null, due_date: "2030-01-01", tags: ["x"], source_type: "api" },
      ...{ created_at: before.created_at, updated_at: before.updated_at },
      trashed_at: expect.any(String),
    },
  ]);
  expect(await restore(ada, id)).toEqual(before);
  expect(await restore(ada, id)).toEqual(before);
  expect(await ada.ok(memories.listMemoryEventsRoute, at(id))).toEqual(events);
  expect(await found()).toBe(2);
  expect(await inTrash(ada)).toEqual([]);
});

test("tools: a mistake is deleted without a trace in the statistics, listed and restored", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const rate = async () => (await ada.ok(dashboard.listHistoryRoute)).stats.completion_rate_30d;
  for (const topic of ["Done", "Mistake 1", "Mistake 2"])
    await callTool(ctx, remember, { ...PROMISE, topic });
  await callTool(ctx, closeMemories, { ids: [1], outcome: "resolved" });
  expect(await rate()).toBe(1);
  const closed = await callTool(ctx, closeMemories, { ids: "mem:2, 3, 99", outcome: "deleted" });
  expect(closed).toMatchObject({
    succeeded: 2,
    failed: 1,
    results: [{ ok: true }, { ok: true }, { ok: false }],
  });
  expect(await rate()).toBe(1);
  const { items } = await callTool(ctx, listTrashTool);
  expect(items.map(({ id, kind }) => `${kind} ${id}`).sort()).toEqual(["memory mem:2", "memory mem:3"]);
  const only = (scopes: Access[]) => callTool({ ...ctx, scopes }, listTrashTool);
  expect([(await only(["docs:read"])).total, (await only(["memory:read"])).total]).toEqual([0, 2]);
  const call = { tool: restoreTool as unknown as Tool, sent: { id: "mem:2" } };
  await expect(runCall({ ...ctx, scopes: ["docs:read", "docs:write"] }, call)).rejects.toThrow(
    "memory:write",
  );
  const today = expect.stringMatching(/day\)$/);
  const restored = { id: "mem:2", title: "Mistake 1", status: "active", today };
  expect(await callTool(ctx, restoreTool, { id: "mem:2" })).toEqual(restored);
  expect(await callTool(ctx, restoreTool, { memory_id: "2" })).toEqual(restored);
  await expect(callTool(ctx, restoreTool, { id: "mem:99" })).rejects.toThrow("list_trash");
  await expect(callTool(ctx, restoreTool, { id: "mem:3", version: 1 })).rejects.toThrow(
    "restore without a version",
  );
});

test("a restore with a key takes effect once, and an erased record is a 404", async () => {
  const ada = await person();
  const { id } = await make(ada);
  await trash(ada, id);
  const headers = { "Idempotency-Key": "k" };
  const first = await ada.ok(memories.restoreMemoryRoute, { ...at(id), headers });
  await trash(ada, id);
  expect(await ada.ok(memories.restoreMemoryRoute, { ...at(id), headers })).toEqual(first);
  expect((await read(ada, id)).status).toBe(404);
  expect((await erase(ada, id)).status).toBe(204);
  expect((await ada.call(memories.restoreMemoryRoute, at(id))).status).toBe(404);
  expect((await erase(ada, id)).status).toBe(404);
});

test("links of a replaced record are hidden while one of the two is in the trash, and end when it is erased", async () => {
  const ada = await person();
  const linksOf = async (id: number) => {
    const { supersedes_id, superseded_by_id } = await ada.ok(memories.getMemoryRoute, at(id));
    return [supersedes_id, superseded_by_id];
  };
  const { id: old } = await make(ada);
  await ada.ok(memories.supersedeMemoryRoute, { ...at(old), json: { content: "To Alan" } });
  const next = old + 1;
  expect([await linksOf(old), await linksOf(next)].flat()).toEqual([null, next, old, null]);
  await trash(ada, next);
  expect(await ada.ok(memories.getMemoryRoute, at(old))).toMatchObject({
    superseded_by_id: null,
    version: 3,
  });
  const { items } = await ada.ok(memories.listMemoriesRoute, { query: { status: "archived" } });
  expect(items[0]?.superseded_by_id).toBeNull();
  await ada.ok(memories.reopenMemoryRoute, at(old));
  await trash(ada, old);
  expect((await restore(ada, next)).supersedes_id).toBeNull();
  await restore(ada, old);
  expect([(await linksOf(old))[1], (await linksOf(next))[0]]).toEqual([next, old]);

  await ada.ok(memories.supersedeMemoryRoute, { ...at(old), json: { content: "To Edsger" } });
  expect([(await linksOf(old))[1], (await linksOf(next))[0]]).toEqual([next + 1, old]);
  await trash(ada, old);
  await erase(ada, old);
  expect([(await linksOf(next))[0], (await linksOf(next + 1))[0]]).toEqual([null, null]);
  expect((await make(ada, { topic: "Newest" })).id).toBe(next + 2);
});

test("parallel steps, deletions and restores of one record leave it whole: in the trash or in every place", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const { id } = await make(ada, { tags: ["x"], project: "Apollo" });
  const json = { project: "Gemini", tags: ["y"] };
  const ways = [
    ...[memories.deleteMemoryRoute, memories.restoreMemoryRoute, memories.resolveMemoryRoute].map(
      (route) => () => ada.call(route as typeof memories.restoreMemoryRoute, at(id)),
    ),
    () => ada.call(memories.reopenMemoryRoute, at(id)),
    () => ada.call(memories.updateMemoryRoute, { ...at(id), json }),
  ];
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ways[(n + round) % 5]?.()));
    for (const answer of answers) expect([200, 204, 404]).toContain(answer?.status);
    const living = (await read(ada, id)).status === 200 ? 1 : 0;
    const count = (query: string) => env.DB.prepare(query).bind(owner).first<number>("n");
    expect(await count("SELECT count(*) AS n FROM memory_tags WHERE owner = ?")).toBe(living);
    expect(await count("SELECT count(*) AS n FROM search_entries WHERE owner = ?")).toBe(living);
    const totals = "SELECT sum(active + deferred + resolved + archived) AS n FROM memory_totals";
    expect((await count(`${totals} WHERE project = '' AND owner = ?`)) ?? 0).toBe(living);
    expect((await count(`${totals} WHERE project <> '' AND owner = ?`)) ?? 0).toBe(living);
    expect((await inTrash(ada)).length).toBe(1 - living);
  }
});
