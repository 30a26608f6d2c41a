import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import * as memories from "../../../src/features/memories/routes.ts";
import { atOnce } from "../../kit/at-once.ts";
import { person } from "../../kit/client.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { at, change, eventsOf, make, PROMISE, read, step } from "../../kit/records.ts";

// Records: created, changed, deleted, many at once, refused, and repeated. Other accounts are in records.test.ts.

test("a record is created, read, changed and deleted", async () => {
  const ada = await person();
  const created = await ada.call(memories.createMemoryRoute, {
    json: { ...PROMISE, topic: "  Send Grace the slides ", tags: ["board", "board"], due_date: "2027-02-28" },
    headers: { "X-Source-Type": "cli" },
  });
  expect(created.status).toBe(201);
  expect(created.headers.get("Location")).toBe(`/api/memories/${created.body.id}`);
  expect(created.headers.get("ETag")).toBe('"v1"');
  const { created_at } = created.body;
  expect(created.body).toEqual({
    ...PROMISE,
    ...{ id: created.body.id, status: "active", scope: null, project: null, tags: ["board"] },
    ...{ due_date: "2027-02-28", happened_on: null, due_time: null },
    ...{ priority: null, owed: null, remind: null, remind_until_done: null, remind_at: null },
    ...{ repeat: null, repeat_from: null, repeat_start: null, next_values: null, series_id: null },
    ...{ repeat_text: null, next_due: null, missed: null },
    ...{ deferred_until: null, note: null, document_id: null, supersedes_id: null, superseded_by_id: null },
    ...{ resolved_at: null, resolution_note: null, days_to_resolve: null, last_confirmed_at: null },
    ...{ source_type: "cli", client_name: null, version: 1, created_at, updated_at: created_at },
  });

  const params = at(created.body);
  expect(await read(ada, created.body.id)).toEqual(created.body);
  const unchanged = await ada.call(memories.getMemoryRoute, { params, headers: { "If-None-Match": '"v1"' } });
  expect(unchanged.status).toBe(304);

  const filed = { due_date: null, scope: "work", project: "Apollo" };
  const changed = await change(ada, created.body, filed);
  expect(changed).toMatchObject({ ...filed, tags: ["board"], version: 2 });
  for (const nothing of [{}, { scope: "work" }])
    expect(await change(ada, created.body, nothing)).toEqual(changed);
  expect(await eventsOf(ada, created.body)).toEqual(["created: null → active", "updated: active → active"]);

  expect((await ada.call(memories.deleteMemoryRoute, { params })).status).toBe(204);
  const erased = await ada.call(memories.deleteMemoryRoute, { params, query: { permanent: "true" } });
  expect(erased.status).toBe(204);
  for (const table of ["memories", "memory_events", "memory_tags", "memory_totals", "search_entries"])
    expect(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n"), table).toBe(0);
});

test("a change with If-Match happens only to the version that was read", async () => {
  const ada = await person();
  const record = await make(ada);
  const of = (version: number) => ({ params: at(record), headers: { "If-Match": `"v${version}"` } });
  expect((await ada.call(memories.updateMemoryRoute, { ...of(1), json: { scope: "work" } })).status).toBe(
    200,
  );
  const plain = [memories.resolveMemoryRoute, memories.deferMemoryRoute, memories.archiveMemoryRoute];
  const others = [memories.reopenMemoryRoute, memories.confirmMemoryRoute, memories.deleteMemoryRoute];
  for (const route of [...plain, ...others] as RouteConfig[])
    expect((await ada.call(route, of(1))).status, route.operationId).toBe(412);
  for (const route of [memories.updateMemoryRoute, memories.supersedeMemoryRoute])
    expect((await ada.call(route, { ...of(1), json: { content: "x" } })).status).toBe(412);
  const version = { params: { ...at(record), version: "1" }, headers: of(1).headers };
  expect((await ada.call(memories.restoreMemoryVersionRoute, version)).status).toBe(412);
  const resolved = await ada.call(memories.resolveMemoryRoute, of(2));
  expect([resolved.status, resolved.headers.get("ETag")]).toEqual([200, '"v3"']);
  expect((await ada.call(memories.deleteMemoryRoute, of(3))).status).toBe(204);
  for (const [stale, status] of [
    [4, 412],
    [3, 200],
  ] as const)
    expect((await ada.call(memories.restoreMemoryRoute, of(stale))).status).toBe(status);
});

test("many records change in one request, each on its own", async () => {
  const ada = await person();
  const [a, b, c] = [await make(ada), await make(ada), await make(ada)];
  await step(ada, b, "archive");
  const answer = await ada.ok(memories.changeMemoriesRoute, {
    json: {
      operations: [
        { operation: "create", ...PROMISE, topic: "New" },
        { operation: "update", id: a.id, scope: "work" },
        { operation: "resolve", id: a.id, resolution_note: "Done" },
        { operation: "defer", id: b.id },
        { operation: "resolve", id: 999 },
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
      refused(4, 999, "Not found"),
      { index: 5, ok: true, id: expect.any(Number) },
      { index: 6, ok: true, id: b.id },
      refused(7, b.id, "Not found"),
    ],
    ...{ succeeded: 5, failed: 3 },
  });
  expect(await read(ada, a.id)).toMatchObject({ status: "resolved", scope: "work" });
  const one = { operation: "confirm", id: a.id };
  for (const operations of [Array(101).fill(one), [], [{ ...one, operation: "explode" }]])
    expect((await ada.refusal(memories.changeMemoriesRoute, { json: { operations } })).status).toBe(422);
});

test("an id that is not an integer is a 422, and so is a field that has no such value", async () => {
  const ada = await person();
  for (const memory_id of ["abc", "1.5", "-1", "0x1", "1e3", "0", "99999999999999999999"])
    expect((await ada.refusal(memories.getMemoryRoute, { params: { memory_id } })).status, memory_id).toBe(
      422,
    );
  const bad: Record<string, unknown[]> = {
    topic: ["", "   ", "x".repeat(501), undefined],
    content: ["", "\ud800"],
    memory_type: ["idea"],
    scope: ["both"],
    project: [""],
    due_date: ["2026-02-29", "tomorrow"],
    tags: [Array(51).fill(0).map(String)],
    document_id: ["12"],
    created_at: ["yesterday"],
  };
  for (const [name, values] of Object.entries(bad))
    for (const value of values) {
      const json = { ...PROMISE, [name]: value };
      expect((await ada.refusal(memories.createMemoryRoute, { json })).status, `${name} ${value}`).toBe(422);
    }
  expect((await ada.refusal(memories.createMemoryRoute, { body: "{" })).status).toBe(400);
  const good = {
    topic: "👩‍🚀 \u0301 '\"*",
    content: "x".repeat(10_000),
    project: "東京/%_",
    tags: ["\u202e", "-"],
  };
  for (const due_date of ["0000-01-01", "9999-12-31"])
    expect(await make(ada, { ...good, due_date })).toMatchObject({ ...good, due_date });
});

const CALL = { memory_type: "commitment", topic: "Call Grace", content: "About the slides" } as const;

test("what is not understood of a record's time or files, or does not fit together, refuses it by name", async () => {
  const ada = await person();
  const asker = stateless(ada);
  const day = { due_date: "2099-12-24" };
  const six = Array.from({ length: 6 }, (_, n) => ({ before: `PT${n}H` }));
  for (const [fields, request, tool = request.split(":")[0]] of [
    [{ due_date: "2099-12-24T17:00" }, "due_date: "],
    [{ due_date: "2099-12-24T17:00:00+01:00" }, "due_date: "],
    [{ due: "2099-12-24 17:00" }, "due: ", "due_date"],
    [{ ...day, due_time: "5 pm" }, "due_time: must be a time of day such as 17:00"],
    [{ ...day, due_time: "24:00" }, "due_time: must be a time of day such as 17:00"],
    [{ ...day, due_time: "17:00+01:00" }, "due_time: "],
    [{ due_time: "17:00" }, "due_time: needs a due_date: give both"],
    [{ ...day, time: "17:00" }, "time: "],
    [{ ...day, timezone: "Europe/Berlin" }, "timezone: "],
    [{ remind: [{ before: "PT1H" }] }, "remind: `before` needs a due_date"],
    [{ ...day, remind: six }, "remind: must have at most 5"],
    [{ ...day, remind: [{ at: "2099-02-30T09:00" }] }, "remind"],
    [{ ...day, repeat_from: "done" }, "repeat_from: needs repeat"],
    [{ ...day, repeat: "now and then" }, "repeat: "],
    [{ ...day, repeat: "FREQ=DAILY;UNTIL=20261119" }, "repeat: UNTIL is 2026-11-19, which has passed"],
    [{ ...day, repeat: "FREQ=DAILY;INTERVAL=7;BYDAY=MO" }, "repeat: the rule has no day on or after"],
    [{ ...day, repeat: "FREQ=DAILY;UNTIL=20991201" }, "repeat: the rule has no day"],
    [{ ...day, every: "week" }, "every: "],
    [{ ...day, attachments: ["slides.pdf"] }, "attachments: ", "files"],
    [{ ...day, attachment: "slides.pdf" }, "attachment: "],
  ] as [object, string, string?][]) {
    const json = { ...CALL, ...fields };
    const what = JSON.stringify(fields);
    const { status, detail } = await ada.refusal(memories.createMemoryRoute, { json: json as never });
    expect([status, detail.startsWith(request)], `${what}: ${detail}`).toEqual([422, true]);
    const operations = { operations: [{ operation: "create", ...json }] };
    const bulk = await ada.call(memories.changeMemoriesRoute, { json: operations as never });
    expect(JSON.parse(bulk.text).detail ?? bulk.text, what).toContain(request);
    expect((await use(asker, "remember", json)).refused, what).toMatch(new RegExp(`^${tool}\\b[^:]*: `));
    const { results } = (await use(asker, "remember", { records: [json] })) as {
      results: { detail?: string }[];
    };
    expect(results[0]?.detail, what).toMatch(/^(?:due|time|remind|repeat|every|files|attach)/);
  }
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(0);
  const words = { due_time: "17:00", recurrence: "every week", reminder: "PT30M" };
  const { memory } = await use(asker, "remember", { ...CALL, ...day, ...words });
  const remind = [expect.any(String)];
  expect(memory).toMatchObject({ due_time: "17:00", repeat_text: "every week", remind });
});

test("an action takes a JSON body or none", async () => {
  const ada = await person();
  const record = await make(ada);
  const path = `/api/memories/${record.id}/archive`;
  expect((await ada.fetch(path, { method: "POST", body: '{"note":"lost?"}' })).status).toBe(400);
  expect((await ada.fetch(path, { method: "POST" })).status).toBe(200);
  const headers = { "Content-Type": "application/json" };
  for (const step of ["reopen", "resolve", "reopen", "defer", "archive"]) {
    const answer = await ada.fetch(`/api/memories/${record.id}/${step}`, {
      method: "POST",
      body: "",
      headers,
    });
    expect([step, answer.status]).toEqual([step, 200]);
  }
  expect(
    (await ada.call(memories.archiveMemoryRoute, { params: at(record), body: "{", headers })).status,
  ).toBe(400);
});

const headers = { "Idempotency-Key": "k" };

test("a repeated key answers as before, ten times at once too, is bound to its request, and belongs to its account", async () => {
  const [ada, bob] = [await person(), await person()];
  const params = { memory_id: "1" };
  const supersede = () =>
    ada.call(memories.supersedeMemoryRoute, { params, headers, json: { content: "To Alan" } });
  const create = (fields: object = {}, client = ada) =>
    client.call(memories.createMemoryRoute, { json: { ...PROMISE, ...fields }, headers });
  const first = await create();
  for (const ask of [create, supersede]) {
    const answers = await atOnce(10, () => ask());
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    if (ask === create) expect(answers[0]).toMatchObject({ status: 201, text: first.text });
  }
  expect((await create({ topic: "Other" })).status).toBe(422);
  expect((await create({ topic: "Other" }, bob)).status).toBe(201);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(2);
});

test("a refusal does not use up the key, and a crashed request is presumed abandoned after a minute", async () => {
  const ada = await person();
  const absent = { params: { memory_id: "1" }, headers };
  expect((await ada.call(memories.reopenMemoryRoute, absent)).status).toBe(404);
  await make(ada);
  expect((await ada.call(memories.reopenMemoryRoute, absent)).status).toBe(200);
  const json = { operations: [{ operation: "create", ...PROMISE }] };
  const create = () => ada.call(memories.changeMemoriesRoute, { json, headers });
  await create();
  for (const [seconds, status] of [
    [5, 409],
    [90, 200],
  ] as const) {
    const began = new Date(Date.now() - seconds * 1000).toISOString();
    const died = "UPDATE idempotency_keys SET answer = 'running:x', created_at = ?";
    await env.DB.prepare(died).bind(began).run();
    expect((await create()).status).toBe(status);
  }
});
