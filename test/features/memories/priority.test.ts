import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { getBriefingTextRoute } from "../../../src/features/briefing/routes.ts";
import { listAlertsRoute } from "../../../src/features/dashboard/routes.ts";
import { getMemoryVersionRoute } from "../../../src/features/memories/history-routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { send } from "../../kit/files.ts";
import { make, read } from "../../kit/records.ts";

// How important a record is, and who owes what it says.

const DAY = "2026-11-25";

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;
const params = { memory_id: "1" };

test("a record has a priority and says who owes it, until both are cleared, and each change is taken back", async () => {
  const ada = await person();
  const high = { priority: "high", owed: "by_me" } as const;
  expect(await make(ada, high)).toMatchObject(high);
  const low = await ada.ok(memories.updateMemoryRoute, { params, json: { priority: "low", owed: null } });
  expect(low).toMatchObject({ priority: "low", owed: null, version: 2 });
  const urgent = { params, json: { priority: "urgent" } };
  expect((await ada.refusal(memories.updateMemoryRoute, urgent)).status).toBe(422);
  const first = await ada.ok(getMemoryVersionRoute, { params: { ...params, version: "1" } });
  expect(first).toMatchObject(high);
  expect((await ada.ok(undoActivityRoute, { json: { ids: [2] } })).undone).toBe(1);
  expect(await read(ada, 1)).toMatchObject(high);
  const eve = await person({ email: "eve@example.com" });
  expect((await send(eve, await (await ada.fetch("/api/export")).text())).status).toBe(200);
  expect(await read(eve, 1)).toMatchObject(high);
  await (await assistant(ada, DAY)).updateMemory({ id: 1, clear: "priority, owed" });
  expect(await read(ada, 1)).toMatchObject({ priority: null, owed: null });
});

test("lists and searches find records by them, and say them", async () => {
  const ada = await person();
  const claude = await assistant(ada, DAY);
  const said = await claude.remember({
    records: [
      { ...RECORD, priority: "HIGH", owed: "to_me" },
      { ...RECORD, topic: "Send the invoice", priority: "low" },
      { ...RECORD, topic: "Send the letter" },
    ],
  });
  expect(said.results?.[0]).toMatchObject({ ok: true, priority: "high", owed: "to_me" });
  const listed = await claude.listMemories({ owed: "to_me" });
  expect(listed).toMatchObject({ total: 1, items: [{ id: "mem:1", priority: "high", owed: "to_me" }] });
  expect(await claude.listMemories({ priority: "low", view: "all" })).toMatchObject({ total: 1 });
  const { items } = await ada.ok(memories.listMemoriesRoute, { query: { priority: "high", owed: "to_me" } });
  expect(items.map(({ id }) => id)).toEqual([1]);
  const found = await claude.search({ query: "send priority:high" });
  expect(found.results).toMatchObject([{ id: "mem:1", priority: "high", owed: "to_me" }]);
  expect(found.notes).toEqual(["Only records are shown, because documents have no priority."]);
  const route = async (q: string) => ada.ok(searchRoute, { query: { q, type: "all" } });
  expect((await route("owed:to_me")).results).toMatchObject([{ memory: { id: 1 } }]);
  expect((await route("owed:by_me")).results).toEqual([]);
  expect((await route("priority:urgent")).notes?.[0]).toContain("Possible values: high, normal, low");
  expect((await claude.fetch({ id: "mem:1" })).metadata).toMatchObject({ priority: "high" });
});

test("a search says when something happened, and a change of the scope is confirmed", async () => {
  const claude = await assistant(await person(), DAY);
  const printer = { memory_type: "blocker", topic: "Printer", happened_on: "2026-11-02" };
  await claude.remember({ ...RECORD, ...printer });
  const { results } = await claude.search({ query: "printer" });
  expect(results).toMatchObject([{ happened_on: "2026-11-02", when: "3 weeks ago, Mon 2 Nov" }]);
  const changed = await claude.updateMemory({ id: 1, scope: "personal", clear: ["happened_on"] });
  expect(changed.memory).toMatchObject({ scope: "personal" });
  expect(changed.memory).not.toHaveProperty("happened_on");
  const both = { id: 1, clear: ["scope"], scope: "work" };
  await expect(claude.updateMemory(both)).rejects.toThrow("clear: scope also has a value");
  const unknown = claude.updateMemory({ id: 1, clear: ["topic"] });
  await expect(unknown).rejects.toThrow("topic cannot be cleared; you can clear scope, project");
});

test("what repeats keeps them", async () => {
  const claude = await assistant(await person(), DAY);
  await claude.remember({ ...RECORD, repeat: "every Monday", priority: "high", owed: "by_me" });
  await claude.updateMemory({ id: 1, priority: "low", apply_to: "this" });
  await claude.closeMemories({ ids: [1], outcome: "resolved" });
  expect((await claude.listMemories()).items).toMatchObject([
    { id: "mem:2", priority: "high", owed: "by_me" },
  ]);
});

test("a briefing begins with what is important, and names it", async () => {
  const ada = await person();
  const claude = await assistant(ada, DAY);
  const due = (topic: string, due_date: string, more: object) => ({ ...RECORD, topic, due_date, ...more });
  await claude.remember({
    records: [
      due("Old", "2020-11-01", { priority: "low" }),
      due("Usual", "2020-11-10", { owed: "to_me" }),
      due("Urgent", "2020-11-20", { priority: "high", owed: "by_me" }),
    ],
  });
  const { sections } = await claude.getBriefing();
  expect(sections[0]?.items.map(({ topic }) => topic)).toEqual(["Urgent", "Usual", "Old"]);
  expect(sections[0]?.items[0]).toMatchObject({ priority: "high", owed: "by_me" });
  const { items } = await ada.ok(listAlertsRoute);
  expect(items.find(({ id }) => id === 3)).toMatchObject({ priority: "high", owed: "by_me" });
  const text = String((await ada.call(getBriefingTextRoute)).text);
  expect(text).toMatch(/Urgent: .*\(high priority; owed by the user; /);
  expect(text).toMatch(/Usual: .*\(owed to the user; /);
});
