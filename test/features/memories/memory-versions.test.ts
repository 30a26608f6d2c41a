import { expect, test } from "vitest";
import { listActivityRoute } from "../../../src/features/activity/routes.ts";
import { exportAccountRoute } from "../../../src/features/export/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { getMemoryVersion, listMemoryVersions } from "../../../src/features/memories/versions-store.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { send } from "../../kit/files.ts";
import { prepare } from "../../kit/memories.ts";
import { withoutStates } from "../../kit/older-export.ts";
import { at, change, make, step } from "../../kit/records.ts";

// Versions of memory records, like those of documents.

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

/** A record with versions 1 to 4: its content, its due date, and that it is done. */
async function changed(ada: Client) {
  const record = await make(ada, SLIDES);
  const params = at(record);
  const json = { topic: "The slides", content: "For Alan" };
  await ada.ok(memories.updateMemoryRoute, { params, json, headers: { "X-Source-Type": "web" } });
  await change(ada, record, { due_date: "2099-01-08" });
  await step(ada, record, "resolve", { resolution_note: "Sent" });
  return params;
}

test("every change keeps the version before it, and each can be read", async () => {
  const ada = await person();
  const params = await changed(ada);
  const { items, total } = await ada.ok(memories.listMemoryVersionsRoute, { params });
  expect(total).toBe(3);
  const said = items.map((one) => `${one.version} ${one.topic} ${one.due_date} ${one.source_type}`);
  expect(said).toEqual(["3 The slides 2099-01-08 api", "2 The slides null web", "1 Slides null api"]);
  const read = (version: number) =>
    ada.ok(memories.getMemoryVersionRoute, { params: { ...params, version: String(version) } });
  expect((await read(1)).content).toBe("For Grace");
  expect(await read(4)).toMatchObject({ status: "resolved", resolution_note: "Sent" });
  const missing = { params: { ...params, version: "5" } };
  expect((await ada.call(memories.getMemoryVersionRoute, missing)).status).toBe(404);
  expect((await ada.call(memories.restoreMemoryVersionRoute, missing)).status).toBe(404);
});

test("a restored version is a new one, with its event; the current one stays as it is", async () => {
  const ada = await person();
  const params = await changed(ada);
  const restore = (version: string) =>
    ada.call(memories.restoreMemoryVersionRoute, { params: { ...params, version } });
  const { body, headers } = await restore("1");
  expect(body).toMatchObject({ ...SLIDES, version: 5, status: "active", resolved_at: null, due_date: null });
  expect(headers.get("ETag")).toBe('"v5"');
  expect((await restore("5")).body.version).toBe(5);
  const { items } = await ada.ok(memories.listMemoryEventsRoute, { params });
  expect(items.map(({ event }) => event)).toEqual(["created", "updated", "updated", "resolved", "reopened"]);
});

test("the last 50 are kept", async () => {
  const ada = await person();
  const record = await make(ada, SLIDES);
  for (let n = 0; n < 60; n++) await change(ada, record, { content: `${n}` });
  const all = { params: at(record), query: { limit: "100" } };
  const { items, total } = await ada.ok(memories.listMemoryVersionsRoute, all);
  expect([total, items[0]?.version, items.at(-1)?.version]).toEqual([50, 60, 11]);
});

test("waking is a version of its own, before and after it is stored", async () => {
  const ada = await person();
  const [id = 0] = await prepare(await numberOf(ada), [
    { status: "deferred", deferred_until: "2026-02-01", created_at: "2026-01-01T08:00:00.000Z" },
  ]);
  const ctx = await ctxOf(ada);
  const read = async () => {
    const { items } = await listMemoryVersions(ctx, id, { limit: 10, offset: 0 });
    const [first, second] = [await getMemoryVersion(ctx, id, 1), await getMemoryVersion(ctx, id, 2)];
    const list = items.map(({ version, status }) => `${version} ${status}`);
    return { list, first: first.deferred_until, second: second.status };
  };
  const woken = { list: ["1 deferred"], first: "2026-02-01", second: "active" };
  expect(await read()).toEqual(woken);
  await change(ada, { id }, { content: "Changed" });
  expect(await read()).toEqual({ ...woken, list: ["2 active", "1 deferred"] });
  const { items } = await ada.ok(listActivityRoute);
  const done = items.map(({ verb, actor }) => `${verb} ${actor.kind}`);
  expect(done).toEqual(["changed person", "woke service"]);
});

test("an export has them, an import brings them back, and a file without them is still read", async () => {
  const [ada, bob, eve] = [await person(), await person(), await person()];
  const params = await changed(ada);
  const file = await (await ada.fetch("/api/export")).text();
  expect((await ada.call(exportAccountRoute)).status).toBe(200);
  expect((await send(bob, file)).status).toBe(200);
  const of = async (who: Client) => (await who.ok(memories.listMemoryVersionsRoute, { params })).items;
  expect(await of(bob)).toEqual(await of(ada));
  const version = { params: { ...params, version: "1" } };
  expect((await bob.ok(memories.restoreMemoryVersionRoute, version)).content).toBe("For Grace");
  expect((await bob.ok(listActivityRoute)).items.at(-1)).toMatchObject({
    verb: "created",
    actor: { kind: "import" },
  });
  expect((await send(eve, withoutStates(file))).status).toBe(200);
  expect(await of(eve)).toEqual([]);
  expect((await eve.ok(memories.listMemoryEventsRoute, { params })).total).toBe(4);
});
