import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { findDifferences } from "../../../src/features/activity/difference-store.ts";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { MAX_SCANNED_ENTRIES, purgeOldEntries, readEntries } from "../../../src/features/activity/store.ts";
import { listChanges } from "../../../src/features/changes/store.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { create, read, remove, update } from "../../kit/documents.ts";

// How much of the activity a request reads, how long it is kept, and parallel writers.

const AT = "2026-11-01T08:00:00.000Z";

/** Inserts entries of one person, numbered from `from`; every thousandth is by Claude. */
async function fill(owner: number, from: number, count: number, at = AT): Promise<void> {
  await env.DB.prepare(`INSERT INTO activity (owner, number, at, actor, client_name, verb, kind, record, title, has_event)
    SELECT ?1, value, ?4, 'person', iif(value % 1000 = 0, 'Claude', NULL), 'changed', 'document',
      'record' || value % 50, 'Title', 0
    FROM (WITH RECURSIVE n(value) AS (SELECT ?2 UNION ALL SELECT value + 1 FROM n WHERE value < ?2 + ?3 - 1)
      SELECT value FROM n)`)
    .bind(owner, from, count, at)
    .run();
}

async function rowsOf<Answer>(who: Client, ask: (ctx: Ctx) => Promise<Answer>) {
  const { ctx, meter } = meteredCtx(await ctxOf(who));
  const answer = await ask(ctx);
  return { answer, rows: meter.rowsRead };
}

test("what a page reads depends neither on the length of the activity nor on other accounts'", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await numberOf(ada), await numberOf(bob)];
  const { id } = await create(ada);
  await fill(mine, 2, 30);
  const rowsRead = async (filter: Parameters<typeof readEntries>[1]) =>
    (await rowsOf(ada, (ctx) => readEntries(ctx, filter, { limit: 20 }))).rows;
  const measure = async () => {
    const { answer } = await rowsOf(ada, (ctx) => listChanges(ctx, { limit: 20 }));
    const place = JSON.parse(atob(answer.cursor)) as unknown[];
    const cursor = btoa(JSON.stringify(["changes", place[1], place[2], place[3], null, ""]));
    const following = await rowsOf(ada, (ctx) => listChanges(ctx, { cursor, limit: 20 }));
    return [await rowsRead({}), await rowsRead({ kind: "document", record_id: id }), following.rows];
  };
  const few = await measure();
  await fill(mine, 32, 5000);
  await fill(theirs, 1, 5000);
  // The row after the last one tells that there are no more.
  for (const [place, rows] of (await measure()).entries())
    expect(rows, `${place}`).toBeLessThanOrEqual(Number(few[place]) + 1);
  const [newest = 0] = few;
  expect(await rowsRead({ since: "2026-10-01T00:00:00.000Z" })).toBeLessThan(newest + 200);
  expect(await rowsRead({ client: "Nobody" })).toBeLessThan(MAX_SCANNED_ENTRIES + newest);
});

test("what the differences of a record read depends on neither its events nor how many entries are shown", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const json = { memory_type: "context", topic: "One", content: "x" };
  const { id } = await ada.ok(memories.createMemoryRoute, { json });
  const params = { memory_id: String(id) };
  await env.DB.prepare(`INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, at)
    SELECT ?1, ?2, value, 'confirmed', 'active', 'active', ?3
    FROM (WITH RECURSIVE n(value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < 460) SELECT value FROM n)`)
    .bind(owner, id, AT)
    .run();
  for (let n = 0; n < 40; n++)
    await ada.ok(memories.updateMemoryRoute, { params, json: { topic: `Topic ${n}` } });
  const { answer, rows } = await rowsOf(ada, async (ctx) => {
    const { entries } = await readEntries(ctx, {}, { limit: 40 });
    return findDifferences(ctx, entries);
  });
  expect([...answer.values()].map(([difference]) => difference?.field)).toEqual(Array(40).fill("topic"));
  expect(rows).toBeLessThan(500);
});

test("pages with a filter find everything, though some are short", async () => {
  const ada = await person();
  await fill(await numberOf(ada), 1, 5000);
  const found: number[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: Record<string, string> = { client: "Claude", limit: "2", ...(cursor && { cursor }) };
    const page = await ada.ok(listActivityRoute, { query });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(found).toEqual([5000, 4000, 3000, 2000, 1000]);
});

test("a time is found by halving, at any place", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  for (let day = 1; day <= 9; day++) await fill(owner, 10 * day - 9, 10, `2026-11-0${day}T12:00:00.000Z`);
  const ids = async (query: Record<string, string>) =>
    (await ada.ok(listActivityRoute, { query: { limit: "100", ...query } })).items.map(({ id }) => id);
  for (let day = 1; day <= 9; day++) {
    const since = `2026-11-0${day}`;
    expect(await ids({ since }), since).toHaveLength(100 - 10 * day);
    expect(await ids({ until: since }), since).toHaveLength(10 * day - 10);
  }
  expect(await ids({ since: "2026-11-03", until: "2026-11-05" })).toHaveLength(20);
  expect(await ids({ since: "2027-01-01" })).toEqual([]);
});

test("entries are kept for 400 days; the last one stays, so that no number is used twice", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  await fill(owner, 1, 30, "2025-01-01T00:00:00.000Z");
  const base = await ctxOf(ada);
  await purgeOldEntries({ ...base, now: new Date("2026-01-01T00:00:00Z") });
  expect((await ada.ok(listActivityRoute)).items).toHaveLength(30);
  await purgeOldEntries({ ...base, now: new Date("2026-11-01T00:00:00Z") });
  expect((await ada.ok(listActivityRoute)).items).toMatchObject([{ id: 30 }]);
  await create(ada);
  expect((await ada.ok(listActivityRoute)).items.map(({ id }) => id)).toEqual([31, 30]);
});

test("erasing a record leaves no title of it in the activity, and nothing of it is undone", async () => {
  const ada = await person();
  const plan = await create(ada, { title: "SECRET" });
  const json = { memory_type: "context", topic: "SECRET", content: "SECRET" };
  const params = { memory_id: String((await ada.ok(memories.createMemoryRoute, { json })).id) };
  await update(ada, plan, { title: "SECRET too" });
  await ada.ok(memories.updateMemoryRoute, { params, json: { topic: "SECRET too" } });
  await remove(ada, plan, { permanent: "true" });
  await ada.call(memories.deleteMemoryRoute, { params, query: { permanent: "true" } });
  const { results } = await env.DB.prepare("SELECT * FROM activity").all();
  expect(JSON.stringify(results)).not.toContain("SECRET");
  const { items } = await ada.ok(listActivityRoute);
  expect(items.map(({ verb, title }) => [verb, title])).toEqual(
    ["changed", "changed", "created", "created"].map((verb) => [verb, null]),
  );
  const answer = await ada.ok(undoActivityRoute, { json: { ids: items.map((item) => item.id) } });
  expect(answer.undone).toBe(0);
});

test("of parallel undos of one change a single one is carried out, also beside other writers", async () => {
  const ada = await person();
  for (let round = 0; round < 4; round++) {
    const plan = await create(ada, { title: "One" });
    await update(ada, plan, { title: "Two" });
    const [last] = (await ada.ok(listActivityRoute)).items;
    const undo = () => ada.ok(undoActivityRoute, { json: { ids: [last?.id] } });
    const [answers] = await Promise.all([
      Promise.all([undo(), undo(), undo(), undo()]),
      update(ada, plan, { tags: ["other"] }),
    ]);
    const undone = answers.reduce((sum, answer) => sum + answer.undone, 0);
    expect(undone).toBeLessThanOrEqual(1);
    // The other writer's tag is never lost, and the title is what the one undo, if any, made of it.
    expect(await read(ada, plan)).toMatchObject({ tags: ["other"], title: undone ? "One" : "Two" });
    const query = { kind: "document", record_id: plan.id };
    expect((await ada.ok(listActivityRoute, { query })).items).toHaveLength(3 + undone);
  }
});

test("numbers have no gaps under parallel writers", async () => {
  const ada = await person();
  const writes = Array.from({ length: 20 }, (_, n) =>
    n % 2
      ? create(ada)
      : ada.ok(memories.createMemoryRoute, { json: { memory_type: "context", topic: `${n}`, content: "x" } }),
  );
  await Promise.all(writes);
  const { items } = await ada.ok(listActivityRoute, { query: { limit: "100" } });
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n));
});
