import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays, localDay } from "../../../src/contract/days.ts";
import {
  ACTIONS,
  EVENT_BY_ACTION,
  impossibleActionMessage,
  type LifeCycleAction,
  type LifeCycleStatus,
  STATUSES,
} from "../../../src/contract/life-cycle.ts";
import type { Memory } from "../../../src/contract/memory.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as tools from "../../../src/features/memories/tools.ts";
import { wakeMemories } from "../../../src/features/memories/wake-store.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import { atOnce } from "../../kit/at-once.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";
import { at, change, eventsOf, inDays, make, PROMISE, read, step, today } from "../../kit/records.ts";

// What can happen to a record: its states, the actions between them, and waking.

const CLOSE = { resolve: "resolved", defer: "deferred", archive: "archived", reopen: "active" } as const;

/** Where each action leads. Everything else is refused. */
const LEADS: Record<LifeCycleStatus, Partial<Record<LifeCycleAction, LifeCycleStatus>>> = {
  active: { ...CLOSE, confirm: "active", supersede: "archived" },
  deferred: { ...CLOSE, supersede: "archived" },
  resolved: { resolve: "resolved", reopen: "active" },
  archived: { archive: "archived", reopen: "active" },
};

/** What is done again in the same state. */
const AGAIN: LifeCycleAction[] = ["confirm"];

const WAYS = { active: null, deferred: "defer", resolved: "resolve", archived: "archive" } as const;

/** A record of Ada's in this state. */
async function makeIn(ada: Client, status: LifeCycleStatus) {
  const record = await make(ada);
  const way = WAYS[status];
  return way ? (await step(ada, record, way)).body : record;
}

test("each action leads where the table says with one event, and any other is refused and changes nothing", async () => {
  const ada = await person();
  for (const status of STATUSES) {
    for (const action of ACTIONS) {
      const name = `${status} ${action}`;
      const next = LEADS[status][action];
      const record = await makeIn(ada, status);
      const before = await eventsOf(ada, record);
      const answer = await step(ada, record, action);
      const now = await read(ada, record.id);
      const events = (await eventsOf(ada, record)).slice(before.length);
      if (next === undefined) {
        expect(answer.status, name).toBe(400);
        expect(JSON.parse(answer.text).detail).toBe(impossibleActionMessage(status, action));
        expect([now, events], name).toEqual([record, []]);
      } else if (next === status && !AGAIN.includes(action)) {
        expect([answer.status, answer.body, now, events], name).toEqual([200, record, record, []]);
      } else {
        expect([answer.status, now], name).toEqual([200, answer.body]);
        expect([now.status, now.version], name).toEqual([next, record.version + 1]);
        expect(events, name).toEqual([`${EVENT_BY_ACTION[action]}: ${status} → ${next}`]);
      }
    }
  }
  expect(impossibleActionMessage("archived", "resolve")).toMatch(/^An archived record/);
  expect(impossibleActionMessage("deferred", "confirm")).toBe(
    "A deferred record cannot be confirmed: it can only be resolved, archived, reopened, superseded",
  );
});

test("each action sets its own fields, and reopening clears them", async () => {
  const ada = await person();
  const record = await make(ada);
  const act = async (action: LifeCycleAction, json?: object) => (await step(ada, record, action, json)).body;
  const resolved = await act("resolve", { resolution_note: "Sent by mail" });
  expect(resolved).toMatchObject({ status: "resolved", resolution_note: "Sent by mail", days_to_resolve: 0 });
  expect(resolved.resolved_at).toBe(resolved.updated_at);
  expect(await act("reopen")).toMatchObject({
    ...{ status: "active", resolution_note: null, resolved_at: null, days_to_resolve: null },
  });
  const deferred = await act("defer", { deferred_until: inDays(3), note: "After the holidays" });
  expect(deferred).toMatchObject({ status: "deferred", deferred_until: inDays(3) });
  for (const same of [{ deferred_until: inDays(3) }, undefined])
    expect(await act("defer", same)).toEqual(deferred);
  const until = { deferred_until: inDays(9) };
  expect(await act("defer", until)).toMatchObject({ ...until, version: deferred.version + 1 });
  expect(await act("archive", { note: "Obsolete" })).toMatchObject({ deferred_until: null });

  const { items } = await ada.ok(memories.listMemoryEventsRoute, {
    params: at(record),
    query: { limit: 3, offset: 3 },
  });
  expect(items.map(({ event, note }) => [event, note])).toEqual([
    ["deferred", "After the holidays"],
    ["deferred", null],
    ["archived", "Obsolete"],
  ]);

  const other = await make(ada);
  const confirmed = (await step(ada, other, "confirm")).body;
  expect(confirmed).toMatchObject({ version: 2, updated_at: confirmed.last_confirmed_at });
  expect(confirmed.updated_at > other.updated_at).toBe(true);
});

test("what is said of a deferral stays until another step says something else, also after its day has come", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const record = await make(ada, { due_date: "2027-02-28" });
  const act = async (action: LifeCycleAction, json?: object) =>
    (await step(ada, record, action, json)).body as Memory;
  const told = { deferred_until: inDays(9), note: "Grace is away" };
  expect(await act("defer", told)).toMatchObject({ ...told, due_date: "2027-02-28", version: 2 });
  expect(await act("defer", told)).toMatchObject({ version: 2 });
  expect(await act("defer", { deferred_until: inDays(5) })).toMatchObject({ note: told.note, version: 3 });
  const back = { note: "Back on Friday", deferred_until: inDays(5) };
  expect(await act("defer", { note: back.note })).toMatchObject({ ...back, version: 4 });
  expect((await change(ada, record, { project: "Apollo" })).note).toBe(back.note);
  const ctx = await ctxOf(ada);
  const shown = async (view: string) => (await callTool(ctx, listMemories, { view })).items;
  for (const view of ["history", "all"]) expect(await shown(view), view).toMatchObject([back]);
  expect((await callTool(ctx, fetchTool, { id: `mem:${record.id}` })).metadata).toMatchObject(back);
  await env.DB.prepare("UPDATE memories SET touched_at = ? WHERE owner = ?")
    .bind(`${today()}T00:00:00.000Z`, owner)
    .run();
  const woken = { status: "active", note: back.note, due_date: "2027-02-28" };
  expect(await read(ada, record.id)).toMatchObject(woken);
  expect(await shown("active")).toMatchObject([{ note: back.note }]);
  expect(await act("archive", { note: "No longer needed" })).toMatchObject({ note: "No longer needed" });
  expect(await shown("history")).toMatchObject([{ note: "No longer needed" }]);
  const close = (outcome: string, note?: string) =>
    callTool(ctx, tools.closeMemories, { ids: [record.id], outcome, ...(note && { note }) });
  await close("reopened", "Needed again");
  expect((await read(ada, record.id)).note).toBe("Needed again");
  await close("confirmed", "She asked today");
  const { items } = await ada.ok(memories.listMemoryEventsRoute, { params: at(record) });
  expect(items.map(({ note }) => note).filter(Boolean)).toEqual([
    ...["Grace is away", "Back on Friday", "No longer needed", "Needed again", "She asked today"],
  ]);
  expect(await act("resolve", { resolution_note: "Sent" })).toMatchObject({
    note: null,
    resolution_note: "Sent",
  });
  await act("reopen");
  expect(await shown("active")).toMatchObject([expect.not.objectContaining({ note: expect.anything() })]);
});

test("times in the past can be given, times in the future cannot", async () => {
  const ada = await person();
  const record = await make(ada, { created_at: "2026-01-01T10:00:00+02:00" });
  const created_at = "2026-01-01T08:00:00.000Z";
  expect(record).toMatchObject({ created_at, updated_at: created_at });
  const soon = new Date(Date.now() + 60_000).toISOString();
  const early = "2025-12-31T00:00:00Z";
  expect((await step(ada, record, "resolve", { resolved_at: soon })).status).toBe(400);
  // What was over before it was recorded is in over-before.test.ts.
  await change(ada, record, { happened_on: "2026-01-01" });
  expect((await step(ada, record, "resolve", { resolved_at: early })).status).toBe(400);
  const resolved = (await step(ada, record, "resolve", { resolved_at: "2026-01-03T09:00:00Z" })).body;
  expect(resolved).toMatchObject({ resolved_at: "2026-01-03T09:00:00.000Z", days_to_resolve: 2 });
  expect(
    (await ada.refusal(memories.createMemoryRoute, { json: { ...PROMISE, created_at: soon } })).status,
  ).toBe(400);

  const other = await make(ada);
  for (const day of [today(), inDays(-1)]) {
    const refused = await step(ada, other, "defer", { deferred_until: day });
    expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
      400,
      `deferred_until must be after today, which is ${today()} in UTC`,
    ]);
  }
});

test("a record is replaced by a new one, and the two refer to each other", async () => {
  const ada = await person();
  const fields = {
    memory_type: "decision",
    scope: "work",
    project: "Apollo",
    tags: ["db"],
    due_date: "2027-01-01",
  };
  const record = await make(ada, fields);
  const old = (await step(ada, record, "supersede", { content: "We take D1 after all" })).body;
  expect(old).toMatchObject({ id: record.id, status: "archived", content: PROMISE.content });
  const successor = await read(ada, old.superseded_by_id ?? 0);
  // A decision was to be made by its due date; the one in its place has been made.
  expect(successor).toMatchObject({
    ...{ ...fields, due_date: null, topic: PROMISE.topic, content: "We take D1 after all" },
    ...{ status: "active", supersedes_id: record.id, version: 1 },
  });
  expect(await eventsOf(ada, record)).toEqual(["created: null → active", "superseded: active → archived"]);
  expect(await eventsOf(ada, successor)).toEqual(["created: null → active"]);
});

test("fifty parallel resolves of one record leave one event", async () => {
  const ada = await person();
  const record = await make(ada);
  const answers = await atOnce(50, (index) =>
    step(ada, record, "resolve", { resolution_note: `Note ${index}` }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await eventsOf(ada, record)).toEqual(["created: null → active", "resolved: active → resolved"]);
});

test("parallel changes of different fields are all kept", async () => {
  const ada = await person();
  const record = await make(ada);
  const said = { topic: "A", content: "B", scope: "work", project: "C", due_date: "2027-01-01" } as const;
  const changes = Object.entries(said).map(([name, value]) => ({ [name]: value }));
  await Promise.all(changes.map((json) => change(ada, record, json)));
  expect(await read(ada, record.id)).toMatchObject({ ...said, version: 6 });
});

test("a deferred record wakes on its day, whether or not the cron handler ran", async () => {
  const ada = await person({ timezone: "Pacific/Kiritimati" });
  const number = await numberOf(ada);
  const day = localDay(new Date(), "Pacific/Kiritimati");
  const past = "2026-01-01T00:00:00.000Z";
  const sleeping = { status: "deferred", created_at: past, closed_at: past } as const;
  const [due = 0, waiting = 0, forever = 0] = await prepare(number, [
    { ...sleeping, deferred_until: day, touched_at: "2026-11-01T10:00:00.000Z" },
    { ...sleeping, deferred_until: addDays(day, 1) },
    { ...sleeping },
  ]);
  const listed = async (status: string) =>
    (await ada.ok(memories.listMemoriesRoute, { query: { status } })).items.map(({ id }) => id);
  const look = async () => ({
    one: await read(ada, due),
    active: await listed("active"),
    deferred: await listed("deferred"),
  });
  const before = await look();
  expect(before).toEqual({
    one: expect.objectContaining({ status: "active", deferred_until: null, version: 2, updated_at: past }),
    active: [due],
    deferred: [forever, waiting],
  });
  await wakeMemories(await ctxOf(ada));
  const stored = env.DB.prepare("SELECT status, version FROM memories WHERE id = ?").bind(due);
  expect(await stored.first()).toEqual({ status: "active", version: 2 });
  expect(await look()).toEqual(before);
  await wakeMemories(await ctxOf(ada));
  const { items } = await ada.ok(memories.listMemoryEventsRoute, { params: at({ id: due }) });
  expect(items).toMatchObject([
    {
      event: "woke",
      from_status: "deferred",
      to_status: "active",
      source_type: null,
      at: "2026-11-01T10:00:00.000Z",
    },
  ]);
  expect(await eventsOf(ada, { id: waiting })).toEqual([]);
});

test("the events include the waking, and the next action starts from active, even before the cron handler runs", async () => {
  const ada = await person();
  const created_at = "2026-01-01T00:00:00.000Z";
  const sleeping = { status: "deferred", created_at, deferred_until: "2026-02-01" } as const;
  const [stepped = 0, deleted = 0] = await prepare(await numberOf(ada), [sleeping, sleeping]);
  const woke = "woke: deferred → active";
  expect(await eventsOf(ada, { id: stepped })).toEqual([woke]);
  expect((await step(ada, { id: stepped }, "confirm")).body).toMatchObject({ status: "active", version: 3 });
  expect(await eventsOf(ada, { id: stepped })).toEqual([woke, "confirmed: active → active"]);
  const one = { params: at({ id: deleted }), headers: { "If-Match": '"v2"' } };
  expect((await ada.call(memories.deleteMemoryRoute, one)).status).toBe(204);
});

test("the cron handler wakes each record by its own owner's calendar", async () => {
  const noon = new Date("2026-11-20T11:30:00.000Z");
  const zones = { "Pacific/Kiritimati": "2026-11-21", "Pacific/Niue": "2026-11-20", UTC: "2026-11-20" };
  for (const [timezone, day] of Object.entries(zones)) {
    const owner = await numberOf(await person({ timezone }));
    const sleeping = { status: "deferred", created_at: "2026-01-01T00:00:00.000Z" } as const;
    const ids = await prepare(owner, [
      { ...sleeping, deferred_until: day },
      { ...sleeping, deferred_until: addDays(day, 1) },
    ]);
    await wakeMemories({ ...(await ctxOf(await person())), now: noon });
    const { results } = await env.DB.prepare("SELECT id FROM memories WHERE owner = ? AND status = 'active'")
      .bind(owner)
      .all();
    expect(results, timezone).toEqual([{ id: ids[0] }]);
  }
});
