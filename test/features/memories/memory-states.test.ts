import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { addDays, localDay } from "../../../src/contract/days.ts";
import {
  ACTIONS,
  changesNothing,
  EVENT_BY_ACTION,
  impossibleActionMessage,
  type LifeCycleAction,
  type LifeCycleStatus,
  STATUSES,
  statusAfter,
} from "../../../src/contract/life-cycle.ts";
import type { Memory } from "../../../src/contract/memory.ts";
import { listMemories } from "../../../src/features/memories/list-tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as tools from "../../../src/features/memories/tools.ts";
import { wakeMemories } from "../../../src/features/memories/wake-store.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";
import { at, eventsOf, inDays, make, PROMISE, step, today } from "../../kit/records.ts";

// What can happen to a record: its states, the actions between them, and waking.

/** All allowed transitions: from, action, to. Everything else is refused. */
const ALLOWED: [LifeCycleStatus, LifeCycleAction, LifeCycleStatus][] = [
  ["active", "resolve", "resolved"],
  ["active", "defer", "deferred"],
  ["active", "archive", "archived"],
  ["active", "reopen", "active"],
  ["active", "confirm", "active"],
  ["active", "supersede", "archived"],
  ["deferred", "reopen", "active"],
  ["deferred", "resolve", "resolved"],
  ["deferred", "archive", "archived"],
  ["deferred", "defer", "deferred"],
  ["deferred", "supersede", "archived"],
  ["resolved", "reopen", "active"],
  ["resolved", "resolve", "resolved"],
  ["archived", "reopen", "active"],
  ["archived", "archive", "archived"],
];

const LEADS_TO: Record<LifeCycleStatus, LifeCycleAction | null> = {
  active: null,
  deferred: "defer",
  resolved: "resolve",
  archived: "archive",
};

test("the allowed transitions are exactly those in the table", () => {
  for (const status of STATUSES) {
    for (const action of ACTIONS) {
      const allowed = ALLOWED.find(([from, name]) => from === status && name === action);
      expect(statusAfter(status, action), `${status} ${action}`).toBe(allowed?.[2]);
    }
  }
  expect(impossibleActionMessage("resolved", "defer")).toBe(
    "A resolved record cannot be deferred: it can only be reopened",
  );
  expect(impossibleActionMessage("archived", "resolve")).toMatch(/^An archived record/);
  expect(impossibleActionMessage("deferred", "confirm")).toBe(
    "A deferred record cannot be confirmed: it can only be resolved, archived, reopened, superseded",
  );
});

/** A record of Ada's in this state. */
async function makeIn(ada: Client, status: LifeCycleStatus) {
  const record = await make(ada);
  const way = LEADS_TO[status];
  return way ? (await step(ada, record, way)).body : record;
}

const PAIRS = STATUSES.flatMap((status) => ACTIONS.map((action) => ({ status, action })));

test("every transition that is not in the table is refused, says what is possible, and changes nothing", async () => {
  const ada = await person();
  for (const { status, action } of PAIRS.filter(({ status, action }) => !statusAfter(status, action))) {
    const record = await makeIn(ada, status);
    const history = await eventsOf(ada, record);
    const answer = await step(ada, record, action);
    expect(answer.status, `${status} ${action}`).toBe(400);
    expect(JSON.parse(answer.text).detail).toBe(impossibleActionMessage(status, action));
    expect(await ada.ok(memories.getMemoryRoute, { params: at(record) })).toEqual(record);
    expect(await eventsOf(ada, record)).toEqual(history);
  }
});

test("the same state again is a 200 that changes nothing", async () => {
  const ada = await person();
  for (const { status, action } of PAIRS.filter(({ status, action }) => changesNothing(status, action))) {
    const record = await makeIn(ada, status);
    const history = await eventsOf(ada, record);
    const answer = await step(ada, record, action);
    expect([answer.status, answer.body], `${status} ${action}`).toEqual([200, record]);
    expect(await eventsOf(ada, record)).toEqual(history);
  }
});

test("every transition in the table leads to its status and records one event", async () => {
  const ada = await person();
  const changing = ALLOWED.filter(([status, action]) => !changesNothing(status, action));
  expect(changing).toHaveLength(11);
  for (const [status, action, next] of changing) {
    const record = await makeIn(ada, status);
    const history = await eventsOf(ada, record);
    const answer = await step(ada, record, action);
    expect([answer.status, answer.body.status, answer.body.version]).toEqual([200, next, record.version + 1]);
    expect(await ada.ok(memories.getMemoryRoute, { params: at(record) })).toEqual(answer.body);
    expect((await eventsOf(ada, record)).slice(history.length)).toEqual([
      [EVENT_BY_ACTION[action], status, next],
    ]);
  }
});

test("each action sets its own fields, and reopening clears them", async () => {
  const ada = await person();
  const record = await make(ada);
  const resolved = (await step(ada, record, "resolve", { resolution_note: "Sent by mail" })).body;
  expect(resolved).toMatchObject({ status: "resolved", resolution_note: "Sent by mail", days_to_resolve: 0 });
  expect(resolved.resolved_at).toBe(resolved.updated_at);
  const reopened = (await step(ada, record, "reopen")).body;
  expect(reopened).toMatchObject({
    status: "active",
    resolution_note: null,
    resolved_at: null,
    days_to_resolve: null,
  });

  const deferred = (
    await step(ada, record, "defer", { deferred_until: inDays(3), note: "After the holidays" })
  ).body;
  expect(deferred).toMatchObject({ status: "deferred", deferred_until: inDays(3) });
  expect((await step(ada, record, "defer", { deferred_until: inDays(3) })).body).toEqual(deferred);
  expect((await step(ada, record, "defer")).body).toEqual(deferred);
  const later = (await step(ada, record, "defer", { deferred_until: inDays(9) })).body;
  expect(later).toMatchObject({
    status: "deferred",
    deferred_until: inDays(9),
    version: deferred.version + 1,
  });
  expect((await step(ada, record, "archive", { note: "Obsolete" })).body).toMatchObject({
    deferred_until: null,
  });

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

test("what a deferral says is on the record until another step says something else, also after its day has come", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const record = await make(ada, { due_date: "2027-02-28" });
  const act = async (action: LifeCycleAction, json?: object) =>
    (await step(ada, record, action, json)).body as Memory;
  const told = { deferred_until: inDays(9), note: "Grace is away" };
  expect(await act("defer", told)).toMatchObject({ ...told, due_date: "2027-02-28", version: 2 });
  expect(await act("defer", told)).toMatchObject({ version: 2 });
  expect(await act("defer", { deferred_until: inDays(5) })).toMatchObject({ note: told.note, version: 3 });
  expect(await act("defer", { note: "Back on Friday" })).toMatchObject({
    ...{ note: "Back on Friday", deferred_until: inDays(5), version: 4 },
  });
  const ctx = await ctxOf(ada);
  for (const view of ["history", "all"]) {
    const { items } = await callTool(ctx, listMemories, { view });
    expect(items[0], view).toMatchObject({ note: "Back on Friday", deferred_until: inDays(5) });
  }
  await env.DB.prepare("UPDATE memories SET touched_at = ? WHERE owner = ?")
    .bind(`${today()}T00:00:00.000Z`, owner)
    .run();
  const woken = await ada.ok(memories.getMemoryRoute, { params: at(record) });
  expect(woken).toMatchObject({ status: "active", note: "Back on Friday", due_date: "2027-02-28" });
  expect(await act("archive", { note: "No longer needed" })).toMatchObject({ note: "No longer needed" });
  await callTool(ctx, tools.closeMemories, { ids: [record.id], outcome: "reopened", note: "Needed again" });
  expect((await ada.ok(memories.getMemoryRoute, { params: at(record) })).note).toBe("Needed again");
  await callTool(ctx, tools.closeMemories, {
    ids: [record.id],
    outcome: "confirmed",
    note: "She asked today",
  });
  const { items } = await ada.ok(memories.listMemoryEventsRoute, { params: at(record) });
  expect(items.map(({ note }) => note).filter(Boolean)).toEqual([
    ...["Grace is away", "Back on Friday", "No longer needed", "Needed again", "She asked today"],
  ]);
  expect(await act("resolve", { resolution_note: "Sent" })).toMatchObject({
    note: null,
    resolution_note: "Sent",
  });
});

test("times in the past can be given, times in the future cannot", async () => {
  const ada = await person();
  const record = await make(ada, { created_at: "2026-01-01T10:00:00+02:00" });
  expect(record).toMatchObject({
    created_at: "2026-01-01T08:00:00.000Z",
    updated_at: "2026-01-01T08:00:00.000Z",
  });
  const soon = new Date(Date.now() + 60_000).toISOString();
  const early = "2025-12-31T00:00:00Z";
  expect((await step(ada, record, "resolve", { resolved_at: soon })).status).toBe(400);
  // What was over before it was recorded is in over-before.test.ts.
  const params = { memory_id: String(record.id) };
  await ada.ok(memories.updateMemoryRoute, { params, json: { happened_on: "2026-01-01" } });
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
  const successor = await ada.ok(memories.getMemoryRoute, {
    params: { memory_id: String(old.superseded_by_id) },
  });
  // A decision was to be made by its due date; the one in its place has been made.
  expect(successor).toMatchObject({
    ...{ ...fields, due_date: null },
    topic: PROMISE.topic,
    content: "We take D1 after all",
    status: "active",
    supersedes_id: record.id,
    version: 1,
  });
  expect(await eventsOf(ada, record)).toEqual([
    ["created", null, "active"],
    ["superseded", "active", "archived"],
  ]);
  expect(await eventsOf(ada, successor)).toEqual([["created", null, "active"]]);
  await ada.ok(memories.deleteMemoryRoute, { params: at(successor) });
  const left = await ada.ok(memories.getMemoryRoute, { params: at(record) });
  expect(left).toMatchObject({ superseded_by_id: null, version: old.version + 1 });
});

test("fifty parallel resolves of one record leave one event", async () => {
  const ada = await person();
  const record = await make(ada);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      step(ada, record, "resolve", { resolution_note: `Note ${index}` }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await eventsOf(ada, record)).toEqual([
    ["created", null, "active"],
    ["resolved", "active", "resolved"],
  ]);
});

test("parallel changes of different fields are all kept", async () => {
  const ada = await person();
  const record = await make(ada);
  const changes = [
    { topic: "A" },
    { content: "B" },
    { scope: "work" },
    { project: "C" },
    { due_date: "2027-01-01" },
  ];
  await Promise.all(changes.map((json) => ada.ok(memories.updateMemoryRoute, { params: at(record), json })));
  const now = await ada.ok(memories.getMemoryRoute, { params: at(record) });
  expect(now).toMatchObject({ ...Object.assign({}, ...changes), version: 6 });
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
  const look = async () => ({
    one: await ada.ok(memories.getMemoryRoute, { params: at({ id: due }) }),
    active: (await ada.ok(memories.listMemoriesRoute, { query: { status: "active" } })).items.map(
      ({ id }) => id,
    ),
    deferred: (await ada.ok(memories.listMemoriesRoute, { query: { status: "deferred" } })).items.map(
      ({ id }) => id,
    ),
  });
  const before = await look();
  expect(before).toEqual({
    one: expect.objectContaining({ status: "active", deferred_until: null, version: 2, updated_at: past }),
    active: [due],
    deferred: [forever, waiting],
  });
  const { DB } = env;
  await wakeMemories(await ctxOf(ada));
  expect(await DB.prepare("SELECT status, version FROM memories WHERE id = ?").bind(due).first()).toEqual({
    status: "active",
    version: 2,
  });
  expect(await look()).toEqual(before);
  await wakeMemories(await ctxOf(ada));
  const { items } = await ada.ok(memories.listMemoryEventsRoute, { params: at({ id: due }) });
  expect(items).toEqual([
    expect.objectContaining({
      event: "woke",
      from_status: "deferred",
      to_status: "active",
      source_type: null,
      at: "2026-11-01T10:00:00.000Z",
    }),
  ]);
  expect(await eventsOf(ada, { id: waiting })).toEqual([]);
});

test("the events include the waking, and the next action starts from active, even before the cron handler runs", async () => {
  const ada = await person();
  const number = await numberOf(ada);
  const sleeping = {
    status: "deferred",
    created_at: "2026-01-01T00:00:00.000Z",
    deferred_until: "2026-02-01",
  } as const;
  const [read = 0, stepped = 0, deleted = 0] = await prepare(number, [sleeping, sleeping, sleeping]);
  expect(await eventsOf(ada, { id: read })).toEqual([["woke", "deferred", "active"]]);
  expect((await step(ada, { id: stepped }, "confirm")).body).toMatchObject({ status: "active", version: 3 });
  expect(await eventsOf(ada, { id: stepped })).toEqual([
    ["woke", "deferred", "active"],
    ["confirmed", "active", "active"],
  ]);
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
