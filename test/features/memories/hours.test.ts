import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Client, signIn } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";
import { at, make, PROMISE } from "../../kit/records.ts";

// At its hour: due times, and when somebody is reminded.

afterEach(() => {
  vi.useRealTimers();
});

async function goTo(client: Client, email: string, time: string) {
  vi.setSystemTime(new Date(time));
  client.tokens = (await signIn(email)).tokens;
}

const change = (client: Client, record: { id: number }, json: object) =>
  client.call(memories.updateMemoryRoute, { params: at(record), json });

const changed = async (client: Client, record: { id: number }, json: object) =>
  client.ok(memories.updateMemoryRoute, { params: at(record), json });

test("a record with an hour is overdue from that minute on, in its owner's zone", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const at15 = await make(client, { topic: "at 15:30", due_date: "2026-11-20", due_time: "15:30" });
  await make(client, { topic: "at 9", due_date: "2026-11-20", due_time: "09:00" });
  await make(client, { topic: "today", due_date: "2026-11-20" });
  await make(client, { topic: "yesterday", due_date: "2026-11-19", due_time: "23:00" });
  await make(client, { topic: "tomorrow", due_date: "2026-11-21", due_time: "08:00" });
  await make(client, { topic: "in a week", due_date: "2026-11-27", due_time: "08:00" });
  const topics = async () =>
    (await client.ok(dashboard.listAlertsRoute)).items.map(({ topic, due_time }) => [topic, due_time]);
  const counts = async () => {
    const { overdue, due_today, due_in_7_days } = await client.ok(dashboard.getSummaryRoute);
    return { overdue, due_today, due_in_7_days };
  };
  const before = [
    ["yesterday", "23:00"],
    ["at 9", "09:00"],
  ];
  await goTo(client, email, "2026-11-20T14:29:59Z");
  expect(await topics()).toEqual(before);
  expect(await counts()).toEqual({ overdue: 2, due_today: 2, due_in_7_days: 2 });
  await goTo(client, email, "2026-11-20T14:30:00Z");
  expect(await topics()).toEqual([...before, ["at 15:30", "15:30"]]);
  expect(await counts()).toEqual({ overdue: 3, due_today: 1, due_in_7_days: 2 });
  const { items } = await client.ok(dashboard.listCommitmentsRoute);
  expect(items.map(({ topic }) => topic)).toEqual([
    ...["yesterday", "today", "at 9", "at 15:30", "tomorrow", "in a week"],
  ]);
  expect(Object.keys(items[1] ?? {})).not.toContain("due_time");
  const listed = await client.ok(memories.listMemoriesRoute, { query: { sort: "due_date", limit: 2 } });
  const cursor = String(listed.next_cursor);
  const rest = await client.ok(memories.listMemoriesRoute, { query: { sort: "due_date", limit: 2, cursor } });
  expect([...listed.items, ...rest.items].map(({ topic }) => topic)).toEqual([
    ...["yesterday", "today", "at 9", "at 15:30"],
  ]);
  await goTo(client, email, "2026-11-21T00:00:00+01:00");
  expect(await counts()).toEqual({ overdue: 4, due_today: 1, due_in_7_days: 1 });
  await changed(client, at15, { due_time: null });
  expect(at15.days_to_resolve).toBeNull();
});

test("what does not fit together is refused with what to write instead", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const refusal = async (json: object) => {
    const answer = await client.call(memories.createMemoryRoute, { json: { ...PROMISE, ...json } });
    return [answer.status, JSON.parse(answer.text).detail];
  };
  const day = { due_date: "2026-11-20" };
  const rows: [object, RegExp][] = [
    [{ due_time: "17:00" }, /^due_time: needs a due_date: give both/],
    [{ ...day, due_time: "24:00" }, /^due_time: must be a time of day such as 17:00/],
    [{ remind: [{ before: "PT1H" }] }, /^remind: `before` needs a due_date/],
    [
      { ...day, remind: Array.from({ length: 6 }, (_, n) => ({ before: `PT${n}H` })) },
      /^remind: must have at most 5/,
    ],
    [{ ...day, remind: [{ at: "2026-02-30T09:00" }] }, /^remind/],
    [{ ...day, repeat_from: "done" }, /^repeat_from: needs repeat/],
    [{ ...day, repeat: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }, /^repeat: No day fits this rule/],
    [{ ...day, repeat: "FREQ=DAILY;UNTIL=20261119" }, /^repeat: UNTIL is 2026-11-19, which has passed/],
    [{ ...day, repeat: "FREQ=DAILY;COUNT=1000000000" }, /^repeat: COUNT must be/],
    [{ ...day, repeat: "FREQ=DAILY;INTERVAL=7;BYDAY=MO" }, /^repeat: the rule has no day on or after/],
    [{ due_date: "2026-12-24", repeat: "FREQ=DAILY;UNTIL=20261201" }, /^repeat: the rule has no day/],
    [{ ...day, repeat: "every Monday" }, /^repeat: Write “every Monday” as NAME=VALUE|^repeat: /i],
  ];
  for (const [json, detail] of rows)
    expect(await refusal(json)).toEqual([422, expect.stringMatching(detail)]);
  const leap = await make(client, { repeat: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29" });
  expect(leap).toMatchObject({
    due_date: "2028-02-29",
    next_due: ["2032-02-29", "2036-02-29", "2040-02-29"],
    repeat_text: "every year on 29 February (every fourth year)",
  });
  const plain = await make(client, {});
  expect(await change(client, plain, { due_time: "17:00" })).toMatchObject({ status: 422 });
  expect(await change(client, plain, { apply_to: "this", topic: "x" })).toMatchObject({ status: 400 });
  expect(await change(client, leap, { due_date: null })).toMatchObject({ status: 422 });
});

test("an hour reminds at that time unless it is said otherwise, and follows the record's life", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const record = await make(client, { due_date: "2026-11-23", due_time: "17:00" });
  expect(record).toMatchObject({ remind: [{ before: "PT0S" }], remind_at: "2026-11-23T16:00:00.000Z" });
  expect(await make(client, { due_date: "2026-11-23", due_time: "17:00", remind: [] })).toMatchObject({
    ...{ remind: [], remind_at: null },
  });
  const morning = await make(client, {
    due_date: "2026-11-23",
    remind: [{ before: "P1D" }, { before: "PT30M" }],
  });
  expect(morning.remind_at).toBe("2026-11-22T08:00:00.000Z");
  const step = (route: typeof memories.resolveMemoryRoute, json?: object) =>
    client.ok(route, { params: at(record), ...(json && { json }) });
  const deferRoute = memories.deferMemoryRoute as unknown as typeof memories.resolveMemoryRoute;
  expect(await step(deferRoute, { deferred_until: "2026-11-24" })).toMatchObject({ remind_at: null });
  expect(await step(deferRoute, { deferred_until: "2026-11-23" })).toMatchObject({
    remind_at: "2026-11-23T16:00:00.000Z",
  });
  expect(await step(deferRoute, { deferred_until: null })).toMatchObject({ remind_at: null });
  const reopenRoute = memories.reopenMemoryRoute as unknown as typeof memories.resolveMemoryRoute;
  expect(await step(reopenRoute)).toMatchObject({ remind_at: "2026-11-23T16:00:00.000Z" });
  expect(await changed(client, record, { due_date: "2026-11-24" })).toMatchObject({
    remind_at: "2026-11-24T16:00:00.000Z",
  });
  await goTo(client, email, "2026-11-24T16:00:01Z");
  expect(await changed(client, record, { topic: "Another topic" })).toMatchObject({
    remind_at: "2026-11-24T16:00:00.000Z",
  });
  expect(await changed(client, record, { remind_until_done: true })).toMatchObject({
    remind_at: "2026-11-24T17:00:00.000Z",
  });
  await goTo(client, email, "2026-11-24T21:00:00Z");
  expect(await changed(client, record, { due_time: "16:30" })).toMatchObject({
    remind_at: "2026-11-25T07:30:00.000Z",
  });
  expect(await step(memories.resolveMemoryRoute, {})).toMatchObject({ remind_at: null });
  const cleared = await changed(client, morning, { due_date: null });
  expect(cleared).toMatchObject({ remind: null, remind_at: null });
});

/** As many as an account can have; their numbers and times do not fit into one parameter of a statement (2 MB). */
const MANY = env.NIGHTLY ? 60_000 : 1_200;

test("however many reminders somebody has, all of them move to another time zone", async () => {
  const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO memories (owner, id, memory_type, topic, content, status, tags, source_type, version, created_at, updated_at,
       touched_at, due_date, due_time, remind, remind_at)
     SELECT ?1, i, 'commitment', 'Call', 'Ada', 'active', '[]', 'api', 1, '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z',
       '2026-11-20T12:00:00.000Z', '2027-01-10', '17:00', '[{"before":"PT0S"}]', '2027-01-10T16:00:00.000Z' FROM n`,
  )
    .bind(owner, MANY)
    .run();
  await client.ok(updateMeRoute, { json: { timezone: "Asia/Tokyo" } });
  const { results } = await env.DB.prepare(
    "SELECT remind_at, count(*) AS count FROM memories WHERE owner = ? GROUP BY remind_at",
  )
    .bind(owner)
    .all();
  expect(results).toEqual([{ remind_at: "2027-01-10T08:00:00.000Z", count: MANY }]);
});

test("every other week begins in the week to come, however late in its week somebody says so", async () => {
  // A Saturday.
  const { client } = await personAt("2026-11-21T12:00:00Z");
  const json = {
    memory_type: "commitment",
    topic: "Bins",
    content: "Out",
    repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
  };
  const { due_date, next_due } = await client.ok(memories.createMemoryRoute, { json });
  expect([due_date, next_due?.[0]]).toEqual(["2026-11-27", "2026-12-11"]);
});
