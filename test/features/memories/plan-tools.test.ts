import { afterEach, expect, test, vi } from "vitest";
import { getBriefing } from "../../../src/features/dashboard/tools.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as tools from "../../../src/features/memories/tools.ts";
import { fetchTool, searchTool } from "../../../src/features/search/tools.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { personAt } from "../../kit/dashboard.ts";
import { numberIn } from "../../kit/mcp.ts";
import { at, PROMISE } from "../../kit/records.ts";

// Hours, reminders and repetition, as assistants keep them. 20 November 2026 is a Friday.

afterEach(() => {
  vi.useRealTimers();
});

const RENT = { ...PROMISE, topic: "Pay the rent", content: "To the landlord" };
const NOON = "2026-11-20T12:00:00Z";

async function assistant(time = NOON) {
  const { client } = await personAt(time, "Europe/Berlin");
  const ctx = await ctxOf(client, new Date(time));
  const stored = (id: string | undefined) =>
    client.ok(memories.getMemoryRoute, { params: at({ id: numberIn(id) }) });
  return { client, ctx, stored };
}

const remember = (ctx: Ctx, fields: object) => callTool(ctx, tools.remember, { ...RENT, ...fields });
const update = (ctx: Ctx, fields: object) => callTool(ctx, tools.updateMemory, fields);
const close = (ctx: Ctx, fields: object) => callTool(ctx, tools.closeMemories, fields);

const refused = (answer: Promise<unknown>) =>
  answer.then(
    () => "no refusal",
    (problem: Error) => problem.message,
  );

test("a record is due at its hour, with reminders in a short form, and the answer says what was understood", async () => {
  const { ctx, stored } = await assistant();
  const { memory } = await remember(ctx, {
    due_date: "2026-12-01",
    due_time: "17:00",
    remind: ["PT30M", "-p1d", "2026-11-30T09:00"],
  });
  expect(memory).toMatchObject({
    due_date: "2026-12-01 (Tuesday)",
    due_time: "17:00",
    remind: ["30 minutes before", "1 day before", "on 30 November 2026 at 09:00"],
  });
  expect(await stored(memory?.id)).toMatchObject({
    remind: [{ before: "PT30M" }, { before: "P1D" }, { at: "2026-11-30T09:00" }],
    remind_at: "2026-11-30T08:00:00.000Z",
  });
  const { metadata } = await callTool(ctx, fetchTool, { id: memory?.id });
  expect(metadata).toMatchObject({
    due_time: "17:00",
    remind: ["PT30M", "P1D", "2026-11-30T09:00"],
    remind_at: expect.stringMatching(/^2026-11-30T09:00/),
  });
  const moved = await update(ctx, { id: memory?.id, due_time: "9:00" }).catch((problem: Error) => problem);
  expect(String(moved)).toMatch(/due_time: must be a time of day such as 17:00/);
  const quiet = await update(ctx, { id: memory?.id, due_time: null, remind: "none" });
  expect(quiet.memory).not.toHaveProperty("due_time");
  expect(quiet.memory).not.toHaveProperty("remind");
  expect(await stored(memory?.id)).toMatchObject({ due_time: null, remind: [], remind_at: null });
  const silent = await remember(ctx, {
    topic: "Silent",
    due_date: "2026-12-01",
    due_time: "08:00",
    remind: ["none"],
  });
  expect(await stored(silent.memory?.id)).toMatchObject({ remind: [], remind_at: null });
  const plain = await remember(ctx, {
    topic: "By default",
    due_date: "2026-12-01",
    due_time: "08:00",
    remind: [],
  });
  expect(plain.memory).toMatchObject({ remind: ["at the due time"] });
});

test("what repeats is said in words or as a rule, and begins on the day that fits", async () => {
  const { ctx, stored } = await assistant();
  for (const repeat of ["every first Monday", "jeden ersten Montag", "RRULE:FREQ=MONTHLY;BYDAY=1MO"]) {
    const { memory } = await remember(ctx, { topic: repeat, repeat });
    expect(memory, repeat).toMatchObject({
      due_date: "2026-12-07 (Monday)",
      repeat: "FREQ=MONTHLY;BYDAY=1MO",
      repeat_text: "every first Monday",
      next_due: ["2027-01-04 (Monday)", "2027-02-01 (Monday)", "2027-03-01 (Monday)"],
    });
  }
  const other = await remember(ctx, { topic: "Bins", repeat: "every other Tuesday", due_time: "07:00" });
  expect(other.memory).toMatchObject({ due_date: "2026-11-24 (Tuesday)", due_time: "07:00" });
  const named = await remember(ctx, { topic: "Gym", repeat: "every Monday starting 1 February" });
  expect(named.memory?.due_date).toMatch(/^2027-02-01/);
  const given = await remember(ctx, { topic: "Given", repeat: "every Monday", due_date: "2027-03-01" });
  expect(given.memory?.due_date).toBe("2027-03-01 (Monday)");
  const plants = await remember(ctx, { topic: "Plants", repeat: "every 3 days after done" });
  expect(plants.memory).toMatchObject({ repeat_text: "every 3 days after it was done" });
  expect(await stored(plants.memory?.id)).toMatchObject({ repeat_from: "done" });
  const { results } = await callTool(ctx, tools.remember, {
    records: [
      { ...RENT, topic: "One", repeat: "every Monday" },
      { ...RENT, topic: "Two", repeat: "every now and then" },
      { ...RENT, topic: "Three", repeat: "FREQ=DAILY;BYHOUR=9" },
    ],
  });
  expect(results).toMatchObject([
    { ok: true, due_date: "2026-11-23 (Monday)" },
    { ok: false, detail: expect.stringMatching(/^repeat: could not be understood: write a rule/) },
    { ok: false, detail: expect.stringContaining("Leave out BYHOUR") },
  ]);
});

test("done or skipped, it says when the next one is due, once", async () => {
  const { ctx, stored } = await assistant();
  const { memory } = await remember(ctx, { repeat: "every Monday", due_time: "10:00" });
  const skipped = await close(ctx, { ids: [memory?.id], outcome: "skipped", note: "Away" });
  const [first] = skipped.results;
  expect(first).toMatchObject({ ok: true, status: "archived", note: "Away", next_id: expect.any(String) });
  expect(first?.next_due?.slice(0, 2)).toEqual(["2026-11-30 (Monday)", "2026-12-07 (Monday)"]);
  expect(await stored(first?.next_id)).toMatchObject({ due_date: "2026-11-30", due_time: "10:00" });
  const { results } = await close(ctx, {
    records: [
      { id: first?.next_id, outcome: "resolved" },
      { id: first?.next_id, outcome: "resolved" },
    ],
  });
  expect(results.map(({ ok, next_id }) => [ok, next_id !== undefined])).toEqual([
    [true, true],
    [true, false],
  ]);
  expect((await callTool(ctx, listMemories)).total).toBe(1);
  const once = await remember(ctx, { topic: "Once" });
  const wrong = await close(ctx, { ids: [once.memory?.id], outcome: "skipped" });
  expect(wrong.results[0]).toMatchObject({ ok: false, detail: expect.stringContaining("archive this one") });
});

test("a change is for this one or for all that follow, and repeat null ends it", async () => {
  const { ctx, stored } = await assistant();
  const { memory } = await remember(ctx, { repeat: "every Monday" });
  const id = memory?.id;
  await update(ctx, { id, topic: "Only today", apply_to: "this" });
  await update(ctx, { id, due_time: "18:00" });
  const [closed] = (await close(ctx, { ids: [id], outcome: "resolved" })).results;
  expect(await stored(closed?.next_id)).toMatchObject({ topic: RENT.topic, due_time: "18:00" });
  const daily = await update(ctx, { id: closed?.next_id, repeat: "every day" });
  expect(daily.memory).toMatchObject({ repeat: "FREQ=DAILY", repeat_text: "every day" });
  const ended = await update(ctx, { id: closed?.next_id, repeat: null });
  expect(ended.memory).not.toHaveProperty("repeat");
  expect((await close(ctx, { ids: [closed?.next_id], outcome: "resolved" })).results[0]).not.toHaveProperty(
    "next_id",
  );
  const once = await remember(ctx, { topic: "Once" });
  expect(await refused(update(ctx, { id: once.memory?.id, topic: "x", apply_to: "this" }))).toContain(
    "does not repeat",
  );
});

test("lists, search results and the briefing say the hour and what repeats", async () => {
  const { ctx } = await assistant();
  const { memory } = await remember(ctx, { repeat: "every Monday", due_time: "10:00" });
  await remember(ctx, { topic: "Plain", due_date: "2026-11-23" });
  const shown = { id: memory?.id, due_date: "2026-11-23", due_time: "10:00", repeats: "every Monday" };
  for (const view of ["active", "all"]) {
    const { items } = await callTool(ctx, listMemories, { view });
    expect(
      items.find(({ id }) => id === memory?.id),
      view,
    ).toMatchObject(shown);
    const plain = items.find(({ topic }) => topic === "Plain");
    expect(Object.keys(plain ?? {})).not.toContain("due_time");
    expect(Object.keys(plain ?? {})).not.toContain("repeats");
  }
  expect((await callTool(ctx, searchTool, { query: "rent" })).results[0]).toMatchObject(shown);
  const { sections } = await callTool(ctx, getBriefing);
  expect(sections.find(({ section }) => section === "due_soon")?.items).toMatchObject([
    { topic: "Plain" },
    shown,
  ]);
  const later = { ...ctx, now: new Date("2026-11-23T09:01:00Z") };
  expect((await callTool(later, listMemories, { view: "alerts" })).items).toMatchObject([shown]);
  await close(ctx, { ids: [memory?.id], outcome: "resolved" });
  const { items } = await callTool(ctx, listMemories, { view: "history" });
  expect(items[0]).toMatchObject(shown);
});

test("what cannot be is refused with what to write instead", async () => {
  const { ctx } = await assistant();
  const why = (fields: object) => refused(remember(ctx, fields));
  expect(await why({ remind: ["soon"], due_date: "2026-12-01" })).toMatch(/^remind: write how long before/);
  expect(await why({ remind: ["P40D"], due_date: "2026-12-01" })).toMatch(/^remind: must be at most P30D/);
  expect(await why({ remind: ["PT60M", "PT1H"], due_date: "2026-12-01" })).toMatch(/twice/);
  expect(await why({ remind: Array.from({ length: 6 }, (_, n) => `PT${n}M`) })).toMatch(/^remind: .*5/);
  expect(await why({ due_date: "2026-12-01T17:00" })).toMatch(/^due_date: .* the hour is due_time/);
  expect(await why({ repeat: `FREQ=DAILY;${"X".repeat(600)}` })).toMatch(/^repeat: must have at most 500/);
  expect(await why({ due_time: "17:00" })).toMatch(/^due_time: needs a due_date/);
  expect(await why({ repeat: "every Monday at 9" })).toMatch(/the hour is due_time/);
  expect(await why({ repeat: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" })).toMatch(/^repeat: /);
  expect(await why({ repeat_from: "done" })).toMatch(/^repeat_from: needs repeat/);
  const began = performance.now();
  expect(await why({ repeat: "every ".repeat(100_000) })).toMatch(/^repeat: /);
  expect(performance.now() - began).toBeLessThan(1_000);
});
