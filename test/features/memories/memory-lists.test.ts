import { expect, test } from "vitest";
import { listAlertsRoute } from "../../../src/features/dashboard/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";
import { change, inDays, make, step } from "../../kit/records.ts";

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
  const work = { scope: "work", project: "Apollo", tags: ["x", "y"], due_date: "2027-01-10" };
  const a = await make(ada, { topic: "Alpha", ...work });
  const personal = { scope: "personal", tags: ["x"], due_date: "2027-01-05", memory_type: "blocker" };
  const b = await make(ada, { topic: "Beta", ...personal });
  const c = await make(ada, { topic: "Größe", content: "Ünlü Straße" });
  await step(ada, c, "archive");
  await step(ada, b, "defer", { deferred_until: inDays(5) });
  const ids = async (query: Record<string, string | string[] | number>) => {
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query });
    expect(total).toBe(items.length);
    return items.map(({ id }) => id);
  };
  for (const [query, found] of [
    [{}, [b, c, a]],
    [{ status: "active" }, [a]],
    [{ status: "deferred" }, [b]],
    [{ status: "archived" }, [c]],
    [{ status: "resolved" }, []],
    [{ memory_type: "blocker" }, [b]],
    [{ scope: "work" }, [a]],
    [{ project: "apollo" }, [a]],
    [{ project: "" }, [b, c, a]],
    [{ tag: "x" }, [b, a]],
    [{ tag: ["x", "y"] }, [a]],
    [{ q: "ALPHA monday" }, [a]],
    [{ q: "größe straße" }, [c]],
    [{ q: "%" }, []],
    [{ due_after: "2027-01-05", due_before: "2027-01-10" }, [b]],
    [{ due: "none" }, [c]],
    [{ sort: "created_at" }, [c, b, a]],
    [{ sort: "created_at", order: "asc" }, [a, b, c]],
    [{ sort: "due_date" }, [b, a, c]],
    [{ sort: "due_date", order: "desc" }, [a, b, c]],
  ] as const)
    expect(await ids(query as never), JSON.stringify(query)).toEqual(found.map(({ id }) => id));
  const page = await ada.ok(memories.listMemoriesRoute, { query: { limit: 1, offset: 1 } });
  expect([page.items.map(({ id }) => id), page.total]).toEqual([[c.id], 3]);
  await change(ada, a, { tags: ["z"] });
  expect([await ids({ tag: "y" }), await ids({ tag: "z" })]).toEqual([[], [a.id]]);
  const bad: Record<string, string | number>[] = [
    { limit: 0 },
    { limit: 101 },
    { offset: -1 },
    { status: "open" },
    { due_before: "2027-02-29" },
  ];
  for (const query of bad)
    expect((await ada.refusal(memories.listMemoriesRoute, { query })).status).toBe(422);
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

test("lists are of what repeats, or of one series", async () => {
  const ada = await person();
  await make(ada, { topic: "Once" });
  const rent = await make(ada, { topic: "Rent", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" });
  const plants = await make(ada, { topic: "Plants", repeat: "FREQ=DAILY" });
  await step(ada, rent, "resolve");
  const list = async (query: object) => {
    const sorted = { sort: "created_at", order: "asc", ...query };
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query: sorted as never });
    expect(total).toBe(items.length);
    return items.map(({ topic, status }) => `${topic} ${status}`);
  };
  expect(await list({ repeats: "true", status: "active" })).toEqual(["Plants active", "Rent active"]);
  expect(await list({ repeats: "false" })).toHaveLength(4);
  expect(await list({ series_id: String(rent.id) })).toEqual(["Rent resolved", "Rent active"]);
  expect(await list({ series_id: String(plants.id) })).toEqual(["Plants active"]);
  expect(await list({ series_id: "999" })).toEqual([]);
  const { status } = await ada.call(memories.listMemoriesRoute, { query: { series_id: "x" } as never });
  expect(status).toBe(422);
});

test("records are listed by when they were created, changed, resolved or last touched, in the API and by the tool", async () => {
  const ada = await person({ timezone: "Pacific/Niue" });
  const owner = await numberOf(ada);
  const at = (day: string) => `2026-${day}T12:00:00.000Z`;
  const done = { status: "resolved", resolution_note: "Sent" } as const;
  await prepare(owner, [
    { topic: "old", created_at: at("01-01") },
    { topic: "changed", created_at: at("01-02"), updated_at: at("11-10") },
    { topic: "new", created_at: at("11-11"), due_date: "2027-01-01", tags: ["x"] },
    { topic: "done", created_at: at("01-03"), updated_at: at("11-12"), ...done },
    { topic: "parked", created_at: at("01-04"), status: "deferred" },
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
  for (const [query, found] of [
    [{}, ["done", "new", "changed", "parked", "old"]],
    [{ created_after: at("01-03") }, ["done", "new", "parked"]],
    [{ created_after: at("01-03"), sort: "created_at" }, ["new", "parked", "done"]],
    [{ updated_after: at("11-11") }, ["done", "new"]],
    [{ resolved_after: "2026-11-12" }, ["done"]],
    [{ resolved_after: "2026-11-13" }, []],
    [{ resolved_before: "2026-11-14" }, ["done"]],
    [{ resolved_before: "2026-11-12" }, []],
    [{ created_after: "2026-01-01", updated_after: at("11-10") }, ["done", "new", "changed"]],
  ] as const)
    expect(await listed(query), JSON.stringify(query)).toEqual(found);
  // The API's clock is the present one.
  const told = async (query: object) => topics(await callTool(ctx, listMemories, query));
  expect(await told({ untouched_days: 30 })).toEqual(["old"]);
  expect(await told({ view: "all", untouched_days: 10 })).toEqual(["old", "parked", "changed"]);
  for (const query of [{ untouched_days: "x" }, { untouched_days: 0 }, { created_after: "May" }])
    expect((await ada.refusal(memories.listMemoriesRoute, { query: query as never })).status).toBe(422);

  // A day is one of the user's, who is eleven hours behind.
  expect(await callTool(ctx, listMemories, { resolved_after: "2026-11-12" })).toMatchObject({
    view: "history",
    items: [{ topic: "done", status: "resolved", note: "Sent", resolved_at: "2026-11-12T01:00-11:00" }],
    today: "2026-11-20 (Friday)",
  });
  expect(await told({ resolved_before: "2026-11-12" })).toEqual([]);
  expect(await told({ resolved_before: "2026-11-13" })).toEqual(["done"]);
  expect(await told({ view: "history", sort: "created_at" })).toEqual(["parked", "done"]);
  expect(await told({ q: "new", tag: "x" })).toEqual(["new"]);
  expect(await told({ sort: "updated_at" })).toEqual(["new", "changed", "old"]);
  await expect(told({ view: "alerts", q: "x" })).rejects.toThrow("view active");
  const active = told({ view: "active", resolved_after: "2026-11-12" });
  await expect(active).rejects.toThrow("view history");
});
