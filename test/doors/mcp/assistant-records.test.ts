import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays } from "../../../src/contract/days.ts";
import { MemoryType } from "../../../src/contract/memory.ts";
import { inputSchema } from "../../../src/doors/mcp/schema-json.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { remember } from "../../../src/features/memories/tools.ts";
import { renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";

// What an assistant reads about records, and how its changes are confirmed.

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;

const at = (who: Client, now = "2026-11-20") => assistant(who, now);
const topics = async (claude: Assistant, asked: object) =>
  (await claude.listMemories(asked)).items.map(({ topic }) => topic);

/** Records of a person, as they were some time ago. */
async function past(who: Client): Promise<void> {
  const record = (topic: string, day: string, more: object = {}) => ({
    ...{ topic, memory_type: "commitment", project: "Apollo" },
    ...{ created_at: `${day}T08:00:00.000Z`, updated_at: `${day}T08:00:00.000Z`, ...more },
  });
  await prepare(await numberOf(who), [
    record("Oldest", "2026-09-01"),
    record("Newer", "2026-10-15"),
    record("Older", "2026-10-01"),
    ...["2026-11-02", "2026-11-09", "2026-11-05"].map((day) =>
      record(`Closed ${day}`, "2026-09-02", {
        ...{ status: "resolved", closed_at: `${day}T08:00:00.000Z`, updated_at: `${day}T08:00:00.000Z` },
      }),
    ),
  ]);
}

test("how a record is filed moves neither what is untouched nor the order of what was closed", async () => {
  const ada = await person();
  await past(ada);
  const claude = await at(ada);
  const untouched = { untouched_days: 14, memory_type: "commitment" };
  const closed = { resolved_after: "2026-11-01" };
  const order = ["Closed 2026-11-09", "Closed 2026-11-05", "Closed 2026-11-02"];
  const check = async () => {
    expect(await topics(claude, untouched)).toEqual(["Oldest", "Older", "Newer"]);
    expect(await topics(claude, closed)).toEqual(order);
    expect(await topics(claude, { view: "history" })).toEqual(order);
  };
  await check();
  await claude.updateMemory({ in_project: "Apollo", project: "Gemini" });
  await claude.updateMemory({ ids: [2], add_tags: ["x"], scope: "work" });
  await check();
  const [oldest] = (await claude.listMemories(untouched)).items;
  expect(oldest).toMatchObject({ updated_at: "2026-09-01T08:00+00:00", filed_at: "2026-11-20T12:00+00:00" });
  for (const view of ["active", "history", "all"]) {
    const { items } = await claude.listMemories({ view });
    for (const item of items) expect(item.updated_at < "2026-11-20").toBe(true);
  }
  expect(await topics(claude, { view: "all", updated_after: "2026-11-20" })).toEqual([]);
  await claude.updateMemory({ ids: [2], content: "More" });
  expect(await topics(claude, { view: "all", updated_after: "2026-11-20" })).toEqual(["Newer"]);
  // The API's updated_at is that of any change, as the specification says.
  const { items } = await ada.ok(memories.listMemoriesRoute, { query: { updated_after: "2026-11-20" } });
  expect(items).toHaveLength(6);
});

test("a history since a day has its statistics, as the whole one has", async () => {
  const ada = await person();
  await past(ada);
  const claude = await at(ada);
  const { view, stats, total } = await claude.listMemories({ resolved_after: "2026-11-05" });
  expect({ view, total }).toEqual({ view: "history", total: 2 });
  expect(stats).toEqual((await claude.listMemories({ view: "history" })).stats);
  expect(stats).toMatchObject({ resolved_this_month: 3 });
  expect((await claude.listMemories({ status: "resolved", q: "closed" })).stats).toEqual(stats);
});

test("a deferred record counts from when it was deferred, not from the day it waits for", async () => {
  const ada = await person();
  await past(ada);
  const claude = await at(ada);
  await claude.closeMemories({ ids: [1], outcome: "deferred", deferred_until: "2027-01-01" });
  await (await at(ada, "2026-11-21")).updateMemory({ ids: [1], add_tags: ["x"] });
  const [item] = (await claude.listMemories({ status: "deferred" })).items;
  expect(item).toMatchObject({ updated_at: "2026-11-20T12:00+00:00", filed_at: "2026-11-21T12:00+00:00" });
});

test("records that are due in a range are listed in every view, under the usual names", async () => {
  const ada = await person();
  const claude = await at(ada);
  const records = Array.from({ length: 10 }, (_, n) => ({
    ...RECORD,
    topic: `Item${n}`,
    project: n % 2 ? "Odd" : "Even",
    ...(n < 9 && { due_date: addDays("2026-11-20", n) }),
  }));
  await claude.remember({ records });
  await claude.closeMemories({ ids: [4], outcome: "resolved" });
  const range = { due_after: "2026-11-22", due_before: "2026-11-26" };
  expect(await topics(claude, range)).toEqual(["Item2", "Item4", "Item5"]);
  expect(await topics(claude, { due_from: "2026-11-27" })).toEqual(["Item7", "Item8"]);
  expect(await topics(claude, { due_date_before: "2026-11-22" })).toEqual(["Item0", "Item1"]);
  expect(await topics(claude, { ...range, project: "Odd" })).toEqual(["Item5"]);
  expect(await topics(claude, { ...range, q: "item4" })).toEqual(["Item4"]);
  expect(await topics(claude, { ...range, view: "all", sort: "due_date" })).toHaveLength(4);
  expect(await topics(claude, { ...range, view: "history" })).toEqual(["Item3"]);
  expect(await topics(claude, { due: "none" })).toEqual(["Item9"]);
  expect(await topics(claude, { due: "none", view: "history" })).toEqual([]);
  const page = await claude.listMemories({ ...range, limit: 1, offset: 1 });
  expect(page).toMatchObject({ items: [{ topic: "Item4" }], total: 3, has_more: true });
  await expect(claude.listMemories({ due_after: "soon" })).rejects.toThrow("due_after: must be a day");
});

test("deferring something beyond its deadline is answered with a warning", async () => {
  const ada = await person();
  const claude = await at(ada);
  await claude.remember({ ...RECORD, due_date: "2026-11-25" });
  const defer = async (deferred_until?: string) =>
    (await claude.closeMemories({ ids: [1], outcome: "deferred", deferred_until })).results[0]?.warning;
  expect(await defer("2026-11-25")).toBeUndefined();
  expect(await defer("2026-11-26")).toBe(
    "Hidden until 2026-11-26, past its due_date 2026-11-25: if that moved too, change it with update_memory",
  );
  const moved = await claude.updateMemory({ ids: [1], due_date: "2026-12-01" });
  expect(moved.memory).not.toHaveProperty("warning");
  const back = await claude.updateMemory({ ids: [1], due_date: "2026-11-22" });
  expect(back.memory?.warning).toContain("past its due_date 2026-11-22");
  await claude.closeMemories({ ids: [1], outcome: "reopened" });
  expect(await defer()).toContain("until it is reopened");
});

test("a deletion names what it deleted", async () => {
  const ada = await person();
  const claude = await at(ada);
  await claude.remember(RECORD);
  const { results } = await claude.closeMemories({ ids: [1, 2], outcome: "deleted" });
  expect(results).toEqual([
    { id: "mem:1", topic: "Send the slides", status: "in the trash", ok: true },
    { id: "mem:2", ok: false, detail: expect.stringContaining("2 is not one of your records") },
  ]);
  const { id } = await claude.createDocument({ title: "Plan", text: "x" });
  expect(await claude.deleteDocument({ id })).toEqual({ id, title: "Plan", trashed: true });
});

test("renaming a project says where its old name is still found", async () => {
  const [ada, bob] = [await person(), await person()];
  const claude = await at(ada);
  await (await at(bob)).remember({ ...RECORD, topic: "Apollo" });
  await claude.remember({ ...RECORD, topic: "The apollo launch", project: "Apollo", tags: ["Apollo"] });
  await claude.createDocument({ title: "Apollo plan", text: "x", folder: "Apollo", tags: "apollo" });
  const renamed = await claude.updateMemory({ in_project: "Apollo", project: "Gemini" });
  expect(renamed).toMatchObject({
    renamed: 1,
    note: '"Apollo" is still in 1 topic of a record, 1 title of a document, 1 folder, 2 tagged items: search finds them',
  });
  const blind = await assistant(ada, undefined, { scopes: ["memory:read", "memory:write"] });
  const again = await blind.updateMemory({ in_project: "Gemini", project: "Apollo" });
  expect(again).not.toHaveProperty("note");
});

test("a project in another case is found and renamed, and a slip in it is answered with what was meant", async () => {
  const ada = await person();
  const claude = await at(ada);
  await claude.remember({ ...RECORD, project: "Äpfel" });
  await claude.remember({ ...RECORD, topic: "Other", project: "Gemini" });
  expect(await topics(claude, { project: "äPFEL " })).toEqual(["Send the slides"]);
  expect(await topics(claude, { project: "gemini", view: "all", q: "other" })).toEqual(["Other"]);
  expect(await claude.listMemories({ project: "Gemini", view: "history" })).not.toHaveProperty("note");
  const rename = claude.updateMemory({ in_project: "GEMNI", project: "Apollo" });
  await expect(rename).rejects.toThrow('did you mean "Gemini"?');
  expect(await claude.updateMemory({ in_project: "GEMINI", project: "Apollo" })).toMatchObject({
    renamed: 1,
  });
});

test("a project is renamed in the trash too, in bounded steps, and the deletion can still be undone", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const row = (n: number) => ({
    ...{ memory_type: "context", created_at: "2026-09-01T08:00:00.000Z" },
    ...{ topic: `Item${n}`, project: n % 3 || n === 0 ? "Apollo" : "Other" },
    ...(n > 0 && { trashed_at: `2026-11-1${n % 7}T08:00:00.000Z` }),
  });
  await prepare(
    owner,
    Array.from({ length: 450 }, (_, n) => row(n)),
  );
  await ada.ok(renameProjectRoute, { params: { name: "Apollo" }, json: { name: "Gemini" } });
  const { results } = await env.DB.prepare(
    "SELECT project, count(*) AS count, max(version) AS version FROM memories WHERE owner = ? AND trashed_at IS NOT NULL GROUP BY project",
  )
    .bind(owner)
    .all();
  expect(results).toEqual([
    { project: "Gemini", count: 300, version: 2 },
    { project: "Other", count: 149, version: 1 },
  ]);
  const entries = env.DB.prepare(
    "SELECT count(*) AS count FROM activity WHERE owner = ? AND verb = 'changed' AND state IS NOT NULL AND version_after = 2",
  ).bind(owner);
  expect(await entries.first("count")).toBe(300);
});

test("the definition of remember shows the fields of each of several records", () => {
  const { properties } = inputSchema(remember.input) as unknown as {
    properties: { records: { items: { properties: object; required: string[] } } };
  };
  const { items } = properties.records;
  expect(Object.keys(remember.input.shape)).toEqual(expect.arrayContaining(Object.keys(items.properties)));
  expect(items.properties).toMatchObject({
    ...{ topic: {}, content: {}, due_date: {}, project: {} },
    memory_type: { enum: MemoryType.options },
  });
  expect(items.required).toEqual(["memory_type", "topic", "content"]);
});
