import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { updateMeRoute } from "../src/auth/routes.ts";
import { addDays, dayOf, namedDay } from "../src/core/days.ts";
import { createDocumentRoute } from "../src/documents/routes.ts";
import {
  ACTIONS,
  type Action,
  changesNothing,
  EVENT_OF,
  refusalOf,
  STATUSES,
  type Status,
  stateAfter,
} from "../src/memories/life-cycle.ts";
import { listMemories } from "../src/memories/list-tools.ts";
import * as memories from "../src/memories/routes.ts";
import type { Memory } from "../src/memories/schema.ts";
import * as tools from "../src/memories/tools.ts";
import { wakeMemories } from "../src/memories/wake-store.ts";
import { fetchTool } from "../src/search/tools.ts";
import { type Client, person, visitor } from "./kit/client.ts";
import { callTool, ctxOf, numberOf } from "./kit/ctx.ts";
import { prepare } from "./kit/memories.ts";

const PROMISE = {
  memory_type: "commitment",
  topic: "Send Grace the slides",
  content: "Promised in the Monday call",
} as const;

const today = () => dayOf(new Date(), "UTC");
const inDays = (days: number) => addDays(today(), days);

const make = (client: Client, fields: object = {}) =>
  client.ok(memories.createMemoryRoute, { json: { ...PROMISE, ...fields } });

/** The last of several records: nobody else has one with its number. */
async function lastOf(client: Client, count: number) {
  for (let n = 1; n < count; n++) await make(client);
  return make(client);
}

const at = ({ id }: { id: number }) => ({ memory_id: String(id) });

const STEP_ROUTES = {
  resolve: memories.resolveMemoryRoute,
  defer: memories.deferMemoryRoute,
  archive: memories.archiveMemoryRoute,
  reopen: memories.reopenMemoryRoute,
  confirm: memories.confirmMemoryRoute,
  supersede: memories.supersedeMemoryRoute,
} as const;

const step = (client: Client, record: { id: number }, action: Action, json?: object) =>
  client.call(STEP_ROUTES[action], {
    params: at(record),
    json: action === "supersede" ? { content: "Something newer", ...json } : json,
  });

const eventsOf = async (client: Client, record: { id: number }) => {
  const { items } = await client.ok(memories.listMemoryEventsRoute, { params: at(record) });
  return items.map(({ event, from_status, to_status }) => [event, from_status, to_status]);
};

test("a record is created, read, changed and deleted", async () => {
  const ada = await person();
  const created = await ada.call(memories.createMemoryRoute, {
    json: { ...PROMISE, topic: "  Send Grace the slides ", tags: ["board", "board"], due_date: "2027-02-28" },
    headers: { "X-Source-Type": "cli" },
  });
  expect(created.status).toBe(201);
  expect(created.headers.get("Location")).toBe(`/api/memories/${created.body.id}`);
  expect(created.headers.get("ETag")).toBe('"v1"');
  expect(created.body).toEqual({
    ...PROMISE,
    id: created.body.id,
    status: "active",
    scope: null,
    project: null,
    tags: ["board"],
    due_date: "2027-02-28",
    deferred_until: null,
    note: null,
    document_id: null,
    supersedes_id: null,
    superseded_by_id: null,
    resolved_at: null,
    resolution_note: null,
    days_to_resolve: null,
    last_confirmed_at: null,
    source_type: "cli",
    client_name: null,
    version: 1,
    created_at: created.body.created_at,
    updated_at: created.body.created_at,
  });

  const params = at(created.body);
  const read = await ada.call(memories.getMemoryRoute, { params });
  expect(read.body).toEqual(created.body);
  const unchanged = await ada.call(memories.getMemoryRoute, { params, headers: { "If-None-Match": '"v1"' } });
  expect(unchanged.status).toBe(304);

  const changed = await ada.ok(memories.updateMemoryRoute, {
    params,
    json: { due_date: null, scope: "work", project: "Apollo" },
  });
  expect(changed).toMatchObject({
    due_date: null,
    scope: "work",
    project: "Apollo",
    tags: ["board"],
    version: 2,
  });
  expect(await ada.ok(memories.updateMemoryRoute, { params, json: {} })).toEqual(changed);
  expect(await ada.ok(memories.updateMemoryRoute, { params, json: { scope: "work" } })).toEqual(changed);
  expect(await eventsOf(ada, created.body)).toEqual([
    ["created", null, "active"],
    ["updated", "active", "active"],
  ]);

  expect((await ada.call(memories.deleteMemoryRoute, { params })).status).toBe(204);
  expect((await ada.call(memories.getMemoryRoute, { params })).status).toBe(404);
  expect((await ada.call(memories.listMemoryEventsRoute, { params })).status).toBe(404);
  const erased = await ada.call(memories.deleteMemoryRoute, { params, query: { permanent: "true" } });
  expect(erased.status).toBe(204);
  for (const table of ["memories", "memory_events", "memory_tags", "memory_totals", "search_entries"]) {
    expect(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n"), table).toBe(0);
  }
});

test("a change with If-Match happens only to the version that was read", async () => {
  const ada = await person();
  const record = await make(ada);
  const stale = { params: at(record), headers: { "If-Match": '"v1"' } };
  expect((await ada.call(memories.updateMemoryRoute, { ...stale, json: { scope: "work" } })).status).toBe(
    200,
  );
  expect((await ada.call(memories.updateMemoryRoute, { ...stale, json: { scope: null } })).status).toBe(412);
  expect((await ada.call(memories.resolveMemoryRoute, stale)).status).toBe(412);
  expect((await ada.call(memories.confirmMemoryRoute, stale)).status).toBe(412);
  expect((await ada.call(memories.supersedeMemoryRoute, { ...stale, json: { content: "x" } })).status).toBe(
    412,
  );
  expect((await ada.call(memories.deleteMemoryRoute, stale)).status).toBe(412);
  const fresh = { params: at(record), headers: { "If-Match": '"v2"' } };
  const resolved = await ada.call(memories.resolveMemoryRoute, fresh);
  expect([resolved.status, resolved.headers.get("ETag")]).toEqual([200, '"v3"']);
  const current = { params: at(record), headers: { "If-Match": '"v3"' } };
  expect((await ada.call(memories.deleteMemoryRoute, current)).status).toBe(204);
});

/** All allowed transitions: from, action, to. Everything else is refused. */
const ALLOWED: [Status, Action, Status][] = [
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

const LEADS_TO: Record<Status, Action | null> = {
  active: null,
  deferred: "defer",
  resolved: "resolve",
  archived: "archive",
};

test("the allowed transitions are exactly those in the table", () => {
  for (const status of STATUSES) {
    for (const action of ACTIONS) {
      const allowed = ALLOWED.find(([from, name]) => from === status && name === action);
      expect(stateAfter(status, action), `${status} ${action}`).toBe(allowed?.[2]);
    }
  }
  expect(refusalOf("resolved", "defer")).toBe(
    "A resolved record cannot be deferred: from here it can be reopened",
  );
  expect(refusalOf("archived", "resolve")).toMatch(/^An archived record/);
  expect(refusalOf("deferred", "confirm")).toBe(
    "A deferred record cannot be confirmed: from here it can be resolved, archived, reopened, superseded",
  );
});

/** A record of Ada's in this state. */
async function makeIn(ada: Client, status: Status) {
  const record = await make(ada);
  const way = LEADS_TO[status];
  return way ? (await step(ada, record, way)).body : record;
}

const PAIRS = STATUSES.flatMap((status) => ACTIONS.map((action) => ({ status, action })));

test("every transition that is not in the table is refused, says what is possible, and changes nothing", async () => {
  const ada = await person();
  for (const { status, action } of PAIRS.filter(({ status, action }) => !stateAfter(status, action))) {
    const record = await makeIn(ada, status);
    const history = await eventsOf(ada, record);
    const answer = await step(ada, record, action);
    expect(answer.status, `${status} ${action}`).toBe(400);
    expect(JSON.parse(answer.text).detail).toBe(refusalOf(status, action));
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
    expect((await eventsOf(ada, record)).slice(history.length)).toEqual([[EVENT_OF[action], status, next]]);
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
  const act = async (action: Action, json?: object) => (await step(ada, record, action, json)).body as Memory;
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
  expect(successor).toMatchObject({
    ...fields,
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

test("the list supports every filter and every order", async () => {
  const ada = await person();
  const a = await make(ada, {
    topic: "Alpha",
    scope: "work",
    project: "Apollo",
    tags: ["x", "y"],
    due_date: "2027-01-10",
  });
  const b = await make(ada, {
    topic: "Beta",
    scope: "personal",
    tags: ["x"],
    due_date: "2027-01-05",
    memory_type: "blocker",
  });
  const c = await make(ada, { topic: "Größe", content: "Ünlü Straße" });
  await step(ada, c, "archive");
  await step(ada, b, "defer", { deferred_until: inDays(5) });
  const ids = async (query: Record<string, string | string[] | number>) => {
    const { items, total } = await ada.ok(memories.listMemoriesRoute, { query });
    expect(total).toBe(items.length);
    return items.map(({ id }) => id);
  };
  expect(await ids({})).toEqual([b.id, c.id, a.id]);
  expect(await ids({ status: "active" })).toEqual([a.id]);
  expect(await ids({ status: "deferred" })).toEqual([b.id]);
  expect(await ids({ status: "archived" })).toEqual([c.id]);
  expect(await ids({ status: "resolved" })).toEqual([]);
  expect(await ids({ memory_type: "blocker" })).toEqual([b.id]);
  expect(await ids({ scope: "work" })).toEqual([a.id]);
  expect(await ids({ project: "Apollo" })).toEqual([a.id]);
  expect(await ids({ project: "apollo" })).toEqual([]);
  expect(await ids({ project: "" })).toHaveLength(3);
  expect(await ids({ tag: "x" })).toEqual([b.id, a.id]);
  expect(await ids({ tag: ["x", "y"] })).toEqual([a.id]);
  expect(await ids({ q: "ALPHA monday" })).toEqual([a.id]);
  expect(await ids({ q: "größe straße" })).toEqual([c.id]);
  expect(await ids({ q: "%" })).toEqual([]);
  expect(await ids({ due_after: "2027-01-05", due_before: "2027-01-10" })).toEqual([b.id]);
  expect(await ids({ sort: "created_at" })).toEqual([c.id, b.id, a.id]);
  expect(await ids({ sort: "created_at", order: "asc" })).toEqual([a.id, b.id, c.id]);
  expect(await ids({ sort: "due_date" })).toEqual([b.id, a.id, c.id]);
  expect(await ids({ sort: "due_date", order: "desc" })).toEqual([a.id, b.id, c.id]);
  const page = await ada.ok(memories.listMemoriesRoute, { query: { limit: 1, offset: 1 } });
  expect([page.items.map(({ id }) => id), page.total]).toEqual([[c.id], 3]);
  await ada.ok(memories.updateMemoryRoute, { params: at(a), json: { tags: ["z"] } });
  expect(await ids({ tag: "y" })).toEqual([]);
  expect(await ids({ tag: "z" })).toEqual([a.id]);
  const bad: Record<string, string | number>[] = [
    { limit: 0 },
    { limit: 101 },
    { offset: -1 },
    { status: "open" },
    { due_before: "2027-02-29" },
  ];
  for (const query of bad) {
    expect((await ada.refusal(memories.listMemoriesRoute, { query })).status).toBe(422);
  }
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
  expect(await ids({ sort: "created_at", order: "asc" })).toEqual([a.id, b.id]);
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

test("a deferred record wakes on its day, whether or not the cron handler ran", async () => {
  const ada = await person({ timezone: "Pacific/Kiritimati" });
  const number = await numberOf(ada);
  const day = dayOf(new Date(), "Pacific/Kiritimati");
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

test("many records change in one request, each on its own", async () => {
  const ada = await person();
  const bob = await person();
  const foreign = await lastOf(bob, 9);
  const [a, b, c] = [await make(ada), await make(ada), await make(ada)];
  await step(ada, b, "archive");
  const answer = await ada.ok(memories.changeMemoriesRoute, {
    json: {
      operations: [
        { operation: "create", ...PROMISE, topic: "New" },
        { operation: "update", id: a.id, scope: "work" },
        { operation: "resolve", id: a.id, resolution_note: "Done" },
        { operation: "defer", id: b.id },
        { operation: "resolve", id: foreign.id },
        { operation: "supersede", id: c.id, content: "Newer" },
        { operation: "delete", id: b.id },
        { operation: "confirm", id: b.id },
      ],
    },
  });
  const refused = (index: number, id: number, detail: string) => ({ index, ok: false, id, detail });
  expect(answer).toEqual({
    results: [
      { index: 0, ok: true, id: expect.any(Number) },
      { index: 1, ok: true, id: a.id },
      { index: 2, ok: true, id: a.id },
      refused(3, b.id, "An archived record cannot be deferred: from here it can be reopened"),
      refused(4, foreign.id, "Not found"),
      { index: 5, ok: true, id: expect.any(Number) },
      { index: 6, ok: true, id: b.id },
      refused(7, b.id, "Not found"),
    ],
    succeeded: 5,
    failed: 3,
  });
  expect(await ada.ok(memories.getMemoryRoute, { params: at(a) })).toMatchObject({
    status: "resolved",
    scope: "work",
  });
  expect(await bob.ok(memories.getMemoryRoute, { params: at(foreign) })).toEqual(foreign);
  const tooMany = Array(101).fill({ operation: "confirm", id: a.id });
  expect((await ada.refusal(memories.changeMemoriesRoute, { json: { operations: tooMany } })).status).toBe(
    422,
  );
  expect((await ada.refusal(memories.changeMemoriesRoute, { json: { operations: [] } })).status).toBe(422);
  const unknown = { operations: [{ operation: "explode", id: a.id }] };
  expect((await ada.refusal(memories.changeMemoriesRoute, { json: unknown })).status).toBe(422);
});

test("nobody can read or change another person's record, or find out that it exists", async () => {
  const [ada, bob] = [await person(), await person()];
  const record = await make(ada);
  const gone = await make(bob);
  await bob.ok(memories.deleteMemoryRoute, { params: at(gone) });
  const document = await ada.ok(createDocumentRoute, { json: { title: "Ada's" } });
  const calls = (id: number) => [
    bob.call(memories.getMemoryRoute, { params: at({ id }) }),
    bob.call(memories.updateMemoryRoute, { params: at({ id }), json: { topic: "Mine" } }),
    bob.call(memories.deleteMemoryRoute, { params: at({ id }) }),
    bob.call(memories.listMemoryEventsRoute, { params: at({ id }) }),
    ...ACTIONS.map((action) => step(bob, { id }, action)),
  ];
  const answers = await Promise.all([record.id, gone.id, 999_999_999].flatMap(calls));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['404 {"detail":"Not found"}']),
  );
  expect(await ada.ok(memories.getMemoryRoute, { params: at(record) })).toEqual(record);
  expect((await ada.ok(memories.listMemoryEventsRoute, { params: at(record) })).total).toBe(1);
  expect(await bob.ok(memories.listMemoriesRoute, {})).toEqual({ items: [], total: 0 });

  const mine = await make(bob);
  const foreign = { document_id: document.id };
  expect((await bob.refusal(memories.createMemoryRoute, { json: { ...PROMISE, ...foreign } })).status).toBe(
    404,
  );
  expect((await bob.refusal(memories.updateMemoryRoute, { params: at(mine), json: foreign })).status).toBe(
    404,
  );
  expect((await step(bob, mine, "supersede", foreign)).status).toBe(404);
  const attached = await make(ada, foreign);
  expect(attached.document_id).toBe(document.id);
  expect((await visitor().call(memories.getMemoryRoute, { params: at(record) })).status).toBe(401);
});

test("an id that is not an integer is a 422, and so is a body with missing or unknown fields", async () => {
  const ada = await person();
  for (const memory_id of ["abc", "1.5", "-1", "0x1", "1e3", "0", "99999999999999999999", "01936b1e-7c3a"]) {
    expect((await ada.refusal(memories.getMemoryRoute, { params: { memory_id } })).status, memory_id).toBe(
      422,
    );
  }
  const bad = [
    { topic: "" },
    { topic: "   " },
    { content: "" },
    { memory_type: "idea" },
    { scope: "both" },
    { project: "" },
    { due_date: "2026-02-29" },
    { due_date: "tomorrow" },
    { tags: Array(51).fill(0).map(String) },
    { document_id: "12" },
    { topic: "x".repeat(501) },
    { content: "\ud800" },
    { created_at: "yesterday" },
  ];
  for (const fields of bad) {
    const json = { ...PROMISE, ...fields };
    expect((await ada.refusal(memories.createMemoryRoute, { json })).status, JSON.stringify(fields)).toBe(
      422,
    );
  }
  expect((await ada.refusal(memories.createMemoryRoute, { body: "{" })).status).toBe(400);
});

test("an action takes a JSON body or none", async () => {
  const ada = await person();
  const record = await make(ada);
  const path = `/api/memories/${record.id}/archive`;
  const plain = await ada.fetch(path, { method: "POST", body: '{"note":"lost?"}' });
  expect(plain.status).toBe(400);
  expect((await ada.fetch(path, { method: "POST" })).status).toBe(200);
  for (const step of ["reopen", "resolve", "reopen", "defer", "resolve", "reopen", "archive"]) {
    const empty = { method: "POST", body: "", headers: { "Content-Type": "application/json" } };
    const answer = await ada.fetch(`/api/memories/${record.id}/${step}`, empty);
    expect([step, answer.status]).toEqual([step, 200]);
  }
  const broken = { body: "{", headers: { "Content-Type": "application/json" } };
  expect((await ada.call(memories.archiveMemoryRoute, { params: at(record), ...broken })).status).toBe(400);
});

test("search finds every record by its words until it is deleted", async () => {
  const ada = await person();
  const record = await make(ada, { tags: ["board"] });
  const entry = "SELECT count(*) AS n FROM search_entries WHERE kind = 'memory' AND record = ?";
  const entries = () => env.DB.prepare(entry).bind(String(record.id)).first("n");
  expect(await entries()).toBe(1);
  await ada.ok(memories.updateMemoryRoute, { params: at(record), json: { topic: "Mail Grace" } });
  await step(ada, record, "resolve");
  expect(await entries()).toBe(1);
  await ada.ok(memories.deleteMemoryRoute, { params: at(record) });
  expect(await entries()).toBe(0);
});

test("tools: remember, update_memory and close_memories do what the API does", async () => {
  const ada = await person({ timezone: "Pacific/Niue" });
  const ctx = { ...(await ctxOf(ada)), client_name: "Claude" };
  const day = { today: namedDay(dayOf(ctx.now, "Pacific/Niue")) };
  const kept = await callTool(ctx, tools.remember, {
    type: "decision",
    title: " We take D1 ",
    text: "One database",
    tag: "db, storage",
  });
  expect(kept).toEqual({
    memory: { id: kept.memory?.id, topic: "We take D1", status: "active" },
    ...day,
  });
  const stored = await ada.ok(memories.getMemoryRoute, { params: at({ id: Number(kept.memory?.id) }) });
  expect(stored).toMatchObject({ source_type: "mcp", client_name: "Claude", tags: ["db", "storage"] });

  const replaced = await callTool(ctx, tools.remember, {
    memory_type: "decision",
    topic: "We take Postgres",
    content: "After all",
    replaces_id: `mem:${kept.memory?.id}`,
  });
  expect(replaced.memory).toMatchObject({ replaces_id: kept.memory?.id, topic: "We take Postgres" });

  const changed = await callTool(ctx, tools.updateMemory, {
    id: String(replaced.memory?.id),
    due: "2027-01-01",
    project: "Apollo",
  });
  expect(changed.memory).toMatchObject({ due_date: "2027-01-01", project: "Apollo" });
  const cleared = await callTool(ctx, tools.updateMemory, { id: replaced.memory?.id, due_date: null });
  expect(cleared.memory).not.toHaveProperty("due_date");

  const closed = await callTool(ctx, tools.closeMemories, {
    ids: `${kept.memory?.id}, ${replaced.memory?.id}, 424242`,
    outcome: "resolved",
    note: "Done",
  });
  expect(closed).toEqual({
    results: [
      { id: kept.memory?.id, ok: false, detail: expect.stringContaining("from here it can be reopened") },
      {
        id: replaced.memory?.id,
        ok: true,
        topic: "We take Postgres",
        status: "resolved",
        project: "Apollo",
        replaces_id: kept.memory?.id,
      },
      { id: 424242, ok: false, detail: "424242 is not one of your records: list_memories shows their ids" },
    ],
    succeeded: 1,
    failed: 2,
    ...day,
  });
  const { items } = await ada.ok(memories.listMemoryEventsRoute, {
    params: at({ id: Number(replaced.memory?.id) }),
  });
  expect(items.at(-1)).toMatchObject({
    event: "resolved",
    note: "Done",
    source_type: "mcp",
    client_name: "Claude",
  });
});

test("records are listed by when they were created, changed, resolved or last touched, in the API and by the tool", async () => {
  const ada = await person({ timezone: "Pacific/Niue" });
  const owner = await numberOf(ada);
  const at = (day: string) => `${day}T12:00:00.000Z`;
  await prepare(owner, [
    { topic: "old", created_at: at("2026-01-01") },
    { topic: "changed", created_at: at("2026-01-02"), updated_at: at("2026-11-10") },
    { topic: "new", created_at: at("2026-11-11"), due_date: "2027-01-01", tags: ["x"] },
    {
      topic: "done",
      created_at: at("2026-01-03"),
      updated_at: at("2026-11-12"),
      status: "resolved",
      resolution_note: "Sent",
    },
    { topic: "parked", created_at: at("2026-01-04"), status: "deferred" },
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
  expect(await listed({})).toEqual(["done", "new", "changed", "parked", "old"]);
  expect(await listed({ created_after: at("2026-01-03") })).toEqual(["done", "new", "parked"]);
  expect(await listed({ created_after: at("2026-01-03"), sort: "created_at" })).toEqual([
    "new",
    "parked",
    "done",
  ]);
  expect(await listed({ updated_after: at("2026-11-11") })).toEqual(["done", "new"]);
  expect(await listed({ resolved_after: "2026-11-12" })).toEqual(["done"]);
  expect(await listed({ resolved_after: "2026-11-13" })).toEqual([]);
  expect(await listed({ created_after: "2026-01-01", updated_after: at("2026-11-10") })).toHaveLength(3);
  // The API's clock is the present one.
  expect(topics(await callTool(ctx, listMemories, { untouched_days: 30 }))).toEqual(["old"]);
  expect(topics(await callTool(ctx, listMemories, { view: "all", untouched_days: 10 }))).toEqual([
    "changed",
    "parked",
    "old",
  ]);
  const bad: Record<string, string | number>[] = [
    { untouched_days: "x" },
    { untouched_days: 0 },
    { created_after: "May" },
  ];
  for (const query of bad) {
    expect((await ada.refusal(memories.listMemoriesRoute, { query })).status).toBe(422);
  }

  // A day is one of the user's, who is eleven hours behind.
  const day = (resolved_after: string) => callTool(ctx, listMemories, { resolved_after });
  expect(topics(await day("2026-11-12"))).toEqual(["done"]);
  expect(await day("2026-11-12")).toMatchObject({
    view: "all",
    items: [{ status: "resolved", note: "Sent", resolved_at: "2026-11-12T01:00-11:00" }],
    today: "2026-11-20 (Friday)",
  });
  expect(topics(await callTool(ctx, listMemories, { view: "history", sort: "created_at" }))).toEqual([
    "parked",
    "done",
  ]);
  expect(topics(await callTool(ctx, listMemories, { q: "new", tag: "x" }))).toEqual(["new"]);
  expect(topics(await callTool(ctx, listMemories, { sort: "updated_at" }))).toEqual([
    "new",
    "changed",
    "old",
  ]);
  await expect(callTool(ctx, listMemories, { view: "alerts", q: "x" })).rejects.toThrow("view active");
  await expect(callTool(ctx, listMemories, { view: "active", resolved_after: "2026-11-12" })).rejects.toThrow(
    "view history",
  );
});

test("what was said when a record was deferred or closed stays with it until it is reopened", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const { memory: { id } = { id: 0 } } = await callTool(ctx, tools.remember, PROMISE);
  const close = (outcome: string, more: object = {}) =>
    callTool(ctx, tools.closeMemories, { ids: [`mem:${id}`], outcome, ...more });
  const noteIn = async (view: string) =>
    (await callTool(ctx, listMemories, { view })).items.map(({ note }) => note);
  const deferred = await close("deferred", { deferred_until: "2099-01-01", note: "After the beta" });
  expect(deferred.results[0]).toMatchObject({ status: "deferred", deferred_until: "2099-01-01" });
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
  expect(await refused(remember, { ...PROMISE, topic: " " })).toMatch(/^topic: must not be empty/);
  expect(await refused(remember, { ...PROMISE, tags: ["x".repeat(65)] })).toMatch(/^tags: at most 50/);
  expect(await refused(update, { id: 5 })).toMatch(/^Nothing to change/);
  expect(await refused(update, { id: 5, topic: "x" })).toMatch(/list_memories shows their ids$/);
  expect(await refused(tools.closeMemories as never, { ids: [], outcome: "resolved" })).toMatch(/^ids: /);
});

test("settings: time zone and stale days are checked when they are set", async () => {
  const ada = await person();
  for (const timezone of ["Mars/Olympus", "+01:00", ""]) {
    expect((await ada.refusal(updateMeRoute, { json: { timezone } })).status, timezone).toBe(422);
  }
  const me = await ada.ok(updateMeRoute, {
    json: { timezone: "Pacific/Niue", stale_after_days: { commitment: 3 } },
  });
  expect(me).toMatchObject({ timezone: "Pacific/Niue", stale_after_days: { commitment: 3, blocker: 7 } });
});
