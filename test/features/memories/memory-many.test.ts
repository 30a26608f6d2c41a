import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Access } from "../../../src/contract/access.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { remember } from "../../../src/features/memories/tools.ts";
import { listProjectsRoute, renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { runCall, type Tool } from "../../../src/platform/tools/tool.ts";
import { assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { ClientOf } from "../../kit/database.ts";
import { numberIn, stateless, use } from "../../kit/mcp.ts";
import { meterDatabase } from "../../kit/meter.ts";

// Many records at once, projects, and records that are like each other.

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;
const at = (id: number) => ({ params: { memory_id: String(id) } });
const read = (client: Client, id: number) => client.ok(memories.getMemoryRoute, at(id));
const listed = async (client: Client, query = {}) =>
  (await client.ok(memories.listMemoriesRoute, { query })).items;

/** Ada over MCP, and the number of calls to the database that something makes. */
async function metered() {
  const ada = await person();
  const meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
  const client = stateless(new ClientOf(ada, meterDatabase(env.DB, meter)));
  const callsOf = async (name: string, args: object) => {
    meter.calls = 0;
    const answer = (await use(client, name, args as Record<string, unknown>)) as Record<string, unknown>;
    return { answer, calls: meter.calls, rowsRead: meter.rowsRead };
  };
  return { ada, callsOf };
}

test("remember takes many records in one call to the database, and answers for each", async () => {
  const { ada, callsOf } = await metered();
  const errand = (_: unknown, n: number) => ({ ...RECORD, topic: `Errand${n}`, content: `No. ${n}` });
  const records = Array.from({ length: 30 }, errand);
  const { answer, calls } = await callsOf("remember", { records });
  expect(calls).toBe(1);
  expect(answer.results).toEqual(
    records.map(({ topic }, index) => ({ index, ok: true, id: `mem:${index + 1}`, topic })),
  );
  const made = await listed(ada, { sort: "created_at", order: "asc", limit: 100 });
  expect(made.map(({ topic, source_type }) => [topic, source_type])).toEqual(
    records.map(({ topic }) => [topic, "mcp"]),
  );
  const { items } = await ada.ok(memories.listMemoryEventsRoute, at(30));
  expect(items).toHaveLength(1);
  expect((await ada.ok(searchRoute, { query: { q: "errand17", type: "memories" } })).total).toBe(1);

  const again = await callsOf("remember", { records: [records[3], { ...RECORD, topic: "Fresh" }] });
  expect(again.answer.results).toMatchObject([
    { index: 0, ok: true, id: "mem:4", note: expect.stringContaining("nothing was added") },
    { index: 1, ok: true, id: "mem:31" },
  ]);
});

test("of many records, one that is refused, repeated or a replacement does not stop the others", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(RECORD);
  const records = [
    { type: "decision", title: "Database", text: "D1", tags: "a, b" },
    { ...RECORD, topic: "" },
    { ...RECORD, memory_type: "wish" },
    { type: "decision", title: "Database", text: "D1" },
    { ...RECORD, content: "To Alan", replaces_id: "mem:1" },
    { ...RECORD, topic: "x", replaces_id: 99 },
    { ...RECORD, topic: "Nothing", dueDat: "2027-01-01" },
    { ...RECORD, topic: "Tagged", tags: ["x".repeat(65)] },
    { ...RECORD, topic: "Last", due: "2027-01-01" },
  ];
  const { results } = await claude.remember({ records });
  expect(results).toMatchObject([
    { index: 0, ok: true, id: "mem:2" },
    { index: 1, ok: false, detail: expect.stringContaining("topic") },
    { index: 2, ok: false, detail: expect.stringContaining("memory_type") },
    { index: 3, ok: true, id: "mem:2", note: expect.stringContaining("nothing was added") },
    { index: 4, ok: true },
    { index: 5, ok: false, detail: expect.stringContaining("99 is not one of your records") },
    { index: 6, ok: false, detail: expect.stringContaining("due_date") },
    { index: 7, ok: false, detail: expect.stringContaining("tags: at most 50") },
    { index: 8, ok: true, id: "mem:3" },
  ]);
  expect((await read(ada, 1)).superseded_by_id).toBe(numberIn(results?.[4]?.id));
  expect((await read(ada, 3)).due_date).toBe("2027-01-01");
  await expect(claude.remember({ ...RECORD, records })).rejects.toThrow("either records or");
  await expect(claude.remember({ topic: "x" })).rejects.toThrow("memory_type");
  await expect(claude.remember({ records: [] })).rejects.toThrow("records");
});

test("update_memory changes the fields that many records share in two calls, a third says why some are refused", async () => {
  const { ada, callsOf } = await metered();
  const bob = await person();
  const claude = await assistant(bob);
  for (let n = 1; n <= 25; n++) await claude.remember({ ...RECORD, topic: `Bob ${n}` });
  const records = Array.from({ length: 20 }, (_, n) => ({ ...RECORD, topic: `Ada${n}`, tags: [`t${n}`] }));
  await callsOf("remember", { records });
  await ada.ok(memories.resolveMemoryRoute, at(2));
  await ada.call(memories.deleteMemoryRoute, at(3));
  const shared = { ids: [1, "mem:2", 3, 4, 4, 25], due: "2027-01-01", add_tags: "x", remove_tags: "t3" };
  const { answer, calls } = await callsOf("update_memory", shared);
  expect(calls).toBeLessThanOrEqual(3);
  const due_date = "2027-01-01 (Friday)";
  expect(answer.results).toEqual([
    { id: "mem:1", ok: true, topic: "Ada0", status: "active", due_date, tags: ["t0", "x"] },
    { id: "mem:2", ok: true, topic: "Ada1", status: "resolved", due_date, tags: ["t1", "x"] },
    { id: "mem:3", ok: false, detail: expect.stringContaining("mem:3 is in the trash until") },
    { id: "mem:4", ok: true, topic: "Ada3", status: "active", due_date, tags: ["x"] },
    { id: "mem:25", ok: false, detail: expect.stringContaining("25 is not one of your records") },
  ]);
  expect(await read(ada, 4)).toMatchObject({ tags: ["x"], version: 2 });
  expect((await callsOf("update_memory", shared)).calls).toBeLessThanOrEqual(2);
  expect(await read(ada, 4)).toMatchObject({ version: 2 });
  expect(await read(bob, 25)).toMatchObject({ topic: "Bob 25", due_date: null, version: 1 });
  const single = await callsOf("update_memory", { id: 5, scope: "work" });
  expect(single.answer.memory).toMatchObject({ id: "mem:5", topic: "Ada4" });
  expect((await read(ada, 5)).scope).toBe("work");
});

test("many changes of the same records at once are all kept", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const records = Array.from({ length: 12 }, (_, n) => ({ ...RECORD, topic: `Item${n}` }));
  await claude.remember({ records });
  const ids = records.map((_, n) => n + 1);
  await Promise.all([
    claude.updateMemory({ ids, project: "Apollo" }),
    claude.updateMemory({ ids, scope: "work" }),
    claude.updateMemory({ ids, due_date: "2027-01-01" }),
    claude.closeMemories({ ids: ids.slice(0, 6), outcome: "resolved" }),
  ]);
  const changed = { project: "Apollo", scope: "work", due_date: "2027-01-01" };
  for (const id of ids)
    expect(await read(ada, id)).toMatchObject({ ...changed, status: id <= 6 ? "resolved" : "active" });
});

test("a project is renamed or merged on every record in any state, of this account only", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await assistant(ada), await assistant(bob)];
  const inApollo = (n: number) => ({ ...RECORD, topic: `Item${n}`, project: "Apollo / Ä" });
  for (const claude of [mine, theirs])
    for (let from = 0; from < 120; from += 40)
      await claude.remember({ records: Array.from({ length: 40 }, (_, n) => inApollo(from + n)) });
  await mine.remember({ ...RECORD, project: "Gemini" });
  await mine.closeMemories({ ids: [1, 2], outcome: "resolved" });
  await mine.closeMemories({ ids: [3], outcome: "deferred", deferred_until: "2090-01-01" });
  await mine.closeMemories({ ids: [4], outcome: "deleted" });
  expect(await ada.ok(listProjectsRoute)).toEqual({
    items: [
      { name: "Apollo / Ä", memory_count: 119, active_count: 116 },
      { name: "Gemini", memory_count: 1, active_count: 1 },
    ],
    total: 2,
  });
  const params = { name: "Apollo / Ä" };
  const renamed = await ada.ok(renameProjectRoute, { params, json: { name: "Mercury" } });
  const { change_ids, ...project } = renamed;
  expect(project).toEqual({ name: "Mercury", memory_count: 119, active_count: 116 });
  // The last hundred, which is how many one request undoes.
  expect(change_ids).toHaveLength(100);
  expect((await ada.call(renameProjectRoute, { params, json: { name: "Mercury" } })).status).toBe(404);
  await ada.ok(memories.restoreMemoryRoute, at(4));
  expect((await read(ada, 4)).project).toBe("Mercury");
  expect((await read(ada, 3)).status).toBe("deferred");
  const same = { params: { name: "Mercury" }, json: { name: "Mercury" } };
  expect((await ada.ok(renameProjectRoute, same)).memory_count).toBe(120);

  const merged = await mine.updateMemory({ in_project: "Mercury", project: "Gemini" });
  expect(merged.renamed).toBe(120);
  expect(await ada.ok(listProjectsRoute)).toEqual({
    items: [{ name: "Gemini", memory_count: 121, active_count: 118 }],
    total: 1,
  });
  await expect(mine.updateMemory({ in_project: "Mercury", project: "x" })).rejects.toThrow("whoami");
  const into = { in_project: "Gemini", project: "x" };
  for (const extra of [{ ids: [1] }, { scope: "work" }, { project: null }])
    await expect(mine.updateMemory({ ...into, ...extra })).rejects.toThrow("in_project");
  expect((await bob.ok(listProjectsRoute)).items).toEqual([
    { name: "Apollo / Ä", memory_count: 120, active_count: 120 },
  ]);
});

test("remember names up to three open records that are like it, the nearest first, and only one's own", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, theirs] = [await assistant(ada), await assistant(bob)];
  const tell = async (topic: string, claude = mine) =>
    (await claude.remember({ ...RECORD, topic })).similar?.map((one) => one.topic);
  await tell("Send Grace the quarterly slides", theirs);
  expect(await tell("Send Grace the quarterly slides")).toBeUndefined();
  expect(await tell("Quarterly slides for Grace")).toEqual(["Send Grace the quarterly slides"]);
  expect(await tell("Buy the milk for the cat")).toBeUndefined();
  await mine.closeMemories({ ids: [1], outcome: "resolved" });
  expect(await tell("Slides for Grace")).toEqual(["Quarterly slides for Grace"]);
  for (const more of ["one", "two", "three"]) await tell(`Slides for Grace, ${more}`);
  expect(await tell("Grace: slides")).toHaveLength(3);
  await mine.closeMemories({ ids: [2, 4, 5, 6, 7, 8], outcome: "deleted" });
  expect(await tell("Quarterly Grace slides")).toBeUndefined();
  expect(await tell("?!")).toBeUndefined();
  expect(await tell("C++ 東京 \"' OR NOT : *")).toBeUndefined();

  const scopes: Access[] = ["memory:write"];
  const sent = { ...RECORD, topic: "Quarterly Grace slides again" };
  const call = { tool: remember as unknown as Tool, sent };
  expect(Object.keys(await runCall({ ...mine.ctx, scopes }, call))).toEqual(["memory", "today", "change_id"]);
});

test("what is similar is found by reading few rows, however many records share a word", async () => {
  const { callsOf } = await metered();
  const rowsAfter = async (from: number, count: number) => {
    for (let n = from; n < from + count; n += 50) {
      const report = (_: unknown, i: number) => ({ ...RECORD, topic: `Quarterly report ${n + i}` });
      await callsOf("remember", { records: Array.from({ length: 50 }, report) });
    }
    const before = (await callsOf("whoami", {})).rowsRead;
    const one = { ...RECORD, topic: `Quarterly report on ${from}` };
    const { answer, rowsRead } = await callsOf("remember", one);
    expect(answer.similar).toHaveLength(3);
    return rowsRead - before;
  };
  const few = await rowsAfter(1000, 50);
  expect(await rowsAfter(2000, 250)).toBeLessThanOrEqual(few + 10);
});
