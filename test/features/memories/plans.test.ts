import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { nextRemindAt } from "../../../src/features/memories/remind-at.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { emptyTrashRoute } from "../../../src/features/trash/routes.ts";
import type { Client } from "../../kit/client.ts";
import { killedAt } from "../../kit/d1-faults.ts";
import { goTo, personAt } from "../../kit/dashboard.ts";
import { withLimits } from "../../kit/database.ts";
import { at, change, eventsOf, make, PROMISE, read, step } from "../../kit/records.ts";
import { rightAfter } from "../../kit/right-after.ts";

// Records that repeat, and records with an hour.

const RENT = { ...PROMISE, topic: "Pay the rent", repeat: "FREQ=MONTHLY;BYMONTHDAY=1" };

type Closing = typeof memories.resolveMemoryRoute | typeof memories.skipMemoryRoute;

async function close(
  client: Client,
  record: { id: number },
  json: object = {},
  route: Closing = memories.resolveMemoryRoute,
) {
  const asked = { params: at(record), json };
  const { body, headers, status } = await client.call(route as typeof memories.resolveMemoryRoute, asked);
  expect(status).toBe(200);
  const id = Number(headers.get("Location")?.split("/").at(-1));
  const next = id ? await read(client, id) : undefined;
  return { closed: body, next, changeId: headers.get("Change-Id") };
}

/** The numbers at the ends of the ranges of a change id. */
const numbersOf = (changeId: string | null) => (changeId?.match(/\d+/g) ?? []).map(Number);

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
  const done = { status: "resolved", days_to_resolve: 11, superseded_by_id: null, next_due: null };
  expect(closed).toMatchObject(done);
  expect(next).toMatchObject({
    ...{ topic: "Pay the rent", tags: ["home"], project: "Flat", due_date: "2027-01-01", due_time: "10:00" },
    ...{ series_id: first.id, remind_at: "2027-01-01T09:00:00.000Z", status: "active", supersedes_id: null },
  });
  expect((await close(client, first)).next).toBeUndefined();
  expect(await openOf(client)).toEqual([next?.id]);
  await goTo(client, email, "2027-03-05T08:00:00Z");
  const next_due = ["2027-04-01", "2027-05-01", "2027-06-01"];
  expect(await read(client, next?.id ?? 0)).toMatchObject({ missed: 2, next_due });
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
  const repeat = "FREQ=DAILY;INTERVAL=3;COUNT=2";
  const plants = await make(client, { repeat, repeat_from: "done", due_date: "2026-11-10" });
  expect(plants).toMatchObject({ missed: 0, next_due: ["2026-11-23"] });
  const { next } = await close(client, plants, {});
  const last = { due_date: "2026-11-23", repeat: "FREQ=DAILY;INTERVAL=3;COUNT=1", next_due: [] };
  expect(next).toMatchObject(last);
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
  await change(client, first, { apply_to: "this", topic: "Pay the rent and half of it", tags: ["money"] });
  const content = "The amount is in the lease";
  expect(await change(client, first, { content })).toMatchObject({
    ...{ due_date: "2026-12-03", content },
    next_values: { topic: "Pay the rent", due_time: null, tags: [] },
  });
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
  const titled = (title: string) =>
    client.ok(documents.createDocumentRoute, { json: { title, content: {} } });
  const made = await Promise.all(["Lease", "Receipt", "Other"].map(titled));
  const [lease = "", receipt, other] = made.map(({ id }) => id);
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
  const json = { repeat: "FREQ=DAILY", due_date: "2026-12-01" };
  expect(await client.refusal(memories.updateMemoryRoute, { params, json })).toEqual({
    ...{ status: 400, detail: expect.stringContaining("another record of this series is open") },
  });
  await client.ok(memories.deleteMemoryRoute, { params: at(second) });
  const inSeries = { repeat: RENT.repeat, series_id: first.id };
  const version = { params: { ...params, version: "1" } };
  expect(await client.ok(memories.restoreMemoryVersionRoute, version)).toMatchObject(inSeries);
  const restored = await client.ok(memories.restoreMemoryRoute, { params: at(second) });
  expect(restored).toMatchObject({ status: "active", repeat: null, series_id: null, version: 2 });
  expect(await read(client, second.id)).toEqual(restored);
  await client.ok(memories.archiveMemoryRoute, { params, json: {} });
  expect(await client.ok(memories.reopenMemoryRoute, { params })).toMatchObject(inSeries);
  const supersede = await client.call(memories.supersedeMemoryRoute, { params, json: { content: "Newer" } });
  const successor = await read(client, Number(supersede.headers.get("Location")?.split("/").at(-1)));
  expect(successor).toMatchObject({ ...inSeries, due_date: "2026-12-01" });
});

test("an undo takes the closing and the next record back together, and can be undone", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const undo = (json: object) => client.call(undoActivityRoute, { json });
  const statusOf = async (id = 0) =>
    (await client.call(memories.getMemoryRoute, { params: at({ id }) })).status;
  for (const route of [memories.resolveMemoryRoute, memories.skipMemoryRoute]) {
    const first = await make(client, { ...RENT, due_time: "09:00" });
    const { next, changeId } = await close(client, first, {}, route);
    const undone = await undo({ change_id: changeId });
    expect(undone.body).toMatchObject({ not_undone: 0 });
    const open = { status: "active", repeat: RENT.repeat, series_id: first.id };
    expect(await read(client, first.id)).toMatchObject({ ...open, remind_at: first.remind_at });
    expect(await statusOf(next?.id)).toBe(404);
    const redone = await undo({ change_id: undone.headers.get("Change-Id") });
    expect(redone.body).toMatchObject({ not_undone: 0 });
    expect(await read(client, first.id)).toMatchObject({ series_id: first.id, remind_at: null });
    expect(await read(client, next?.id ?? 0)).toMatchObject({ status: "active", repeat: RENT.repeat });
    await close(client, next ?? first, {}, memories.skipMemoryRoute);
  }
  const first = await make(client, RENT);
  const { next, changeId } = await close(client, first);
  expect((await undo({ ids: [Number.parseInt(changeId ?? "", 10)] })).body).toMatchObject({ undone: 2 });
  expect(await read(client, first.id)).toMatchObject({ status: "active", repeat: RENT.repeat });
  expect(await statusOf(next?.id)).toBe(404);
  await close(client, first);
  expect(await eventsOf(client, first)).toHaveLength(4);
});

test("a closing and the next record are undone together or not at all, in whichever order it is tried", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const undo = async (json: object) => {
    const { body, headers } = await client.call(undoActivityRoute, { json });
    return { counts: [body.undone, body.not_undone], body, changeId: headers.get("Change-Id") ?? "" };
  };
  const first = await make(client, RENT);
  const { next, changeId: firstClosing } = await close(client, first);
  const second = next ?? first;
  const { next: third, changeId: secondClosing } = await close(client, second);
  const refused = await undo({ change_id: firstClosing });
  expect(refused.counts).toEqual([0, 2]);
  expect(refused.body.results.map(({ outcome }) => outcome)).toEqual(["changed_since", "not_possible"]);
  expect(await openOf(client)).toEqual([third?.id]);
  expect((await undo({ change_id: secondClosing })).counts).toEqual([2, 0]);
  expect(await openOf(client)).toEqual([second.id]);
  const undone = await undo({ change_id: firstClosing });
  expect(undone.counts).toEqual([2, 0]);
  expect(await read(client, first.id)).toMatchObject({ status: "active", repeat: RENT.repeat });
  expect(await openOf(client)).toEqual([first.id]);
  // Each half of a closing, of its undo, and of what undoes that, takes the other with it.
  let halves = undone.changeId;
  for (const open of [second, first, second, first]) {
    const [one = 0, other = 0] = numbersOf(halves);
    const half = await undo({ ids: [open === second ? one : other] });
    expect(half.counts).toEqual([2, 0]);
    expect(await openOf(client)).toEqual([open.id]);
    expect(await read(client, open.id)).toMatchObject({ repeat: RENT.repeat, series_id: first.id });
    halves = half.changeId;
  }
  const { next: after, changeId } = await close(client, first);
  await client.ok(memories.reopenMemoryRoute, { params: at(first) });
  expect((await undo({ change_id: changeId })).counts).toEqual([0, 2]);
  expect(await read(client, after?.id ?? 0)).toMatchObject({ status: "active", repeat: RENT.repeat });
});

test("a process that is killed while a closing is undone or done again leaves one record of the series open", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const closing = await close(client, first);
  let change_id = closing.changeId ?? "";
  const undo = () => client.call(undoActivityRoute, { json: { change_id } });
  let call = 0;
  for (let killed = 2; killed > 0; ) {
    call += 1;
    killed = 0;
    for (const open of [first.id, closing.next?.id]) {
      if (await killedAt(call, undo)) killed += 1;
      expect(await openOf(client)).toHaveLength(1);
      const { results } = (await undo()).body;
      expect(await openOf(client)).toEqual([open]);
      change_id = results.map(({ undone_by }) => undone_by).join(",");
    }
  }
  expect(call).toBeGreaterThan(5);
});

test.each([
  ["moved to the trash before the second look", {}, "AS overtaken"],
  ["erased before the second look", { permanent: "true" }, "AS overtaken"],
  ["erased before the transaction", { permanent: "true" }, "json_remove"],
])("a closing is undone alone if the next record is %s", async (_, query, asked) => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const { next, changeId } = await close(client, first);
  const drop = () => client.call(memories.deleteMemoryRoute, { params: at(next ?? first), query });
  const undo = () => client.ok(undoActivityRoute, { json: { change_id: changeId } });
  const { results } = await rightAfter(asked, drop, undo);
  expect(results.map(({ outcome }) => outcome)).toEqual(["changed_since", "undone"]);
  expect(await openOf(client)).toEqual([first.id]);
  expect(await read(client, first.id)).toMatchObject({ status: "active", repeat: RENT.repeat });
});

test.each(["AS overtaken", "json_remove"])(
  "one half of a closing is undone alone if the record of the other is erased right after %s",
  async (asked) => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const first = await make(client, RENT);
    const { next, changeId } = await close(client, first);
    const undo = (change_id: string | null) => () => client.call(undoActivityRoute, { json: { change_id } });
    const erase = (id = 0) => {
      return () =>
        client.call(memories.deleteMemoryRoute, { params: at({ id }), query: { permanent: "true" } });
    };
    const outcomesOf = ({ body }: Awaited<ReturnType<ReturnType<typeof undo>>>) =>
      body.results.map(({ outcome }) => outcome);
    const undone = await undo(changeId)();
    const redone = await rightAfter(asked, erase(next?.id), undo(undone.headers.get("Change-Id")));
    expect(outcomesOf(redone)).toEqual(["undone", "not_possible"]);
    expect((await read(client, first.id)).status).toBe("resolved");
    await client.ok(memories.reopenMemoryRoute, { params: at(first) });
    const closing = await close(client, first);
    const last = await rightAfter(asked, erase(first.id), undo(closing.changeId));
    expect(outcomesOf(last)).toEqual(["undone", "changed_since"]);
    expect(await openOf(client)).toEqual([]);
  },
);

test("a record that a bulk request creates beside a closing is not undone with it", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const operations = [
    { operation: "archive", id: first.id },
    { operation: "create", ...PROMISE },
  ];
  const bulk = await client.call(memories.changeMemoriesRoute, { json: { operations } });
  const [closing = 0] = numbersOf(bulk.headers.get("Change-Id"));
  const undo = async (ids: number[]) => {
    const { body, headers } = await client.call(undoActivityRoute, { json: { ids } });
    return { counts: [body.undone, body.not_undone], numbers: numbersOf(headers.get("Change-Id")) };
  };
  const [second = 0] = await openOf(client);
  const params = at({ id: second });
  const edit = await client.call(memories.updateMemoryRoute, { params, json: { topic: "Other" } });
  const reopening = await undo([closing]);
  expect(reopening.counts).toEqual([1, 0]);
  expect((await undo(reopening.numbers)).counts).toEqual([1, 0]);
  expect((await undo(numbersOf(edit.headers.get("Change-Id")))).counts).toEqual([1, 0]);
  expect((await undo([closing])).counts).toEqual([1, 0]);
  expect((await openOf(client)).sort()).toEqual([first.id, second]);
});

test("without room for the next record, the one before it stays open, and both say why", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const limited = withLimits(client, { records: 2 });
  const undo = (json: object) => limited.call(undoActivityRoute, { json });
  const first = await make(client, RENT);
  const { changeId } = await close(client, first);
  const undone = await undo({ change_id: changeId });
  expect(undone.body.undone).toBe(2);
  const other = await make(client, PROMISE);
  const back = undone.headers.get("Change-Id");
  const refused = await undo({ change_id: back });
  const full = { outcome: "not_possible", detail: expect.stringContaining("2 of the 2 records") };
  expect(refused.body.results).toMatchObject([full, full]);
  expect(await read(client, first.id)).toMatchObject({ status: "active", repeat: RENT.repeat });
  await client.ok(memories.deleteMemoryRoute, { params: at(other) });
  expect((await undo({ change_id: back })).body.undone).toBe(2);
  expect(await openOf(client)).toEqual([first.id + 1]);
});

test("the pages of an undo name each closing and the next record once", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const undo = async (json: object) => (await client.call(undoActivityRoute, { json })).body;
  const first = await make(client, RENT);
  const { changeId } = await close(client, first);
  const [closing = 0, creation = 0] = numbersOf(changeId);
  const rest = Array.from({ length: 99 }, (_, n) => creation + 1 + n);
  const ids = [...rest, creation, closing, closing - 1];
  const page = await undo({ ids, dry_run: true });
  expect(page).toMatchObject({ undone: 2, next_before: closing });
  const assume_undone = [creation, closing];
  const last = await undo({ ids, dry_run: true, before: page.next_before, assume_undone });
  expect(last.results.map(({ id }) => id)).toEqual([closing - 1]);
  expect((await undo({ ids: assume_undone, dry_run: true, assume_undone })).results).toEqual([]);
});

test("a repeated resolve and many at once create one next; bulk names it", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z");
  const first = await make(client, RENT);
  const resolve = { params: at(first), json: {}, headers: { "Idempotency-Key": "k" } };
  const five = Array.from({ length: 5 }, () => client.call(memories.resolveMemoryRoute, resolve));
  const answers = await Promise.all(five);
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

// At its hour: due times, and the reminder that comes next.

test("a record with an hour is overdue from that minute on, in its owner's zone", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const at15 = await make(client, { topic: "at 15:30", due_date: "2026-11-20", due_time: "15:30" });
  await make(client, { topic: "at 9", due_date: "2026-11-20", due_time: "09:00" });
  await make(client, { topic: "today", due_date: "2026-11-20" });
  await make(client, { topic: "yesterday", due_date: "2026-11-19", due_time: "23:00" });
  await make(client, { topic: "tomorrow", due_date: "2026-11-21", due_time: "08:00" });
  await make(client, { topic: "in a week", due_date: "2026-11-27", due_time: "08:00" });
  const topics = async () =>
    (await client.ok(dashboard.listAlertsRoute)).items.map(({ topic, due_time }) => `${topic} ${due_time}`);
  const counts = async () => {
    const { overdue, due_today, due_in_7_days } = await client.ok(dashboard.getSummaryRoute);
    return { overdue, due_today, due_in_7_days };
  };
  const before = ["yesterday 23:00", "at 9 09:00"];
  await goTo(client, email, "2026-11-20T14:29:59Z");
  expect(await topics()).toEqual(before);
  expect(await counts()).toEqual({ overdue: 2, due_today: 2, due_in_7_days: 2 });
  await goTo(client, email, "2026-11-20T14:30:00Z");
  expect(await topics()).toEqual([...before, "at 15:30 15:30"]);
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
  await change(client, at15, { due_time: null });
  expect(at15.days_to_resolve).toBeNull();
});

test("a yearly day that comes every fourth year is said to; what a change leaves without a day is refused", async () => {
  const { client } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const leap = await make(client, { repeat: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29" });
  expect(leap).toMatchObject({
    due_date: "2028-02-29",
    next_due: ["2032-02-29", "2036-02-29", "2040-02-29"],
    repeat_text: "every year on 29 February (every fourth year)",
  });
  const plain = await make(client);
  for (const [record, json, status] of [
    [plain, { due_time: "17:00" }, 422],
    [plain, { apply_to: "this", topic: "x" }, 400],
    [leap, { due_date: null }, 422],
  ] as const) {
    const refused = await client.refusal(memories.updateMemoryRoute, { params: at(record), json });
    expect(refused).toMatchObject({ status });
  }
});

test("an hour reminds at that time unless it is said otherwise, and follows the record's life", async () => {
  const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  const record = await make(client, { due_date: "2026-11-23", due_time: "17:00" });
  expect(record).toMatchObject({ remind: [{ before: "PT0S" }], remind_at: "2026-11-23T16:00:00.000Z" });
  const none = await make(client, { due_date: "2026-11-23", due_time: "17:00", remind: [] });
  expect(none).toMatchObject({ remind: [], remind_at: null });
  const remind = [{ before: "P1D" }, { before: "PT30M" }];
  const morning = await make(client, { due_date: "2026-11-23", remind });
  expect(morning.remind_at).toBe("2026-11-22T08:00:00.000Z");
  const after = async (action: "defer" | "reopen" | "resolve", json?: object) =>
    (await step(client, record, action, json)).body.remind_at;
  expect(await after("defer", { deferred_until: "2026-11-24" })).toBeNull();
  expect(await after("defer", { deferred_until: "2026-11-23" })).toBe("2026-11-23T16:00:00.000Z");
  expect(await after("defer", { deferred_until: null })).toBeNull();
  expect(await after("reopen")).toBe("2026-11-23T16:00:00.000Z");
  const changed = async (json: object) => (await change(client, record, json)).remind_at;
  expect(await changed({ due_date: "2026-11-24" })).toBe("2026-11-24T16:00:00.000Z");
  await goTo(client, email, "2026-11-24T16:00:01Z");
  expect(await changed({ remind_until_done: true })).toBe("2026-11-24T17:00:00.000Z");
  await goTo(client, email, "2026-11-24T21:00:00Z");
  expect(await changed({ due_time: "16:30" })).toBe("2026-11-25T07:30:00.000Z");
  expect(await after("resolve")).toBeNull();
  expect(await change(client, morning, { due_date: null })).toMatchObject({ remind: null, remind_at: null });
});

test("a reminder that is due stays until it is sent, unless something that it depends on changes", () => {
  const before = {
    ...{ status: "active" as const, deferred_until: null, trashed_at: null, remind_until_done: false },
    ...{ due_date: "2026-11-24", due_time: "17:00", remind: [{ before: "PT0S" }] },
    remind_at: "2026-11-24T16:00:00.000Z",
  };
  const clock = { now: new Date("2026-11-24T16:00:01Z"), timezone: "Europe/Berlin" };
  expect(nextRemindAt({ ...before }, clock, before)).toBe(before.remind_at);
  expect(nextRemindAt({ ...before, due_time: "17:30" }, clock, before)).toBe("2026-11-24T16:30:00.000Z");
  expect(nextRemindAt({ ...before, status: "resolved" }, clock, before)).toBeNull();
});

/** As many as an account can have; their numbers and times do not fit into one parameter of a statement (2 MB). */
const MANY = env.NIGHTLY ? 60_000 : 1_200;

test("however many reminders an account has, all of them move to another time zone", async () => {
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

test("every other week begins in the week to come, however late in its week it is said", async () => {
  // A Saturday.
  const { client } = await personAt("2026-11-21T12:00:00Z");
  const { due_date, next_due } = await make(client, { repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR" });
  expect([due_date, next_due?.[0]]).toEqual(["2026-11-27", "2026-12-11"]);
});
