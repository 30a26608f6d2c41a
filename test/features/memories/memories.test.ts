import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ACTIONS } from "../../../src/contract/life-cycle.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { person, visitor } from "../../kit/client.ts";
import { at, eventsOf, lastOf, make, PROMISE, step } from "../../kit/records.ts";

// Records: created, changed, deleted, many at once, and nobody else's.

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
    happened_on: null,
    due_time: null,
    ...{ priority: null, owed: null, remind: null, remind_until_done: null, remind_at: null },
    ...{ repeat: null, repeat_from: null, repeat_start: null, series_id: null },
    ...{ repeat_text: null, next_due: null, missed: null },
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
      refused(3, b.id, "An archived record cannot be deferred: it can only be reopened"),
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
