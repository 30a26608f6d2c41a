import { expect, test } from "vitest";
import { dayWithWeekday, localDay } from "../../../src/contract/days.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";
import { numberIn } from "../../kit/mcp.ts";
import { at, PROMISE, read } from "../../kit/records.ts";

// Records as assistants keep them.

test("a record that is closed again with another note has that, and keeps its day", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const said = { type: "commitment", title: "Dentist", text: "Call" };
  const { memory } = await claude.remember(said);
  const close = (outcome: string, more: object = {}) =>
    claude.closeMemories({ ids: memory?.id, outcome, ...more });
  const record = () => read(ada, numberIn(memory?.id));
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
  const claude = await assistant(ada);
  const day = { today: dayWithWeekday(localDay(claude.ctx.now, "Pacific/Niue")) };
  const kept = await claude.remember({
    type: "decision",
    title: " We take D1 ",
    text: "One database",
    tag: "db, storage",
  });
  const memory = { id: kept.memory?.id, topic: "We take D1", tags: ["db", "storage"] };
  expect(kept).toEqual({ memory, ...day });
  expect(await read(ada, numberIn(kept.memory?.id))).toMatchObject({
    source_type: "mcp",
    client_name: "Claude",
    tags: ["db", "storage"],
  });

  const replaces_id = kept.memory?.id;
  const newer = { memory_type: "decision", topic: "We take Postgres", content: "After all", replaces_id };
  const replaced = await claude.remember(newer);
  expect(replaced.memory).toMatchObject({ replaces_id, topic: "We take Postgres" });

  const id = String(numberIn(replaced.memory?.id));
  const changed = await claude.updateMemory({ id, due: "2027-01-01", project: "Apollo" });
  expect(changed.memory).toMatchObject({ due_date: "2027-01-01 (Friday)", project: "Apollo" });
  const cleared = await claude.updateMemory({ id: replaced.memory?.id, due_date: null });
  expect(cleared.memory).not.toHaveProperty("due_date");

  const closed = await claude.closeMemories({
    ids: `${kept.memory?.id}, ${replaced.memory?.id}, 424242`,
    outcome: "resolved",
    note: "Done",
  });
  expect(closed).toEqual({
    results: [
      { id: kept.memory?.id, ok: false, detail: expect.stringContaining("it can only be reopened") },
      {
        ...{ id: replaced.memory?.id, ok: true, topic: "We take Postgres", status: "resolved" },
        ...{ project: "Apollo", note: "Done", replaces_id: kept.memory?.id },
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
  const by = { source_type: "mcp", client_name: "Claude" };
  expect(items.at(-1)).toMatchObject({ event: "resolved", note: "Done", ...by });
});

test("tools: a refusal names the field and what to do next", async () => {
  const claude = await assistant(await person());
  const again = /^memory_type: .* Call remember again with: memory_type, topic, content,/;
  for (const [tool, sent, why] of [
    ["remember", { topic: "x", content: "y" }, again],
    ["remember", { ...PROMISE, due_date: "soon" }, /^due_date: must be a day such as/],
    ["remember", { ...PROMISE, colour: "red" }, /colour/],
    ["remember", { ...PROMISE, topic: " " }, /^topic: is required/],
    ["remember", { ...PROMISE, tags: ["x".repeat(65)] }, /^tags: at most 50/],
    ["updateMemory", { id: 5 }, /^Nothing to change/],
    ["updateMemory", { id: 5, topic: "x" }, /list_trash those of deleted ones$/],
    ["closeMemories", { ids: [], outcome: "resolved" }, /^ids: /],
  ] as const)
    await expect(claude[tool](sent), String(why)).rejects.toThrow(why);
});

// Hours, reminders and repetition. 20 November 2026 is a Friday.

const RENT = { ...PROMISE, topic: "Pay the rent", content: "To the landlord" };
const NOON = "2026-11-20T12:00:00Z";

async function atNoon() {
  const { client } = await personAt(NOON, "Europe/Berlin");
  const claude = await assistant(client, NOON);
  const remember = (fields: object) => claude.remember({ ...RENT, ...fields });
  const stored = (id: string | undefined) => read(client, numberIn(id));
  return { client, claude, remember, stored };
}

test("a record is due at its hour, with reminders in a short form, and the answer says what was understood", async () => {
  const { claude, remember, stored } = await atNoon();
  const five = { due_date: "2026-12-01", due_time: "17:00" };
  const { memory } = await remember({ ...five, remind: ["PT30M", "-p1d", "2026-11-30T09:00"] });
  expect(memory).toMatchObject({
    due_date: "2026-12-01 (Tuesday)",
    due_time: "17:00",
    remind: ["30 minutes before", "1 day before", "on 30 November 2026 at 09:00"],
  });
  expect(await stored(memory?.id)).toMatchObject({
    remind: [{ before: "PT30M" }, { before: "P1D" }, { at: "2026-11-30T09:00" }],
    remind_at: "2026-11-30T08:00:00.000Z",
  });
  const { metadata } = await claude.fetch({ id: memory?.id });
  expect(metadata).toMatchObject({
    due_time: "17:00",
    remind: ["PT30M", "P1D", "2026-11-30T09:00"],
    remind_at: expect.stringMatching(/^2026-11-30T09:00/),
  });
  const moved = claude.updateMemory({ id: memory?.id, due_time: "9:00" });
  await expect(moved).rejects.toThrow(/due_time: must be a time of day such as 17:00/);
  const quiet = await claude.updateMemory({ id: memory?.id, due_time: null, remind: "none" });
  expect(quiet.memory).not.toHaveProperty("due_time");
  expect(quiet.memory).not.toHaveProperty("remind");
  expect(await stored(memory?.id)).toMatchObject({ due_time: null, remind: [], remind_at: null });
  const eight = { due_date: "2026-12-01", due_time: "08:00" };
  const silent = await remember({ topic: "Silent", ...eight, remind: ["none"] });
  expect(await stored(silent.memory?.id)).toMatchObject({ remind: [], remind_at: null });
  const plain = await remember({ topic: "By default", ...eight, remind: [] });
  expect(plain.memory).toMatchObject({ remind: ["at the due time"] });
});

test("what repeats is said in words or as a rule, and begins on the day that fits", async () => {
  const { claude, remember, stored } = await atNoon();
  for (const repeat of ["every first Monday", "jeden ersten Montag", "RRULE:FREQ=MONTHLY;BYDAY=1MO"]) {
    const { memory } = await remember({ topic: repeat, repeat });
    expect(memory, repeat).toMatchObject({
      due_date: "2026-12-07 (Monday)",
      repeat: "FREQ=MONTHLY;BYDAY=1MO",
      repeat_text: "every first Monday",
      next_due: ["2027-01-04 (Monday)", "2027-02-01 (Monday)", "2027-03-01 (Monday)"],
    });
  }
  const other = await remember({ topic: "Bins", repeat: "every other Tuesday", due_time: "07:00" });
  expect(other.memory).toMatchObject({ due_date: "2026-11-24 (Tuesday)", due_time: "07:00" });
  const named = await remember({ topic: "Gym", repeat: "every Monday starting 1 February" });
  expect(named.memory?.due_date).toMatch(/^2027-02-01/);
  const given = await remember({ topic: "Given", repeat: "every Monday", due_date: "2027-03-01" });
  expect(given.memory?.due_date).toBe("2027-03-01 (Monday)");
  const plants = await remember({ topic: "Plants", repeat: "every 3 days after done" });
  expect(plants.memory).toMatchObject({ repeat_text: "every 3 days after it was done" });
  expect(await stored(plants.memory?.id)).toMatchObject({ repeat_from: "done" });
  const { results } = await claude.remember({
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

test("done or skipped, it says once when the next one is due; a change is for this one or for all that follow", async () => {
  const { claude, remember, stored } = await atNoon();
  const { memory } = await remember({ repeat: "every Monday", due_time: "10:00" });
  await claude.updateMemory({ id: memory?.id, topic: "Only today", apply_to: "this" });
  await claude.updateMemory({ id: memory?.id, due_time: "18:00" });
  const skipped = await claude.closeMemories({ ids: [memory?.id], outcome: "skipped", note: "Away" });
  const [first] = skipped.results;
  expect(first).toMatchObject({ ok: true, status: "archived", note: "Away", next_id: expect.any(String) });
  expect(first?.next_due?.slice(0, 2)).toEqual(["2026-11-30 (Monday)", "2026-12-07 (Monday)"]);
  const next = { topic: RENT.topic, due_date: "2026-11-30", due_time: "18:00" };
  expect(await stored(first?.next_id)).toMatchObject(next);
  const done = { id: first?.next_id, outcome: "resolved" };
  const { results } = await claude.closeMemories({ records: [done, done] });
  expect(results.map(({ ok, next_id }) => [ok, next_id !== undefined])).toEqual([
    [true, true],
    [true, false],
  ]);
  expect((await claude.listMemories()).total).toBe(1);
  const id = results[0]?.next_id;
  const daily = await claude.updateMemory({ id, repeat: "every day" });
  expect(daily.memory).toMatchObject({ repeat: "FREQ=DAILY", repeat_text: "every day" });
  expect((await claude.updateMemory({ id, repeat: null })).memory).not.toHaveProperty("repeat");
  const [last] = (await claude.closeMemories({ ids: [id], outcome: "resolved" })).results;
  expect(last).not.toHaveProperty("next_id");
  const once = await remember({ topic: "Once" });
  const wrong = await claude.closeMemories({ ids: [once.memory?.id], outcome: "skipped" });
  expect(wrong.results[0]).toMatchObject({ ok: false, detail: expect.stringContaining("archive this one") });
  const alone = claude.updateMemory({ id: once.memory?.id, topic: "x", apply_to: "this" });
  await expect(alone).rejects.toThrow("does not repeat");
});

test("lists, search results and the briefing say the hour and what repeats", async () => {
  const { client, claude, remember } = await atNoon();
  const { memory } = await remember({ repeat: "every Monday", due_time: "10:00" });
  await remember({ topic: "Plain", due_date: "2026-11-23" });
  const shown = { id: memory?.id, due_date: "2026-11-23", due_time: "10:00", repeats: "every Monday" };
  for (const view of ["active", "all"]) {
    const { items } = await claude.listMemories({ view });
    const one = items.find(({ id }) => id === memory?.id);
    expect(one, view).toMatchObject(shown);
    const plain = items.find(({ topic }) => topic === "Plain");
    expect(Object.keys(plain ?? {})).not.toContain("due_time");
    expect(Object.keys(plain ?? {})).not.toContain("repeats");
  }
  expect((await claude.search({ query: "rent" })).results[0]).toMatchObject(shown);
  const { sections } = await claude.getBriefing();
  expect(sections.find(({ section }) => section === "due_soon")?.items).toMatchObject([
    { topic: "Plain" },
    shown,
  ]);
  const later = await assistant(client, "2026-11-23T09:01:00Z");
  expect((await later.listMemories({ view: "alerts" })).items).toMatchObject([shown]);
  await claude.closeMemories({ ids: [memory?.id], outcome: "resolved" });
  const { items } = await claude.listMemories({ view: "history" });
  expect(items[0]).toMatchObject(shown);

  await remember({ topic: "Plants", repeat: "every 3 days after done", due_date: "2026-11-24" });
  const done = { due_date: "2026-11-24", repeats: "every 3 days after it was done" };
  const plants = expect.objectContaining(done);
  expect((await claude.listMemories()).items).toContainEqual(plants);
  expect((await claude.search({ query: "plants" })).results[0]).toMatchObject(done);
  expect((await claude.getBriefing()).sections.flatMap(({ items: of }) => of)).toContainEqual(plants);
});

test("what cannot be is refused with what to write instead", async () => {
  const { remember } = await atNoon();
  const day = { due_date: "2026-12-01" };
  for (const [fields, why] of [
    [{ ...day, remind: ["soon"] }, /^remind: write how long before/],
    [{ ...day, remind: ["P40D"] }, /^remind: must be at most P30D/],
    [{ due_date: "2026-12-01T17:00" }, /^due_date: .* the hour is due_time/],
    [{ due_time: "17:00" }, /^due_time: needs a due_date/],
    [{ repeat: "every Monday at 9" }, /the hour is due_time/],
    [{ repeat: "every ".repeat(100_000) }, /^repeat: must have at most 500/],
    [{ repeat_from: "done" }, /^repeat_from: needs repeat/],
  ] as const)
    await expect(remember(fields), String(why)).rejects.toThrow(why);
});
