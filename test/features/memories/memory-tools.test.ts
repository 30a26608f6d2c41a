import { expect, test } from "vitest";
import { dayWithWeekday, localDay } from "../../../src/contract/days.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as tools from "../../../src/features/memories/tools.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { numberIn } from "../../kit/mcp.ts";
import { at, PROMISE } from "../../kit/records.ts";

// Records as assistants keep them.

test("a record that is closed again with another note has that, and keeps its day", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const { memory } = await callTool(ctx, tools.remember, {
    type: "commitment",
    title: "Dentist",
    text: "Call",
  });
  const close = (outcome: string, more: object = {}) =>
    callTool(ctx, tools.closeMemories, { ids: memory?.id, outcome, ...more });
  const record = () => ada.ok(memories.getMemoryRoute, { params: at({ id: numberIn(memory?.id) }) });
  await close("resolved", { note: "On 11 December at 9:40" });
  const first = await record();
  const { results } = await close("resolved", { note: "On 11 December at 8:40" });
  expect(results[0]).toMatchObject({ ok: true, status: "resolved", note: "On 11 December at 8:40" });
  const { version, resolution_note, resolved_at } = await record();
  expect([version, resolution_note, resolved_at]).toEqual([
    first.version + 1,
    "On 11 December at 8:40",
    first.resolved_at,
  ]);
  await close("resolved");
  expect((await record()).version).toBe(version);

  await close("reopened", { note: "Not yet" });
  await close("archived", { note: "Nobody goes" });
  await close("archived", { note: "Jonas goes" });
  expect(await record()).toMatchObject({ status: "archived", note: "Jonas goes", version: version + 3 });
});

test("tools: remember, update_memory and close_memories do what the API does", async () => {
  const ada = await person({ timezone: "Pacific/Niue" });
  const ctx = { ...(await ctxOf(ada)), client_name: "Claude" };
  const day = { today: dayWithWeekday(localDay(ctx.now, "Pacific/Niue")) };
  const kept = await callTool(ctx, tools.remember, {
    type: "decision",
    title: " We take D1 ",
    text: "One database",
    tag: "db, storage",
  });
  expect(kept).toEqual({
    memory: { id: kept.memory?.id, topic: "We take D1", tags: ["db", "storage"] },
    ...day,
  });
  const stored = await ada.ok(memories.getMemoryRoute, { params: at({ id: numberIn(kept.memory?.id) }) });
  expect(stored).toMatchObject({ source_type: "mcp", client_name: "Claude", tags: ["db", "storage"] });

  const replaced = await callTool(ctx, tools.remember, {
    memory_type: "decision",
    topic: "We take Postgres",
    content: "After all",
    replaces_id: kept.memory?.id,
  });
  expect(replaced.memory).toMatchObject({ replaces_id: kept.memory?.id, topic: "We take Postgres" });

  const changed = await callTool(ctx, tools.updateMemory, {
    id: String(numberIn(replaced.memory?.id)),
    due: "2027-01-01",
    project: "Apollo",
  });
  expect(changed.memory).toMatchObject({ due_date: "2027-01-01 (Friday)", project: "Apollo" });
  const cleared = await callTool(ctx, tools.updateMemory, { id: replaced.memory?.id, due_date: null });
  expect(cleared.memory).not.toHaveProperty("due_date");

  const closed = await callTool(ctx, tools.closeMemories, {
    ids: `${kept.memory?.id}, ${replaced.memory?.id}, 424242`,
    outcome: "resolved",
    note: "Done",
  });
  expect(closed).toEqual({
    results: [
      { id: kept.memory?.id, ok: false, detail: expect.stringContaining("it can only be reopened") },
      {
        id: replaced.memory?.id,
        ok: true,
        topic: "We take Postgres",
        status: "resolved",
        project: "Apollo",
        note: "Done",
        replaces_id: kept.memory?.id,
      },
      {
        ...{ id: "mem:424242", ok: false },
        detail:
          "mem:424242 is not one of your records: list_memories shows their ids, list_trash those of deleted ones",
      },
    ],
    succeeded: 1,
    failed: 2,
    ...day,
  });
  const { items } = await ada.ok(memories.listMemoryEventsRoute, {
    params: at({ id: numberIn(replaced.memory?.id) }),
  });
  expect(items.at(-1)).toMatchObject({
    event: "resolved",
    note: "Done",
    source_type: "mcp",
    client_name: "Claude",
  });
});

test("what was said when a record was deferred or closed stays with it until it is reopened", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const { memory } = await callTool(ctx, tools.remember, PROMISE);
  const id = numberIn(memory?.id);
  const close = (outcome: string, more: object = {}) =>
    callTool(ctx, tools.closeMemories, { ids: [`mem:${id}`], outcome, ...more });
  const noteIn = async (view: string) =>
    (await callTool(ctx, listMemories, { view })).items.map(({ note }) => note);
  const deferred = await close("deferred", { deferred_until: "2099-01-01", note: "After the beta" });
  expect(deferred.results[0]).toMatchObject({ status: "deferred", deferred_until: "2099-01-01 (Thursday)" });
  await callTool(ctx, tools.updateMemory, { id, project: "Apollo" });
  for (const view of ["history", "all"]) expect(await noteIn(view), view).toEqual(["After the beta"]);
  expect((await callTool(ctx, fetchTool, { id: `mem:${id}` })).metadata).toMatchObject({
    note: "After the beta",
  });
  const later = await ctxOf(ada, new Date("2099-01-02T00:00:00Z"));
  expect((await callTool(later, listMemories)).items).toMatchObject([{ note: "After the beta" }]);
  await close("reopened");
  expect(await noteIn("active")).toEqual([undefined]);
  await close("archived", { note: "Cancelled" });
  expect(await noteIn("history")).toEqual(["Cancelled"]);
});

test("tools: a refusal names the field and what to do next", async () => {
  const ctx = await ctxOf(await person());
  const refused = (tool: Parameters<typeof callTool>[1], sent: object) =>
    callTool(ctx, tool, sent).then(
      () => "no refusal",
      (problem: Error) => problem.message,
    );
  const remember = tools.remember as never;
  const update = tools.updateMemory as never;
  expect(await refused(remember, { topic: "x", content: "y" })).toMatch(
    /^memory_type: .* Call remember again with: memory_type, topic, content,/,
  );
  expect(await refused(remember, { ...PROMISE, due_date: "soon" })).toMatch(
    /^due_date: must be a day such as/,
  );
  expect(await refused(remember, { ...PROMISE, colour: "red" })).toMatch(/colour/);
  expect(await refused(remember, { ...PROMISE, topic: " " })).toMatch(/^topic: is required/);
  expect(await refused(remember, { ...PROMISE, tags: ["x".repeat(65)] })).toMatch(/^tags: at most 50/);
  expect(await refused(update, { id: 5 })).toMatch(/^Nothing to change/);
  expect(await refused(update, { id: 5, topic: "x" })).toMatch(/list_trash those of deleted ones$/);
  expect(await refused(tools.closeMemories as never, { ids: [], outcome: "resolved" })).toMatch(/^ids: /);
});
