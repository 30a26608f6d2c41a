import { afterEach, expect, test, vi } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { emptyTrashRoute } from "../../../src/features/trash/routes.ts";
import { type Client, signIn } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";
import { at, eventsOf, make, PROMISE } from "../../kit/records.ts";

// And again: the records of a series.

afterEach(() => {
  vi.useRealTimers();
});

async function goTo(client: Client, email: string, time: string) {
  vi.setSystemTime(new Date(time));
  client.tokens = (await signIn(email)).tokens;
}

const RENT = { ...PROMISE, topic: "Pay the rent", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" };

const get = (client: Client, id: number) => client.ok(memories.getMemoryRoute, { params: at({ id }) });

const change = (client: Client, record: { id: number }, json: object) =>
  client.ok(memories.updateMemoryRoute, { params: at(record), json });

type Closing = typeof memories.resolveMemoryRoute | typeof memories.skipMemoryRoute;

async function close(
  client: Client,
  record: { id: number },
  json: object = {},
  route: Closing = memories.resolveMemoryRoute,
) {
  const { body, headers, status } = await client.call(route as typeof memories.resolveMemoryRoute, {
    params: at(record),
    json,
  });
  expect(status).toBe(200);
  const next = Number(headers.get("Location")?.split("/").at(-1));
  return {
    closed: body,
    next: next ? await get(client, next) : undefined,
    changeId: headers.get("Change-Id"),
  };
}

const openOf = async (client: Client) =>
  (await client.ok(memories.listMemoriesRoute, { query: { status: "active" } })).items.map(({ id }) => id);

test("what repeats is created again when it is resolved or skipped, once", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const first = await make(client, { ...RENT, due_time: "10:00", tags: ["home"], project: "Flat" });
  expect(first).toMatchObject({
    ...{ due_date: "2026-12-01", series_id: first.id, repeat_text: "every month on the 1st", missed: 0 },
    ...{ next_due: ["2027-01-01", "2027-02-01", "2027-03-01"], remind_at: "2026-12-01T09:00:00.000Z" },
  });
  await goTo(client, email, "2026-12-01T08:00:00Z");
  const { closed, next } = await close(client, first);
  expect(closed).toMatchObject({
    status: "resolved",
    days_to_resolve: 11,
    superseded_by_id: null,
    next_due: null,
  });
  expect(next).toMatchObject({
    ...{ topic: "Pay the rent", tags: ["home"], project: "Flat", due_date: "2027-01-01", due_time: "10:00" },
    ...{ series_id: first.id, remind_at: "2027-01-01T09:00:00.000Z", status: "active", supersedes_id: null },
  });
  expect((await close(client, first)).next).toBeUndefined();
  expect(await openOf(client)).toEqual([next?.id]);
  await goTo(client, email, "2027-03-05T08:00:00Z");
  expect(await get(client, next?.id ?? 0)).toMatchObject({
    missed: 2,
    next_due: ["2027-04-01", "2027-05-01", "2027-06-01"],
  });
  const skipped = await close(client, next ?? first, { note: "Paid by Ada" }, memories.skipMemoryRoute);
  expect(skipped.closed).toMatchObject({ status: "archived", note: "Paid by Ada" });
  expect(skipped.next).toMatchObject({ due_date: "2027-04-01", missed: 0 });
  expect((await close(client, next ?? first, {}, memories.skipMemoryRoute)).next).toBeUndefined();
  const once = await make(client, PROMISE);
  expect(await client.call(memories.skipMemoryRoute, { params: at(once), json: {} })).toMatchObject({
    status: 400,
    text: expect.stringContaining("archive this one, or resolve it"),
  });
});

test("it counts from the day on which it was done, and ends with its rule", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z");
  const plants = await make(client, {
    repeat: "FREQ=DAILY;INTERVAL=3;COUNT=2",
    repeat_from: "done",
    due_date: "2026-11-10",
  });
  expect(plants).toMatchObject({ missed: 0, next_due: ["2026-11-23"] });
  const { next } = await close(client, plants, {});
  expect(next).toMatchObject({
    due_date: "2026-11-23",
    repeat: "FREQ=DAILY;INTERVAL=3;COUNT=1",
    next_due: [],
  });
  expect((await close(client, next ?? plants)).next).toBeUndefined();
  const twice = await make(client, { repeat: "FREQ=WEEKLY;COUNT=2", due_date: "2026-11-20" });
  const second = (await close(client, twice)).next;
  expect(second).toMatchObject({ due_date: "2026-11-27", next_due: [] });
  await goTo(client, email, "2026-11-27T12:00:00Z");
  expect((await close(client, second ?? twice)).next).toBeUndefined();
});

test("a change is for this one or for all that follow", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, { ...RENT, remind: [{ at: "2026-11-30T18:00" }] });
  await change(client, first, { due_date: "2026-12-03" });
  await change(client, first, { apply_to: "this", topic: "Pay the rent and the deposit", due_time: "12:00" });
  await change(client, first, {
    apply_to: "this",
    topic: "Pay the rent and half of the deposit",
    tags: ["money"],
  });
  const content = "The amount is in the lease";
  expect(await change(client, first, { content })).toMatchObject({ due_date: "2026-12-03", content });
  await goTo(client, email, "2026-12-03T12:30:00Z");
  const { next } = await close(client, first);
  expect(next).toMatchObject({
    ...{ topic: "Pay the rent", due_time: null, due_date: "2027-01-01", content, tags: [] },
    remind: [{ at: "2026-12-29T18:00" }],
  });
  const json = { apply_to: "following", due_date: "2027-01-05" };
  expect(await client.call(memories.updateMemoryRoute, { params: at(next ?? first), json })).toMatchObject({
    ...{ status: 422, text: expect.stringContaining("is not a day of the rule") },
  });
  await change(client, next ?? first, { ...json, repeat: "FREQ=MONTHLY" });
  expect((await close(client, next ?? first)).next).toMatchObject({ due_date: "2027-02-05" });
  const [open = 0] = await openOf(client);
  const ended = await change(client, { id: open }, { repeat: null });
  expect(ended).toMatchObject({ repeat: null, repeat_text: null, series_id: first.id });
  expect((await close(client, { id: open })).next).toBeUndefined();
});

test("a document for this one alone leaves the next its own, unless that is gone", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const document = async (title: string) =>
    (await client.ok(documents.createDocumentRoute, { json: { title, content: {} } })).id;
  const [lease, receipt, other] = [
    await document("Lease"),
    await document("Receipt"),
    await document("Other"),
  ];
  const first = await make(client, { ...RENT, document_id: lease });
  await change(client, first, { apply_to: "this", document_id: receipt });
  const second = (await close(client, first)).next ?? first;
  expect(second.document_id).toBe(lease);
  await change(client, second, { apply_to: "this", document_id: receipt });
  await client.ok(documents.deleteDocumentRoute, { params: { document_id: lease } });
  const third = (await close(client, second)).next ?? first;
  expect(third.document_id).toBe(lease);
  await change(client, third, { apply_to: "this", document_id: receipt });
  await client.ok(emptyTrashRoute);
  const fourth = (await close(client, third)).next ?? first;
  expect(fourth.document_id).toBeNull();
  await change(client, fourth, { apply_to: "this", document_id: receipt });
  await change(client, fourth, { document_id: other });
  expect((await close(client, fourth)).next?.document_id).toBe(other);
});

test("of a series one record is open: what comes back comes without its repetition", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const { next } = await close(client, first);
  const second = next ?? first;
  const reopened = await client.ok(memories.reopenMemoryRoute, { params: at(first) });
  expect(reopened).toMatchObject({ status: "active", repeat: null, series_id: null });
  const params = at(first);
  const json = { repeat: "FREQ=DAILY" };
  expect(
    await client.call(memories.updateMemoryRoute, { params, json: { ...json, due_date: "2026-12-01" } }),
  ).toMatchObject({
    ...{ status: 400, text: expect.stringContaining("another record of this series is open") },
  });
  await client.ok(memories.deleteMemoryRoute, { params: at(second) });
  const version = await client.ok(memories.restoreMemoryVersionRoute, {
    params: { ...params, version: "1" },
  });
  expect(version).toMatchObject({ repeat: "FREQ=MONTHLY;BYMONTHDAY=1", series_id: first.id });
  const restored = await client.ok(memories.restoreMemoryRoute, { params: at(second) });
  expect(restored).toMatchObject({ status: "active", repeat: null, series_id: null, version: 2 });
  expect(await get(client, second.id)).toEqual(restored);
  await client.ok(memories.archiveMemoryRoute, { params, json: {} });
  const again = await client.ok(memories.reopenMemoryRoute, { params });
  expect(again).toMatchObject({ repeat: "FREQ=MONTHLY;BYMONTHDAY=1", series_id: first.id });
  const supersede = await client.call(memories.supersedeMemoryRoute, { params, json: { content: "Newer" } });
  const successor = await get(client, Number(supersede.headers.get("Location")?.split("/").at(-1)));
  expect(successor).toMatchObject({
    repeat: "FREQ=MONTHLY;BYMONTHDAY=1",
    series_id: first.id,
    due_date: "2026-12-01",
  });
});

test("an undo takes the closing and the next record back together, and can be undone", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  for (const route of [memories.resolveMemoryRoute, memories.skipMemoryRoute]) {
    const first = await make(client, { ...RENT, due_time: "09:00" });
    const { next, changeId } = await close(client, first, {}, route);
    const undo = async (json: object) => client.call(undoActivityRoute, { json });
    const undone = await undo({ change_id: changeId });
    expect(undone.body).toMatchObject({ not_undone: 0 });
    expect(await get(client, first.id)).toMatchObject({
      status: "active",
      repeat: RENT.repeat,
      series_id: first.id,
      remind_at: first.remind_at,
    });
    expect(await client.call(memories.getMemoryRoute, { params: at(next ?? first) })).toMatchObject({
      status: 404,
    });
    const redone = await undo({ change_id: undone.headers.get("Change-Id") });
    expect(redone.body).toMatchObject({ not_undone: 0 });
    expect(await get(client, first.id)).toMatchObject({ series_id: first.id, remind_at: null });
    expect(await get(client, next?.id ?? 0)).toMatchObject({ status: "active", repeat: RENT.repeat });
    await close(client, next ?? first, {}, memories.skipMemoryRoute);
  }
  const first = await make(client, RENT);
  const { next, changeId } = await close(client, first);
  const [closing] = (changeId ?? "")
    .split(/[^0-9]+/)
    .filter(Boolean)
    .map(Number);
  const one = await client.ok(undoActivityRoute, { json: { ids: [closing ?? 0] } });
  expect(one).toMatchObject({ undone: 1 });
  expect(await get(client, first.id)).toMatchObject({ status: "active", repeat: RENT.repeat });
  expect(await client.call(memories.getMemoryRoute, { params: at(next ?? first) })).toMatchObject({
    status: 404,
  });
  const second = (await close(client, first)).next;
  await change(client, second ?? first, { topic: "Pay more rent" });
  expect(await eventsOf(client, first)).toHaveLength(4);
});

test("a repeated resolve and many at once create one next; bulk names it", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const headers = { "Idempotency-Key": "k" };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      client.call(memories.resolveMemoryRoute, { params: at(first), json: {}, headers }),
    ),
  );
  const next = new Set(answers.map((answer) => answer.headers.get("Location")));
  expect([next.size, new Set(answers.map(({ text }) => text)).size]).toEqual([1, 1]);
  expect(await openOf(client)).toHaveLength(1);
  const [open = 0] = await openOf(client);
  const operations = [
    { operation: "skip", id: open },
    { operation: "resolve", id: open },
  ];
  const bulk = await client.ok(memories.changeMemoriesRoute, { json: { operations } });
  expect(bulk.results).toMatchObject([{ ok: true, id: open, next_id: open + 1 }, { ok: false }]);
});
