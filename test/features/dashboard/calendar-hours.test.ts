import ICAL from "ical.js";
import { afterEach, expect, test, vi } from "vitest";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import {
  createMemoryRoute,
  resolveMemoryRoute,
  updateMemoryRoute,
} from "../../../src/features/memories/routes.ts";
import { type Client, visitor } from "../../kit/client.ts";
import { personAt } from "../../kit/dashboard.ts";

// Hours, reminders and repetition in the calendar feed, as ical.js reads it, which is another implementation of RFC 5545.

afterEach(() => {
  vi.useRealTimers();
});

const create = (client: Client, fields: object) =>
  client.ok(createMemoryRoute, {
    json: { memory_type: "commitment", topic: "Rent", content: "To Grace", ...fields },
  });

async function eventsOf(url: string): Promise<ICAL.Event[]> {
  const text = await (await visitor().fetch(url)).text();
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
}

/** The first days of an event, with its hour if it has one. */
function timesOf(event: ICAL.Event, count = 4): string[] {
  const times = event.iterator();
  return Array.from({ length: count }, () => times.next()).flatMap((time) => (time ? [time.toString()] : []));
}

const alarmsOf = (event: ICAL.Event) =>
  event.component
    .getAllSubcomponents("valarm")
    .map((alarm) => String(alarm.getFirstPropertyValue("trigger")));

async function somebody() {
  const { client } = await personAt("2026-11-20T12:00:00Z", "Asia/Kathmandu");
  const { url } = await client.ok(dashboard.createCalendarTokenRoute);
  return { client, events: () => eventsOf(url) };
}

test("an hour stands without a zone, with the reminders before it", async () => {
  const { client, events } = await somebody();
  const remind = [{ before: "PT30M" }, { before: "P1D" }, { at: "2026-12-01T18:00" }];
  await create(client, { due_date: "2026-12-01", due_time: "17:00", remind });
  await create(client, { due_date: "2026-12-02", remind: [{ before: "PT0S" }] });
  const [timed, whole] = await events();
  expect(timed?.startDate.toString()).toBe("2026-12-01T17:00:00");
  expect(timed?.startDate.zone.tzid).toBe("floating");
  expect(timed && alarmsOf(timed)).toEqual(["-PT30M", "-P1D", "PT1H"]);
  expect(whole?.startDate.isDate).toBe(true);
  expect(whole && alarmsOf(whole)).toEqual(["PT9H"]);
});

test("a rule gives the days that the service has, whatever it says of its end", async () => {
  const { client, events } = await somebody();
  const day = { due_date: "2026-11-27" };
  await create(client, { ...day, repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR" });
  await create(client, { ...day, repeat: "FREQ=WEEKLY;BYDAY=FR;COUNT=3", due_time: "09:30" });
  await create(client, { ...day, repeat: "FREQ=DAILY;UNTIL=20261129" });
  await create(client, { ...day, repeat: "FREQ=DAILY;INTERVAL=3", repeat_from: "done" });
  const [done, until, fortnight, thrice] = (await events()).map((event) => timesOf(event));
  expect(fortnight).toEqual(["2026-11-27", "2026-12-11", "2026-12-25", "2027-01-08"]);
  expect(thrice).toEqual(["2026-11-27T09:30:00", "2026-12-04T09:30:00", "2026-12-11T09:30:00"]);
  expect(until).toEqual(["2026-11-27", "2026-11-28", "2026-11-29"]);
  expect(done).toEqual(["2026-11-27"]);
});

test("a series is the same event for as long as it goes on, and a moved day is one beside it", async () => {
  const { client, events } = await somebody();
  const { id } = await create(client, { due_date: "2026-11-23", repeat: "FREQ=WEEKLY;BYDAY=MO" });
  const [first] = await events();
  await client.ok(updateMemoryRoute, { params: { memory_id: String(id) }, json: { due_date: "2026-11-25" } });
  const moved = await events();
  expect(moved.map((event) => timesOf(event, 2))).toEqual([["2026-11-25"], ["2026-11-30", "2026-12-07"]]);
  expect(new Set(moved.map(({ uid }) => uid)).size).toBe(2);
  expect(moved[1]?.uid).toBe(first?.uid);
  await client.ok(resolveMemoryRoute, { params: { memory_id: String(id) } });
  const [next, ...others] = await events();
  expect(others).toEqual([]);
  expect([next?.uid, next && timesOf(next, 2)]).toEqual([first?.uid, ["2026-11-30", "2026-12-07"]]);
});
