import { env } from "cloudflare:workers";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { addDays } from "../../../src/contract/days.ts";
import type { ReadMemory } from "../../../src/contract/memory.ts";
import { deleteAccount, setClosed } from "../../../src/features/admin/store.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { visitor } from "../../kit/client.ts";
import { LONG_AGO, personAt, prepareCalendar } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";
import { at, change, make, read, step } from "../../kit/records.ts";
import { isThorough } from "../../kit/time-limits.ts";

async function subscribed(timezone = "UTC", time = "2026-11-20T12:00:00Z") {
  const { client, owner, email } = await personAt(time, timezone);
  const { url } = await client.ok(dashboard.createCalendarTokenRoute);
  return { client, owner, email, url, events: () => eventsOf(url) };
}

describe("the calendar feed", () => {
  const feed = (url: string) => visitor().fetch(url);

  test("shows the due dates of active records to anyone who has its address", async () => {
    const { owner, url } = await subscribed();
    await prepareCalendar(owner);
    const topic = "Ship; it, \\ now\nplease";
    await prepare(owner, [{ topic, due_date: "2028-02-29", created_at: LONG_AGO }]);
    const answer = await feed(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("text/calendar; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:/);
    const days = [...text.matchAll(/^DTSTART;VALUE=DATE:(.*)\r$/gm)].map(([, day]) => day);
    expect(days).toEqual([
      ...["20261030", "20261118", "20261119", "20261120", "20261121", "20271121", "20280229"],
    ]);
    expect(text).toContain("SUMMARY:due_today\r\n");
    expect(text).toContain("SUMMARY:Ship\\; it\\, \\\\ now\\nplease\r\n");
    expect(text).toContain("TRANSP:TRANSPARENT");
    expect(text).not.toContain("asleep");
    expect(text.split("\r\n").every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true);
    expect(await (await feed(url)).text()).toBe(text);
  });

  test("keeps its address when the request is repeated, and the address is stored nowhere in plain text", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const headers = { "Idempotency-Key": "feed" };
    const first = await client.ok(dashboard.createCalendarTokenRoute, { headers });
    const second = await client.ok(dashboard.createCalendarTokenRoute, { headers });
    expect(second).toEqual(first);
    expect((await feed(first.url)).status).toBe(200);
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(first.token);
  });

  test("ends with a new address or when it is revoked, and is closed to everybody else", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const first = await client.ok(dashboard.createCalendarTokenRoute);
    const second = await client.ok(dashboard.createCalendarTokenRoute);
    expect((await feed(first.url)).status).toBe(404);
    expect((await feed(second.url)).status).toBe(200);
    const { results } = await env.DB.prepare("SELECT * FROM calendar_tokens").all();
    expect(JSON.stringify(results)).not.toContain(second.token);
    await client.ok(dashboard.revokeCalendarTokenRoute);
    await client.ok(dashboard.revokeCalendarTokenRoute);
    const closed = await feed(second.url);
    expect([closed.status, await closed.text()]).toEqual([404, '{"detail":"Not found"}']);
    expect((await feed("/api/dashboard/calendar.ics")).status).toBe(422);
    expect((await feed("/api/dashboard/calendar.ics?token=x")).status).toBe(404);
  });

  test("is sent again only when it has changed", async () => {
    const { owner, url } = await subscribed();
    await prepareCalendar(owner);
    const first = await feed(url);
    const tag = first.headers.get("ETag") ?? "";
    const known = (tags: string) => visitor().fetch(url, { headers: { "If-None-Match": tags } });
    for (const tags of [tag, `W/${tag}`, `"x", ${tag}`]) {
      const same = await known(tags);
      expect([same.status, same.headers.get("ETag"), await same.text()]).toEqual([304, tag, ""]);
    }
    expect((await known('"x"')).status).toBe(200);
    await prepare(owner, [{ topic: "New", due_date: "2026-11-21", created_at: LONG_AGO }]);
    const changed = await known(tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("ETag")).not.toBe(tag);
  });

  test.for([
    ["2026-11-20T12:00:00Z", ["@notes.example", "@commonplace.test"]],
    ["2026-12-05T12:00:00Z", ["@commonplace", "@commonplace"]],
  ] as const)("of %s names events independently of its host, or as it always has", async ([time, places]) => {
    const { owner, url } = await subscribed("UTC", time);
    await prepare(owner, [{ topic: "T", due_date: "2026-12-24", created_at: LONG_AGO }]);
    const at = async (host: string) => (await feed(url.replace("commonplace.test", host))).text();
    for (const [index, host] of ["notes.example", "commonplace.test"].entries())
      expect(await at(host)).toMatch(new RegExp(`^UID:memory-1-[\\w-]{36}${places[index]}\r$`, "m"));
  });

  test("is closed with its account, and gone with it before everything else is erased", async () => {
    const base = () => openBaseCtx(env.DB);
    const { email, url } = await subscribed();
    await setClosed(base(), email, true, { evenLastAdmin: true });
    expect((await feed(url)).status).toBe(404);
    await setClosed(base(), email, false);
    expect((await feed(url)).status).toBe(200);
    await deleteAccount(base(), email);
    expect((await feed(url)).status).toBe(404);
  });
});

// Hours, reminders and repetition, as ical.js reads them, which is another implementation of RFC 5545.

async function eventsOf(url: string): Promise<ICAL.Event[]> {
  const text = await (await visitor().fetch(url)).text();
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
}

/** The first days of an event, with its hour if it has one. */
function timesOf(event: ICAL.Event, count = 4, last = "9999"): string[] {
  const [times, all] = [event.iterator(), [] as string[]];
  for (let time = times.next(); time && all.length < count; time = times.next()) {
    if (time.toString().slice(0, 10) > last) break;
    all.push(time.toString());
  }
  return all;
}

const alarmsOf = (event: ICAL.Event) =>
  event.component
    .getAllSubcomponents("valarm")
    .map((alarm) => String(alarm.getFirstPropertyValue("trigger")));

test("an hour stands without a zone, with the reminders before it", async () => {
  const { client, events } = await subscribed("Asia/Kathmandu");
  const remind = [{ before: "PT30M" }, { before: "P1D" }, { at: "2026-12-01T18:00" }];
  await make(client, { due_date: "2026-12-01", due_time: "17:00", remind });
  await make(client, { due_date: "2026-12-02", remind: [{ before: "PT0S" }] });
  const [timed, whole] = await events();
  expect(timed?.startDate.toString()).toBe("2026-12-01T17:00:00");
  expect(timed?.startDate.zone.tzid).toBe("floating");
  expect(timed && alarmsOf(timed)).toEqual(["-PT30M", "-P1D", "PT1H"]);
  expect(whole?.startDate.isDate).toBe(true);
  expect(whole && alarmsOf(whole)).toEqual(["PT9H"]);
});

test("a rule gives the days that the service has, whatever it says of its end", async () => {
  const { client, events } = await subscribed("Asia/Kathmandu");
  const day = { due_date: "2026-11-27" };
  await make(client, { ...day, repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR" });
  await make(client, { ...day, repeat: "FREQ=WEEKLY;BYDAY=FR;COUNT=3", due_time: "09:30" });
  await make(client, { ...day, repeat: "FREQ=DAILY;UNTIL=20261129" });
  await make(client, { ...day, repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done" });
  const [done, until, fortnight, thrice] = (await events()).map((event) => timesOf(event));
  expect(fortnight).toEqual(["2026-11-27", "2026-12-11", "2026-12-25", "2027-01-08"]);
  expect(thrice).toEqual(["2026-11-27T09:30:00", "2026-12-04T09:30:00", "2026-12-11T09:30:00"]);
  expect(until).toEqual(["2026-11-27", "2026-11-28", "2026-11-29"]);
  expect(done).toEqual(["2026-11-27"]);
});

test("a series is the same event as long as it lasts, and a moved day is one beside it", async () => {
  const { client, events } = await subscribed("Asia/Kathmandu");
  const { id } = await make(client, { due_date: "2026-11-23", repeat: "FREQ=WEEKLY;BYDAY=MO" });
  const [first] = await events();
  await change(client, { id }, { due_date: "2026-11-25" });
  const moved = await events();
  expect(moved.map((event) => timesOf(event, 2))).toEqual([["2026-11-25"], ["2026-11-30", "2026-12-07"]]);
  expect(new Set(moved.map(({ uid }) => uid)).size).toBe(2);
  expect(moved[1]?.uid).toBe(first?.uid);
  await step(client, { id }, "resolve");
  const [next, ...others] = await events();
  expect(others).toEqual([]);
  expect([next?.uid, next && timesOf(next, 2)]).toEqual([first?.uid, ["2026-11-30", "2026-12-07"]]);
});

test("what was changed for this one alone stays out of those that follow", async () => {
  const { client, events } = await subscribed("Asia/Kathmandu");
  const day = { due_date: "2026-11-23", due_time: "09:00", topic: "Pay the rent" };
  const { id } = await make(client, { ...day, repeat: "FREQ=WEEKLY;BYDAY=MO" });
  const [first] = await events();
  const remind = [{ before: "PT1H" }];
  const alone = { apply_to: "this", topic: "Pay the rent and the deposit", due_time: "12:00", remind };
  await change(client, { id }, alone);
  expect((await events()).map((event) => [event.summary, timesOf(event, 2), alarmsOf(event)])).toEqual([
    [alone.topic, ["2026-11-23T12:00:00"], ["-PT1H"]],
    [day.topic, ["2026-11-30T09:00:00", "2026-12-07T09:00:00"], ["PT0S"]],
  ]);
  expect((await events())[1]?.uid).toBe(first?.uid);
});

/** How many days of each rule are tried: those of a year, if there is time. */
const MOST_DAYS = isThorough ? 366 : 8;

const YEAR_RULES: readonly (readonly [start: string, repeat: string])[] = [
  ["2026-11-24", "FREQ=WEEKLY;BYDAY=TU,FR"],
  ["2026-11-27", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR"],
  ["2026-11-22", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU"],
  ["2026-11-25", "FREQ=WEEKLY;INTERVAL=3"],
  ["2026-11-23", "FREQ=DAILY;INTERVAL=10"],
  ["2026-12-01", "FREQ=MONTHLY;BYDAY=1TU,3TU"],
  ["2026-11-30", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
  ["2026-12-01", "FREQ=MONTHLY;BYMONTHDAY=1,15,-1"],
  ["2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=31"],
  ["2027-01-31", "FREQ=MONTHLY"],
  ["2027-01-15", "FREQ=MONTHLY;INTERVAL=3"],
  ["2027-08-13", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13"],
  ["2026-12-24", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"],
  ["2027-03-28", "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU"],
  ["2026-11-25", "FREQ=MONTHLY;BYDAY=WE;COUNT=9"],
  ["2026-11-26", "FREQ=WEEKLY;BYDAY=TH;UNTIL=20270225"],
];

test.for(YEAR_RULES)(
  "from %s, %s is the same event for a year, on the days on which the series is due",
  async ([start, repeat]) => {
    const { client, events } = await subscribed("Asia/Kathmandu");
    const last = addDays(start, 366);
    const inYear = (event?: ICAL.Event) => (event ? timesOf(event, 200, last) : []);
    let record: ReadMemory = await make(client, { due_date: start, due_time: "09:00", repeat });
    const [event] = await events();
    const due: string[] = [];
    for (let next = record.due_date; next && next <= last && due.length < MOST_DAYS; ) {
      expect(record.due_date).toBe(next);
      due.push(`${next}T09:00:00`);
      next = record.next_due?.[0] ?? null;
      await client.ok(memories.skipMemoryRoute, { params: at(record), json: {} });
      if (next) record = await read(client, record.id + 1);
      const following = await events();
      expect(following.map(({ uid }) => uid)).toEqual(next ? [event?.uid] : []);
      expect(inYear(following[0])).toEqual(inYear(event).slice(due.length));
    }
    expect(due).toEqual(inYear(event).slice(0, MOST_DAYS));
    expect(due.length).toBeGreaterThan(0);
  },
);
