import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as actions from "../../../src/features/memories/action-routes.ts";
import * as history from "../../../src/features/memories/history-routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";

// What was over before it was recorded: a blocker that is written down on Friday, "solved on Wednesday".

const BLOCKER = { memory_type: "blocker", topic: "The build is red", content: "Since the upgrade" } as const;
const PROMISE = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;

const FRIDAY = "2026-11-20T09:00:00Z";
const WEDNESDAY = "2026-11-18";
const ENDED = "2026-11-18T23:59";

const one = { params: { memory_id: "1" } };

test("a tool closes it on its day: of several, of one, and as a correction", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  const claude = await assistant(ada, FRIDAY);
  await claude.remember({ records: [BLOCKER, PROMISE, { ...PROMISE, topic: "Book a room" }] });
  const solved = { outcome: "resolved", resolved_on: WEDNESDAY, note: "Solved" };
  const closed = await claude.closeMemories({ ids: [1, 2], ...solved });
  const resolved_on = "2026-11-18 (Wednesday)";
  expect(closed).toMatchObject({
    ...{ succeeded: 2, failed: 0 },
    results: [
      { id: "mem:1", status: "resolved", resolved_on },
      { id: "mem:2", resolved_on },
    ],
  });
  const today = await claude.closeMemories({ ids: [3], outcome: "resolved" });
  expect(today.results[0]).not.toHaveProperty("resolved_on");
  const corrected = await claude.closeMemories({
    records: [{ id: 3, outcome: "resolved", resolved_on: "2026-11-17" }],
  });
  expect(corrected.results).toMatchObject([{ id: "mem:3", resolved_on: "2026-11-17 (Tuesday)" }]);
  const { items, stats } = await claude.listMemories({ view: "history" });
  const told = items.map((one) => `${one.id} ${one.resolved_at?.slice(0, 16)} ${one.days_to_resolve}`);
  expect(told).toEqual([`mem:2 ${ENDED} 0`, `mem:1 ${ENDED} 0`, "mem:3 2026-11-17T23:59 0"]);
  expect(stats).toMatchObject({ resolved_this_week: 3, avg_days_to_resolve: 0 });
});

test("a day before it happened, and one ahead, are refused with what to do", async () => {
  const ada = await person({ timezone: "Europe/Berlin" });
  const claude = await assistant(ada, FRIDAY);
  await claude.remember({ ...BLOCKER, happened_on: "2026-11-17" });
  const close = async (resolved_on: string) =>
    (await claude.closeMemories({ ids: [1], outcome: "resolved", resolved_on })).results[0];
  const why =
    "must not be before mem:1 happened, on 2026-11-17 (Tuesday); if that was earlier, change its happened_on";
  expect((await close("2026-11-16"))?.detail).toContain(why);
  await expect(close("2026-11-21")).rejects.toThrow("must not be after today");
  expect(await close(WEDNESDAY)).toMatchObject({ ok: true, resolved_on: "2026-11-18 (Wednesday)" });
  for (const fields of [{ resolved_on: WEDNESDAY }, { status: "resolved" }])
    await expect(claude.remember({ ...PROMISE, ...fields })).rejects.toThrow("close_memories");
  await expect(claude.updateMemory({ ids: [1], resolved_on: WEDNESDAY })).rejects.toThrow("close_memories");
});

test("the API takes it alone and in bulk; statistics, events, versions and undo go on with it", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: BLOCKER });
  await ada.ok(memories.createMemoryRoute, { json: PROMISE });
  const resolved_at = "2026-01-07T12:00:00.000Z";
  const resolved = await ada.call(actions.resolveMemoryRoute, {
    ...one,
    json: { resolved_at, resolution_note: "Solved" },
  });
  expect(resolved.body).toMatchObject({ status: "resolved", resolved_at, days_to_resolve: 0 });
  const { results } = await ada.ok(memories.changeMemoriesRoute, {
    json: { operations: [{ operation: "resolve", id: 2, resolved_at: "2026-01-08T12:00:00.000Z" }] },
  });
  expect(results).toMatchObject([{ ok: true }]);
  const { items, stats } = await ada.ok(dashboard.listHistoryRoute, {});
  expect(items.map(({ id }) => id)).toEqual([2, 1]);
  for (const { days_to_resolve } of items) expect(days_to_resolve).toBe(0);
  expect(stats).toMatchObject({ avg_days_to_resolve: 0, resolved_this_week: 0 });
  const { items: events } = await ada.ok(history.listMemoryEventsRoute, one);
  expect(events.map(({ event }) => event).sort()).toEqual(["created", "resolved"]);
  for (const { at } of events) expect(at > "2026-06-01").toBe(true);
  const change_id = resolved.headers.get("Change-Id");
  expect(await ada.ok(undoActivityRoute, { json: { change_id } })).toMatchObject({ undone: 1 });
  expect(await ada.ok(memories.getMemoryRoute, one)).toMatchObject({
    ...{ status: "active", resolved_at: null, days_to_resolve: null },
  });
  await ada.ok(actions.resolveMemoryRoute, { ...one, json: { resolved_at } });
  await ada.ok(actions.reopenMemoryRoute, { ...one, json: {} });
  await ada.ok(memories.updateMemoryRoute, { ...one, json: { happened_on: "2026-01-10" } });
  expect(await ada.refusal(actions.resolveMemoryRoute, { ...one, json: { resolved_at } })).toMatchObject({
    ...{ status: 400, detail: "resolved_at must not be before happened_on" },
  });
});
