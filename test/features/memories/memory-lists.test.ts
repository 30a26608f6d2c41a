import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listAlertsRoute } from "../../../src/features/dashboard/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";
import { at, inDays, make, step } from "../../kit/records.ts";

// Lists of records: filters, orders, and the documents that they belong to.

test("lists cut the content of each record where asked, in whole characters; by default it is whole", async () => {
  const ada = await person();
  await make(ada, { topic: "Long", content: "👩‍🚀👍 to whom it may concern", due_date: "2020-01-10" });
  for (const [query, content] of [
    [{}, "👩‍🚀👍 to whom it may concern"],
    [{ content_length: 5 }, "👩‍🚀👍 "],
    [{ content_length: 0 }, ""],
  ] as const) {
    const [listed] = (await ada.ok(memories.listMemoriesRoute, { query })).items;
    const [alert] = (await ada.ok(listAlertsRoute, { query })).items;
    expect([listed?.content, alert?.content]).toEqual([content, content]);
  }
  for (const content_length of [-1, 20_001, "all"])
    expect((await ada.refusal(memories.listMemoriesRoute, { query: { content_length } })).status).toBe(422);
});

test("the list supports every filter and every order", async () => {
  const ada = await person();
  const a = await make(ada, {
    topic: "Alpha",
    scope: "work",
    project: "Apollo",
    tags: ["x", "y"],
    due_date: "2027-01-10",
  });
  const b = await make(ada, {
    topic: "Beta",
    scope: "personal",
    tags: ["x"],
    due_date: "2027-01-05",
    memory_type: "blocker",
  });
  const c = await make(ada, { topic: "Größe", content: "Ünlü Straße" });
  await step(ada, c, "archive");
  await step(ada, b, "defer", { deferred_until: inDays(5) });
  const ids = async (query: Record<string, string | string[] | number>) => {
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query });
    expect(total).toBe(items.length);
    return items.map(({ id }) => id);
  };
  expect(await ids({})).toEqual([b.id, c.id, a.id]);
  expect(await ids({ status: "active" })).toEqual([a.id]);
  expect(await ids({ status: "deferred" })).toEqual([b.id]);
  expect(await ids({ status: "archived" })).toEqual([c.id]);
  expect(await ids({ status: "resolved" })).toEqual([]);
  expect(await ids({ memory_type: "blocker" })).toEqual([b.id]);
  expect(await ids({ scope: "work" })).toEqual([a.id]);
  expect(await ids({ project: "Apollo" })).toEqual([a.id]);
  expect(await ids({ project: "apollo" })).toEqual([a.id]);
  expect(await ids({ project: "" })).toHaveLength(3);
  expect(await ids({ tag: "x" })).toEqual([b.id, a.id]);
  expect(await ids({ tag: ["x", "y"] })).toEqual([a.id]);
  expect(await ids({ q: "ALPHA monday" })).toEqual([a.id]);
  expect(await ids({ q: "größe straße" })).toEqual([c.id]);
  expect(await ids({ q: "%" })).toEqual([]);
  expect(await ids({ due_after: "2027-01-05", due_before: "2027-01-10" })).toEqual([b.id]);
  expect(await ids({ due: "none" })).toEqual([c.id]);
  expect(await ids({ sort: "created_at" })).toEqual([c.id, b.id, a.id]);
  expect(await ids({ sort: "created_at", order: "asc" })).toEqual([a.id, b.id, c.id]);
  expect(await ids({ sort: "due_date" })).toEqual([b.id, a.id, c.id]);
  expect(await ids({ sort: "due_date", order: "desc" })).toEqual([a.id, b.id, c.id]);
  const page = await ada.ok(memories.listMemoriesRoute, { query: { limit: 1, offset: 1 } });
  expect([page.items.map(({ id }) => id), page.total]).toEqual([[c.id], 3]);
  await ada.ok(memories.updateMemoryRoute, { params: at(a), json: { tags: ["z"] } });
  expect(await ids({ tag: "y" })).toEqual([]);
  expect(await ids({ tag: "z" })).toEqual([a.id]);
  const bad: Record<string, string | number>[] = [
    { limit: 0 },
    { limit: 101 },
    { offset: -1 },
    { status: "open" },
    { due_before: "2027-02-29" },
  ];
  for (const query of bad) {
    expect((await ada.refusal(memories.listMemoriesRoute, { query })).status).toBe(422);
  }
});

test("the records of a document are listed with the other filters, and only for its owner", async () => {
  const ada = await person();
  const [plan, other] = await Promise.all(
    ["Plan", "Other"].map((title) => ada.ok(createDocumentRoute, { json: { title } })),
  );
  const document_id = String(plan?.id);
  const a = await make(ada, { topic: "Alpha", document_id, due_date: "2027-01-10" });
  const b = await make(ada, { topic: "Beta", document_id, due_date: "2027-01-05", tags: ["x"] });
  await make(ada, { topic: "Gamma", document_id: other?.id, tags: ["x"] });
  await make(ada, { topic: "Delta", tags: ["x"] });
  await step(ada, a, "resolve");
  const ids = async (query: Record<string, string>) => {
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query: { document_id, ...query } });
    expect(total).toBe(items.length);
    return items.map(({ id }) => id);
  };
  expect(await ids({})).toEqual([a.id, b.id]);
  expect(await ids({ sort: "created_at", order: "asc" })).toEqual([a.id, b.id]);
  expect(await ids({ sort: "due_date" })).toEqual([b.id, a.id]);
  expect(await ids({ status: "active" })).toEqual([b.id]);
  expect(await ids({ tag: "x", q: "beta" })).toEqual([b.id]);
  const bob = await person();
  for (const id of [document_id, crypto.randomUUID()]) {
    const refusal = await bob.refusal(memories.listMemoriesRoute, { query: { document_id: id } });
    expect(refusal).toMatchObject({ status: 404, detail: "document_id: not found" });
  }
  const refusal = await ada.refusal(memories.listMemoriesRoute, { query: { document_id: "plan" } });
  expect(refusal.status).toBe(422);
});

test("search finds every record by its words until it is deleted", async () => {
  const ada = await person();
  const record = await make(ada, { tags: ["board"] });
  const entry = "SELECT count(*) AS n FROM search_entries WHERE kind = 'memory' AND record = ?";
  const entries = () => env.DB.prepare(entry).bind(String(record.id)).first("n");
  expect(await entries()).toBe(1);
  await ada.ok(memories.updateMemoryRoute, { params: at(record), json: { topic: "Mail Grace" } });
  await step(ada, record, "resolve");
  expect(await entries()).toBe(1);
  await ada.ok(memories.deleteMemoryRoute, { params: at(record) });
  expect(await entries()).toBe(0);
});

test("records are listed by when they were created, changed, resolved or last touched, in the API and by the tool", async () => {
  const ada = await person({ timezone: "Pacific/Niue" });
  const owner = await numberOf(ada);
  const at = (day: string) => `${day}T12:00:00.000Z`;
  await prepare(owner, [
    { topic: "old", created_at: at("2026-01-01") },
    { topic: "changed", created_at: at("2026-01-02"), updated_at: at("2026-11-10") },
    { topic: "new", created_at: at("2026-11-11"), due_date: "2027-01-01", tags: ["x"] },
    {
      topic: "done",
      created_at: at("2026-01-03"),
      updated_at: at("2026-11-12"),
      status: "resolved",
      resolution_note: "Sent",
    },
    { topic: "parked", created_at: at("2026-01-04"), status: "deferred" },
  ]);
  const ctx = await ctxOf(ada, new Date("2026-11-20T12:00:00Z"));
  const topics = ({ items }: { items: { topic: string }[] }) => items.map(({ topic }) => topic);
  const listed = async (query: Record<string, string | number>, also: Record<string, unknown> = {}) => {
    const fromApi = await ada.ok(memories.listMemoriesRoute, { query });
    const fromTool = await callTool(ctx, listMemories, { view: "all", ...query, ...also });
    expect(topics(fromTool)).toEqual(topics(fromApi));
    expect([fromApi.total, fromTool.total]).toEqual([fromApi.items.length, fromApi.items.length]);
    return topics(fromApi);
  };
  expect(await listed({})).toEqual(["done", "new", "changed", "parked", "old"]);
  expect(await listed({ created_after: at("2026-01-03") })).toEqual(["done", "new", "parked"]);
  expect(await listed({ created_after: at("2026-01-03"), sort: "created_at" })).toEqual([
    "new",
    "parked",
    "done",
  ]);
  expect(await listed({ updated_after: at("2026-11-11") })).toEqual(["done", "new"]);
  expect(await listed({ resolved_after: "2026-11-12" })).toEqual(["done"]);
  expect(await listed({ resolved_after: "2026-11-13" })).toEqual([]);
  expect(await listed({ resolved_before: "2026-11-14" })).toEqual(["done"]);
  expect(await listed({ resolved_before: "2026-11-12" })).toEqual([]);
  expect(await listed({ created_after: "2026-01-01", updated_after: at("2026-11-10") })).toHaveLength(3);
  // The API's clock is the present one.
  expect(topics(await callTool(ctx, listMemories, { untouched_days: 30 }))).toEqual(["old"]);
  expect(topics(await callTool(ctx, listMemories, { view: "all", untouched_days: 10 }))).toEqual([
    "old",
    "parked",
    "changed",
  ]);
  const bad: Record<string, string | number>[] = [
    { untouched_days: "x" },
    { untouched_days: 0 },
    { created_after: "May" },
  ];
  for (const query of bad) {
    expect((await ada.refusal(memories.listMemoriesRoute, { query })).status).toBe(422);
  }

  // A day is one of the user's, who is eleven hours behind.
  const day = (resolved_after: string) => callTool(ctx, listMemories, { resolved_after });
  expect(topics(await day("2026-11-12"))).toEqual(["done"]);
  expect(await day("2026-11-12")).toMatchObject({
    view: "history",
    items: [{ status: "resolved", note: "Sent", resolved_at: "2026-11-12T01:00-11:00" }],
    today: "2026-11-20 (Friday)",
  });
  const until = (resolved_before: string) => callTool(ctx, listMemories, { resolved_before });
  expect(topics(await until("2026-11-12"))).toEqual([]);
  expect(topics(await until("2026-11-13"))).toEqual(["done"]);
  expect(topics(await callTool(ctx, listMemories, { view: "history", sort: "created_at" }))).toEqual([
    "parked",
    "done",
  ]);
  expect(topics(await callTool(ctx, listMemories, { q: "new", tag: "x" }))).toEqual(["new"]);
  expect(topics(await callTool(ctx, listMemories, { sort: "updated_at" }))).toEqual([
    "new",
    "changed",
    "old",
  ]);
  await expect(callTool(ctx, listMemories, { view: "alerts", q: "x" })).rejects.toThrow("view active");
  await expect(callTool(ctx, listMemories, { view: "active", resolved_after: "2026-11-12" })).rejects.toThrow(
    "view history",
  );
});
