import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { updateMeRoute } from "../src/auth/routes.ts";
import { addDays, dayOf, daysBetween, firstOfMonth, mondayOf, startOfDay } from "../src/core/days.ts";
import { estimateTokens } from "../src/dashboard/briefing.ts";
import * as dashboard from "../src/dashboard/routes.ts";
import { getBriefing } from "../src/dashboard/tools.ts";
import { createDocumentRoute } from "../src/documents/routes.ts";
import * as ages from "../src/memories/ages.ts";
import { listMemories } from "../src/memories/list-tools.ts";
import * as memories from "../src/memories/routes.ts";
import { SAID } from "../src/memories/schema.ts";
import { purge } from "../src/purge.ts";
import { type Client, person, signIn, visitor } from "./kit/client.ts";
import { callTool, ctxOf, numberOf } from "./kit/ctx.ts";
import { type Prepared, prepare } from "./kit/memories.ts";

afterEach(() => {
  vi.useRealTimers();
});

const email = "ada@example.com";

/** Sets the clock of the service, and creates an account at that time. */
async function personAt(
  time: string,
  timezone = "UTC",
): Promise<{ client: Client; owner: number; email: string }> {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
  const client = await person({ email, timezone });
  return { client, owner: await numberOf(client), email };
}

const ids = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);

describe("the rules about time", () => {
  test.each([
    // instant, zone, day
    ["2026-11-20T09:59:59.999Z", "Pacific/Kiritimati", "2026-11-20"],
    ["2026-11-20T10:00:00.000Z", "Pacific/Kiritimati", "2026-11-21"],
    ["2026-11-20T10:59:59.999Z", "Pacific/Niue", "2026-11-19"],
    ["2026-11-20T11:00:00.000Z", "Pacific/Niue", "2026-11-20"],
    ["2026-11-20T23:59:59.999Z", "UTC", "2026-11-20"],
    ["2028-02-29T12:00:00.000Z", "UTC", "2028-02-29"],
    ["2026-11-20T18:14:59.999Z", "Asia/Kathmandu", "2026-11-20"],
    ["2026-11-20T18:15:00.000Z", "Asia/Kathmandu", "2026-11-21"],
  ])("%s in %s is %s", (instant, zone, day) => {
    expect(dayOf(instant, zone)).toBe(day);
  });

  test.each([
    // day, zone, its first instant
    ["2026-11-21", "Pacific/Kiritimati", "2026-11-20T10:00:00.000Z"],
    ["2026-11-20", "Pacific/Niue", "2026-11-20T11:00:00.000Z"],
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
    ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
    ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
    // Midnight does not exist on the day on which summer time begins here.
    ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
    // Midnight happens twice here: the day begins with the first.
    ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"],
  ])("%s in %s begins at %s", (day, zone, instant) => {
    expect(startOfDay(day, zone)).toBe(instant);
  });

  test.each([
    ["2028-02-28", 1, "2028-02-29"],
    ["2028-02-29", 366, "2029-03-01"],
    ["2028-02-29", -1, "2028-02-28"],
    ["2026-12-31", 1, "2027-01-01"],
    ["2026-11-20", 0, "2026-11-20"],
  ])("%s and %i days is %s", (day, days, other) => {
    expect(addDays(day, days)).toBe(other);
    expect(daysBetween(day, other)).toBe(days);
  });

  test.each([
    ["2026-11-16", "2026-11-16", "2026-11-01"],
    ["2026-11-20", "2026-11-16", "2026-11-01"],
    ["2026-11-22", "2026-11-16", "2026-11-01"],
    ["2026-11-23", "2026-11-23", "2026-11-01"],
    ["2027-01-01", "2026-12-28", "2027-01-01"],
    ["2028-02-29", "2028-02-28", "2028-02-01"],
  ])("%s is in the week of %s and the month of %s", (day, monday, first) => {
    expect(mondayOf(day)).toBe(monday);
    expect(firstOfMonth(day)).toBe(first);
  });

  test.each([
    // now, zone, week, month
    ["2026-11-16T00:00:00Z", "UTC", "2026-11-16T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    ["2026-11-15T23:59:59Z", "UTC", "2026-11-09T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    // It is Monday already on Kiritimati, and still Sunday on Niue.
    ["2026-11-15T10:00:00Z", "Pacific/Kiritimati", "2026-11-15T10:00:00.000Z", "2026-10-31T10:00:00.000Z"],
    ["2026-11-16T10:59:59Z", "Pacific/Niue", "2026-11-09T11:00:00.000Z", "2026-11-01T11:00:00.000Z"],
    // A week and a month that summer time begins or ends in.
    ["2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-22T23:00:00.000Z", "2026-02-28T23:00:00.000Z"],
    ["2026-03-31T12:00:00Z", "Europe/Berlin", "2026-03-29T22:00:00.000Z", "2026-02-28T23:00:00.000Z"],
    ["2026-10-25T12:00:00Z", "Europe/Berlin", "2026-10-18T22:00:00.000Z", "2026-09-30T22:00:00.000Z"],
    ["2026-10-26T12:00:00Z", "Europe/Berlin", "2026-10-25T23:00:00.000Z", "2026-09-30T22:00:00.000Z"],
  ])("at %s in %s the week began at %s and the month at %s", (now, timezone, week, month) => {
    const clock = { now: new Date(now), timezone };
    expect(ages.weekStart(clock)).toBe(week);
    expect(ages.monthStart(clock)).toBe(month);
  });

  test.each([
    // since, now, zone, days
    ["2026-11-20T23:59:00Z", "2026-11-21T00:01:00Z", "UTC", 1],
    ["2026-11-20T00:01:00Z", "2026-11-20T23:59:00Z", "UTC", 0],
    ["2026-11-20T23:59:00Z", "2026-11-21T00:01:00Z", "Pacific/Niue", 0],
    ["2026-11-20T09:59:00Z", "2026-11-20T10:01:00Z", "Pacific/Kiritimati", 1],
    // The day that has 23 hours, and the one that has 25.
    ["2026-03-28T23:30:00Z", "2026-03-29T22:30:00Z", "Europe/Berlin", 1],
    ["2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", "Europe/Berlin", 0],
    ["2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z", "Europe/Berlin", 1],
    ["2028-02-28T12:00:00Z", "2028-03-01T12:00:00Z", "UTC", 2],
    // Created in the future: no age yet.
    ["2026-12-24T00:00:00Z", "2026-11-20T00:00:00Z", "UTC", 0],
  ])("from %s to %s in %s it is %i days", (since, now, timezone, days) => {
    expect(ages.daysSince(since, { now: new Date(now), timezone })).toBe(days);
  });

  test.each([
    ["2026-11-20", "2026-11-20", 0],
    ["2026-11-19", "2026-11-20", 1],
    ["2026-11-21", "2026-11-20", -1],
    ["2028-02-29", "2028-03-01", 1],
  ])("due %s, on %s, is %i days overdue", (due, today, days) => {
    expect(ages.daysOverdue(due, today)).toBe(days);
  });

  test("a record becomes stale on the day on which it has been unchanged for the set number of days", () => {
    const clock = { now: new Date("2026-11-20T12:00:00Z"), timezone: "Pacific/Kiritimati" };
    const cutoff = ages.staleBefore(14, clock);
    expect(cutoff).toBe("2026-11-07T10:00:00.000Z");
    expect(ages.daysSince("2026-11-07T09:59:59.999Z", clock)).toBe(14);
    expect(ages.daysSince(cutoff, clock)).toBe(13);
  });

  test("days to resolve, mean and rate", () => {
    expect(ages.daysToResolve("2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z", "UTC")).toBe(0);
    expect(ages.daysToResolve("2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z", "Pacific/Kiritimati")).toBe(1);
    expect(ages.daysToResolve("2026-11-20T09:00:00Z", "2026-11-19T11:00:00Z", "UTC")).toBe(0);
    expect(ages.daysToResolve("2026-11-20T09:00:00Z", null, "UTC")).toBeNull();
    expect(ages.averageDays(0, 0)).toBeNull();
    expect(ages.averageDays(3 * 86_400 + 43_200, 2)).toBe(1.8);
    expect(ages.completionRate(0, 0)).toBeNull();
    expect(ages.completionRate(0, 3)).toBe(0);
    expect(ages.completionRate(2, 3)).toBeCloseTo(0.6667, 4);
  });
});

const LONG_AGO = "2026-10-01T08:00:00.000Z";

/** A calendar of records around noon of 2026-11-20 (a Friday) in UTC. The names are what they are in UTC. */
const CALENDAR = {
  overdue_long: { due_date: "2026-10-30", created_at: LONG_AGO, project: "Apollo", scope: "work" },
  overdue_yesterday: { due_date: "2026-11-19", created_at: LONG_AGO, memory_type: "decision" },
  due_today: { due_date: "2026-11-20", created_at: LONG_AGO, scope: "personal" },
  due_tomorrow: { due_date: "2026-11-21", created_at: LONG_AGO, scope: "work" },
  due_next_year: { due_date: "2027-11-21", created_at: LONG_AGO },
  stale_commitment: { created_at: "2026-11-01T08:00:00.000Z", scope: "work" },
  nearly_stale: { created_at: "2026-11-07T00:00:00.000Z" },
  confirmed: { created_at: LONG_AGO, touched_at: "2026-11-19T08:00:00.000Z" },
  stale_blocker: { created_at: "2026-11-10T08:00:00.000Z", memory_type: "blocker", scope: "personal" },
  fresh_blocker: { created_at: "2026-11-15T08:00:00.000Z", memory_type: "blocker" },
  old_preference: { created_at: LONG_AGO, memory_type: "preference" },
  fresh: { created_at: "2026-11-20T08:00:00.000Z", project: "Apollo" },
  woken: {
    created_at: LONG_AGO,
    status: "deferred",
    deferred_until: "2026-11-20",
  },
  woken_overdue: {
    created_at: LONG_AGO,
    status: "deferred",
    deferred_until: "2026-11-18",
    due_date: "2026-11-18",
  },
  asleep: { created_at: LONG_AGO, status: "deferred", deferred_until: "2026-11-21", due_date: "2026-11-01" },
  resolved: {
    created_at: LONG_AGO,
    status: "resolved",
    closed_at: "2026-11-19T08:00:00.000Z",
    due_date: "2026-11-01",
  },
} as const satisfies Record<string, Prepared>;

/** Puts the calendar into somebody's account; returns the name of each id. */
async function prepareCalendar(owner: number): Promise<Map<number, string>> {
  const rows = Object.entries(CALENDAR).map(([topic, row]) => ({ topic, ...row }) as Prepared);
  const made = await prepare(owner, rows);
  return new Map(made.map((id, index) => [id, Object.keys(CALENDAR)[index] ?? ""]));
}

const topics = ({ items }: { items: { topic: string }[] }) => items.map(({ topic }) => topic);

describe("GET /api/dashboard/commitments", () => {
  test("has active commitments: overdue ones first, then by due date, then the rest, newest first", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const list = await client.ok(dashboard.listCommitmentsRoute);
    expect(topics(list)).toEqual([
      "overdue_long",
      "woken_overdue",
      "due_today",
      "due_tomorrow",
      "due_next_year",
      "fresh",
      "nearly_stale",
      "stale_commitment",
      "woken",
      "confirmed",
    ]);
    expect(list.total).toBe(10);
    expect(list.items[0]).toEqual({
      id: expect.any(Number),
      topic: "overdue_long",
      content: "Content",
      created_at: LONG_AGO,
      updated_at: LONG_AGO,
      days_ago: 50,
      status: "active",
      project: "Apollo",
      scope: "work",
      due_date: "2026-10-30",
    });
    expect(list.items[8]).toMatchObject({
      topic: "woken",
      status: "active",
      project: null,
      scope: null,
      due_date: null,
    });
  });

  test("filters by scope and project, and limits", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const get = async (query: Record<string, string | number>) => {
      const list = await client.ok(dashboard.listCommitmentsRoute, { query });
      return [topics(list), list.total];
    };
    expect(await get({ scope: "work" })).toEqual([["overdue_long", "due_tomorrow", "stale_commitment"], 3]);
    expect(await get({ scope: "personal" })).toEqual([["due_today"], 1]);
    expect(await get({ project: "Apollo" })).toEqual([["overdue_long", "fresh"], 2]);
    expect(await get({ project: "Apollo", scope: "work" })).toEqual([["overdue_long"], 1]);
    expect(await get({ project: "Apollo", scope: "personal" })).toEqual([[], 0]);
    expect(await get({ project: "Nothing of the kind" })).toEqual([[], 0]);
    expect(await get({ project: "nul\u0000" })).toEqual([[], 0]);
    expect(await get({ limit: 2 })).toEqual([["overdue_long", "woken_overdue"], 10]);
    expect((await get({ project: "" }))[1]).toBe(10);
    const bad: Record<string, string>[] = [
      { limit: "0" },
      { limit: "101" },
      { limit: "x" },
      { limit: "" },
      { scope: "both" },
      { scope: "" },
    ];
    for (const query of bad) {
      const refusal = await client.refusal(dashboard.listCommitmentsRoute, { query });
      expect(refusal.status, JSON.stringify(query)).toBe(422);
    }
  });

  test("shows 20 of many, and up to 100", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepare(owner, Array(120).fill({ created_at: LONG_AGO }));
    const list = await client.ok(dashboard.listCommitmentsRoute);
    expect([list.items.length, list.total]).toEqual([20, 120]);
    const most = await client.ok(dashboard.listCommitmentsRoute, { query: { limit: 100 } });
    expect([most.items.length, most.total]).toEqual([100, 120]);
  });
});

describe("GET /api/dashboard/alerts", () => {
  const ALERTS = ["overdue_long", "woken_overdue", "overdue_yesterday", "stale_commitment", "stale_blocker"];

  test("has what is overdue, longest first, then what is stale, longest first", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const list = await client.ok(dashboard.listAlertsRoute);
    expect([topics(list), list.total]).toEqual([ALERTS, 5]);
    expect(list.items).toMatchObject([
      { alert_type: "overdue", days_overdue: 21 },
      { alert_type: "overdue", days_overdue: 2, status: "active" },
      { alert_type: "overdue", days_overdue: 1 },
      { alert_type: "stale", days_stale: 19 },
      { alert_type: "stale", days_stale: 10 },
    ]);
    expect(Object.keys(list.items[0] ?? {}).sort()).toEqual(
      [
        ...["id", "topic", "content", "created_at", "updated_at", "days_ago", "status", "project", "scope"],
        ...["due_date", "alert_type", "days_overdue"],
      ].sort(),
    );
    const work = await client.ok(dashboard.listAlertsRoute, { query: { scope: "work" } });
    expect([topics(work), work.total]).toEqual([["overdue_long", "stale_commitment"], 2]);
    const personal = await client.ok(dashboard.listAlertsRoute, { query: { scope: "personal" } });
    expect([topics(personal), personal.total]).toEqual([["stale_blocker"], 1]);
    const page = await client.ok(dashboard.listAlertsRoute, { query: { limit: 2, offset: 2 } });
    expect([topics(page), page.total]).toEqual([ALERTS.slice(2, 4), 5]);
  });

  test.each([
    // It is 2026-11-21 on Kiritimati: what is due on the 20th is overdue, and a day more has passed for all.
    [
      "Pacific/Kiritimati",
      "2026-11-20T12:00:00Z",
      [
        "overdue_long",
        "asleep",
        "woken_overdue",
        "overdue_yesterday",
        "due_today",
        "stale_commitment",
        "nearly_stale",
        "stale_blocker",
      ],
    ],
    // It is still 2026-11-19 on Niue.
    [
      "Pacific/Niue",
      "2026-11-20T10:00:00Z",
      ["overdue_long", "woken_overdue", "stale_commitment", "stale_blocker"],
    ],
  ])("follows the calendar of %s", async (timezone, now, expected) => {
    const { client, owner } = await personAt(now, timezone);
    await prepareCalendar(owner);
    const list = await client.ok(dashboard.listAlertsRoute);
    expect(new Set(topics(list))).toEqual(new Set(expected));
    expect(list.total).toBe(expected.length);
  });

  test("follows the caller's own days, and a change or confirmation ends them", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const names = await prepareCalendar(owner);
    await client.ok(updateMeRoute, { json: { stale_after_days: { commitment: 1, blocker: 30 } } });
    const stale = async () => topics(await client.ok(dashboard.listAlertsRoute)).slice(3);
    expect(await stale()).toEqual(["stale_commitment", "nearly_stale", "confirmed"]);
    const idOf = (topic: string) => [...names].find(([, name]) => name === topic)?.[0];
    const params = { memory_id: String(idOf("stale_commitment")) };
    await client.ok(memories.confirmMemoryRoute, { params });
    expect(await stale()).toEqual(["nearly_stale", "confirmed"]);
    const other = { memory_id: String(idOf("nearly_stale")) };
    await client.ok(memories.updateMemoryRoute, { params: other, json: { content: "Still open" } });
    expect(await stale()).toEqual(["confirmed"]);
  });

  test("only a change of what a record says or when it is due ends its staleness, not how it is filed", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const { id: document_id } = await client.ok(createDocumentRoute, { json: { title: "Plan" } });
    const filed = {
      ...{ memory_type: "blocker", tags: ["new"], scope: "personal", project: "Gemini" },
      document_id,
    } as const;
    const said = { topic: "Newer", content: "Newer", due_date: "2026-12-24" } as const;
    expect(Object.keys({ ...filed, ...said }).sort()).toEqual([...SAID].sort());
    const stale = async () => (await client.ok(dashboard.listAlertsRoute)).items;
    const change = (id: number | undefined, json: object) =>
      client.ok(memories.updateMemoryRoute, { params: { memory_id: String(id) }, json });
    const [first, ...others] = await prepare(
      owner,
      Array(4).fill({ created_at: LONG_AGO, project: "Apollo", scope: "work" }),
    );
    for (const [name, value] of Object.entries(filed)) {
      const { updated_at } = await change(first, { [name]: value });
      expect(updated_at, name).toBe("2026-11-20T12:00:00.000Z");
      const { items } = await client.ok(dashboard.listAlertsRoute);
      expect(
        items.find(({ id }) => id === first),
        name,
      ).toMatchObject({ alert_type: "stale", days_stale: 50 });
    }
    const rename = { project: "Apollo", content: "Content", topic: "Topic" };
    expect((await change(first, rename)).project).toBe("Apollo");
    expect(await stale()).toHaveLength(4);
    for (const [index, [name, value]] of Object.entries(said).entries()) {
      await change(others[index], { [name]: value, project: "Gemini" });
      expect((await stale()).length, name).toBe(3 - index);
    }
    await change(others[2], { due_date: null });
    expect(await stale()).toHaveLength(1);
  });

  test("a deferred record is not stale on the day on which it wakes, but becomes so if it is left unchanged", async () => {
    const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
    const json = { memory_type: "commitment", topic: "Sleeper", content: "x", created_at: LONG_AGO };
    const { id } = await client.ok(memories.createMemoryRoute, { json });
    const params = { memory_id: String(id) };
    expect(topics(await client.ok(dashboard.listAlertsRoute))).toEqual(["Sleeper"]);
    await client.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2026-11-25" } });
    const alertsAt = async (time: string) => {
      vi.setSystemTime(new Date(time));
      const { items } = await (await signIn(email)).ok(dashboard.listAlertsRoute);
      return items.map((item) => ("days_stale" in item ? item.days_stale : null));
    };
    expect(await alertsAt("2026-11-24T23:30:00Z")).toEqual([]);
    expect(await alertsAt("2026-12-08T22:59:00Z")).toEqual([]);
    expect(await alertsAt("2026-12-08T23:01:00Z")).toEqual([14]);
    await purge(env);
    expect(await alertsAt("2026-12-08T23:02:00Z")).toEqual([14]);
  });
});

const group = (count: number, row: Prepared): Prepared[] =>
  Array.from({ length: count }, (_, index) => ({ ...row, topic: `${row.topic} ${index}` }));

/** A number of records, created a whole number of days before they were resolved. */
const resolved = (count: number, day: string, days: number, row: Partial<Prepared> = {}): Prepared[] =>
  group(count, {
    ...row,
    topic: "resolved",
    status: "resolved",
    created_at: `${addDays(day, -days)}T09:00:00.000Z`,
    closed_at: `${day}T09:00:00.000Z`,
  });

const closed = (count: number, status: "deferred" | "archived", day: string, row: Partial<Prepared> = {}) =>
  group(count, { ...row, topic: status, status, created_at: LONG_AGO, closed_at: `${day}T09:00:00.000Z` });

/**
 * 200 records as they stand at noon of Friday 2026-11-20. By hand:
 * resolved this week 30; this month 30 + 20 = 50; ever 30 + 20 + 25 + 45 = 120.
 * Mean: (30 × 2 + 20 × 5 + 25 × 10 + 45 × 1) ÷ 120 = 455 ÷ 120 = 3.79 → 3.8 days.
 * Since 21 October 12:00: resolved 75, deferred 15, archived 10: 75 ÷ 100 = 0.75. The woken ones are back.
 */
const HISTORY: Prepared[] = [
  ...resolved(20, "2026-11-16", 2, { scope: "work", project: "Apollo" }),
  ...resolved(10, "2026-11-20", 2, { scope: "work" }),
  ...resolved(20, "2026-11-15", 5, { scope: "personal", memory_type: "decision" }),
  ...resolved(25, "2026-10-22", 10),
  ...resolved(45, "2026-10-20", 1, { project: "Apollo" }),
  ...closed(10, "deferred", "2026-11-10", { scope: "work" }),
  ...closed(5, "deferred", "2026-11-10", { deferred_until: "2026-12-01" }),
  ...closed(10, "archived", "2026-11-11"),
  ...closed(20, "archived", "2026-10-21"),
  ...closed(10, "deferred", "2026-10-10", { memory_type: "blocker" }),
  ...closed(10, "deferred", "2026-11-01", { deferred_until: "2026-11-18", scope: "work" }),
  ...group(15, { topic: "active", created_at: LONG_AGO, scope: "work" }),
];

describe("GET /api/dashboard/commitment-history", () => {
  test("has the four statistics of a history that was computed by hand", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    expect(HISTORY).toHaveLength(200);
    await prepare(owner, HISTORY);
    const ask = async (query: Record<string, string | number>) => {
      const { items, total, stats } = await client.ok(dashboard.listHistoryRoute, { query });
      const { resolved_this_week, resolved_this_month, avg_days_to_resolve, completion_rate_30d } = stats;
      const rate = completion_rate_30d && Math.round(completion_rate_30d * 10_000) / 10_000;
      return [items.length, total, resolved_this_week, resolved_this_month, avg_days_to_resolve, rate];
    };
    const all = [30, 50, 3.8, 0.75];
    expect(await ask({})).toEqual([50, 175, ...all]);
    expect(await ask({ limit: 100, offset: 100 })).toEqual([75, 175, ...all]);
    expect(await ask({ offset: 175 })).toEqual([0, 175, ...all]);
    expect(await ask({ status: "resolved" })).toEqual([50, 120, ...all]);
    expect(await ask({ status: "deferred" })).toEqual([25, 25, ...all]);
    expect(await ask({ status: "archived", limit: 1 })).toEqual([1, 30, ...all]);
    // Work: 30 resolved, 10 deferred, 10 woken.
    expect(await ask({ scope: "work" })).toEqual([40, 40, 30, 30, 2, 0.75]);
    expect(await ask({ scope: "personal" })).toEqual([20, 20, 0, 20, 5, 1]);
    // Apollo: 20 after 2 days, 45 after 1 day: 85 ÷ 65 = 1.31.
    expect(await ask({ project: "Apollo" })).toEqual([50, 65, 20, 20, 1.3, 1]);
    expect(await ask({ project: "Apollo", scope: "work" })).toEqual([20, 20, 20, 20, 2, 1]);
    expect(await ask({ project: "Apollo", scope: "personal" })).toEqual([0, 0, 0, 0, null, null]);
    expect(await ask({ memory_type: "decision" })).toEqual([20, 20, 0, 20, 5, 1]);
    expect(await ask({ memory_type: "blocker" })).toEqual([10, 10, 0, 0, null, null]);
    expect(await ask({ memory_type: "decision", scope: "personal" })).toEqual([20, 20, 0, 20, 5, 1]);
    expect(await ask({ memory_type: "commitment", project: "Apollo" })).toEqual([50, 65, 20, 20, 1.3, 1]);

    await purge(env);
    expect(await ask({})).toEqual([50, 175, ...all]);
    expect(await ask({ scope: "work" })).toEqual([40, 40, 30, 30, 2, 0.75]);
  });

  test.each([
    // Monday began at 2026-11-15T10:00Z: the week includes what was resolved on the 15th, and everything is a day later.
    ["Pacific/Kiritimati", "2026-11-15T10:00:00.000Z", 1],
    ["Pacific/Kiritimati", "2026-11-15T09:59:59.999Z", 0],
    ["Pacific/Niue", "2026-11-16T11:00:00.000Z", 1],
    ["Pacific/Niue", "2026-11-16T10:59:59.999Z", 0],
    ["UTC", "2026-11-16T00:00:00.000Z", 1],
    ["UTC", "2026-11-15T23:59:59.999Z", 0],
  ])("counts the week in %s: resolved at %s counts %i", async (timezone, closed_at, count) => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", timezone);
    await prepare(owner, [{ status: "resolved", created_at: LONG_AGO, closed_at }]);
    const { stats } = await client.ok(dashboard.listHistoryRoute);
    expect(stats).toMatchObject({
      resolved_this_week: count,
      resolved_this_month: 1,
      completion_rate_30d: 1,
    });
  });

  test("counts the month from its first local midnight on, and the window to the millisecond", async () => {
    const { client, owner } = await personAt("2026-10-31T23:30:00Z", "Pacific/Kiritimati");
    await prepare(owner, [
      { status: "resolved", created_at: LONG_AGO, closed_at: "2026-10-31T10:00:00.000Z" },
      { status: "resolved", created_at: LONG_AGO, closed_at: "2026-10-31T09:59:59.999Z" },
      { status: "archived", created_at: LONG_AGO, closed_at: "2026-10-01T23:30:00.000Z" },
      { status: "archived", created_at: LONG_AGO, closed_at: "2026-10-01T23:29:59.999Z" },
    ]);
    const { stats } = await client.ok(dashboard.listHistoryRoute);
    expect(stats).toMatchObject({ resolved_this_month: 1, completion_rate_30d: 2 / 3 });
  });

  test("has each closed record with every field, last closed first", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Pacific/Kiritimati");
    const made = await prepare(owner, [
      {
        ...{
          topic: "First",
          content: "Said",
          status: "resolved",
          memory_type: "blocker",
          scope: "work",
          project: "Apollo",
        },
        ...{
          created_at: "2026-11-01T09:00:00.000Z",
          updated_at: "2026-11-19T09:00:00.000Z",
          due_date: "2026-11-30",
        },
        ...{ closed_at: "2026-11-03T11:00:00.000Z", resolution_note: "Done" },
      },
      { status: "archived", created_at: LONG_AGO, closed_at: "2026-11-04T08:00:00.000Z" },
      {
        status: "deferred",
        created_at: LONG_AGO,
        closed_at: "2026-11-02T08:00:00.000Z",
        deferred_until: "2026-12-01",
      },
      { created_at: LONG_AGO },
    ]);
    const list = await client.ok(dashboard.listHistoryRoute);
    expect(ids(list)).toEqual([made[1], made[0], made[2]]);
    expect(list.items[1]).toEqual({
      id: made[0],
      memory_type: "blocker",
      topic: "First",
      content: "Said",
      status: "resolved",
      created_at: "2026-11-01T09:00:00.000Z",
      updated_at: "2026-11-19T09:00:00.000Z",
      project: "Apollo",
      scope: "work",
      due_date: "2026-11-30",
      resolved_at: "2026-11-03T11:00:00.000Z",
      resolution_note: "Done",
      days_to_resolve: 3,
    });
    expect(list.items[2]).toMatchObject({ status: "deferred", resolved_at: null, days_to_resolve: null });
  });

  test("of an empty account has zeros and nulls, and refuses what is out of range", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    expect(await client.ok(dashboard.listHistoryRoute)).toEqual({
      items: [],
      total: 0,
      stats: {
        resolved_this_week: 0,
        resolved_this_month: 0,
        avg_days_to_resolve: null,
        completion_rate_30d: null,
      },
    });
    const bad: Record<string, string>[] = [
      { limit: "0" },
      { limit: "101" },
      { offset: "-1" },
      { status: "active" },
      { memory_type: "idea" },
      { scope: "all" },
    ];
    for (const query of bad) {
      expect(
        (await client.refusal(dashboard.listHistoryRoute, { query })).status,
        JSON.stringify(query),
      ).toBe(422);
    }
  });

  test("stays correct through every change of status", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const make = (created_at: string) =>
      client.ok(memories.createMemoryRoute, {
        json: { memory_type: "commitment", topic: "T", content: "C", project: "Apollo", created_at },
      });
    const [a, b] = [await make("2026-11-18T12:00:00Z"), await make("2026-11-10T12:00:00Z")];
    const [one, two] = [{ params: { memory_id: String(a.id) } }, { params: { memory_id: String(b.id) } }];
    const stats = async (query = {}) => {
      const { total, stats } = await client.ok(dashboard.listHistoryRoute, { query });
      return [total, stats.resolved_this_week, stats.avg_days_to_resolve, stats.completion_rate_30d];
    };
    await client.ok(memories.resolveMemoryRoute, one);
    await client.ok(memories.archiveMemoryRoute, two);
    expect(await stats()).toEqual([2, 1, 2, 0.5]);
    await client.ok(memories.reopenMemoryRoute, one);
    expect(await stats()).toEqual([1, 0, null, 0]);
    await client.ok(memories.updateMemoryRoute, { ...one, json: { project: "Gemini" } });
    await client.ok(memories.resolveMemoryRoute, one);
    expect(await stats({ project: "Gemini" })).toEqual([1, 1, 2, 1]);
    expect(await stats({ project: "Apollo" })).toEqual([1, 0, null, 0]);
    await client.ok(memories.updateMemoryRoute, { ...one, json: { project: null, memory_type: "decision" } });
    expect(await stats({ project: "Gemini" })).toEqual([0, 0, null, null]);
    expect(await stats({ memory_type: "decision" })).toEqual([1, 1, 2, 1]);
    await client.ok(memories.deleteMemoryRoute, two);
    expect(await stats()).toEqual([1, 1, 2, 1]);
  });
});

describe("GET /api/dashboard/summary", () => {
  test("counts by state, type and project, and what is due", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const summary = await client.ok(dashboard.getSummaryRoute);
    const none = { active: 0, deferred: 0, resolved: 0, archived: 0 };
    expect(summary).toEqual({
      today: "2026-11-20",
      timezone: "UTC",
      by_status: { active: 14, deferred: 1, resolved: 1, archived: 0 },
      by_memory_type: expect.arrayContaining([
        { ...none, memory_type: "commitment", active: 10, deferred: 1, resolved: 1 },
        { ...none, memory_type: "blocker", active: 2 },
        { ...none, memory_type: "decision", active: 1 },
        { ...none, memory_type: "preference", active: 1 },
      ]),
      by_project: [{ ...none, project: "Apollo", active: 2 }],
      overdue: 3,
      due_today: 1,
      due_in_7_days: 1,
      stale: 2,
    });
    await purge(env);
    expect(await client.ok(dashboard.getSummaryRoute)).toEqual(summary);
    const work = await client.ok(dashboard.getSummaryRoute, { query: { scope: "work" } });
    expect(work).toMatchObject({
      by_status: { ...none, active: 3 },
      overdue: 1,
      due_today: 0,
      due_in_7_days: 1,
    });
  });
});

test("no answer of the dashboard depends on whether the cron handler ran", async () => {
  const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Pacific/Kiritimati");
  await prepareCalendar(owner);
  await prepare(owner, HISTORY);
  const filters = [{}, { scope: "work" }] as const;
  const look = () =>
    Promise.all(
      filters.flatMap((query) => [
        client.ok(dashboard.listCommitmentsRoute, { query: { ...query, limit: 100 } }),
        client.ok(dashboard.listAlertsRoute, { query }),
        client.ok(dashboard.listHistoryRoute, { query: { ...query, limit: 100 } }),
        client.ok(dashboard.getSummaryRoute, { query }),
        client.ok(memories.listMemoriesRoute, { query: { ...query, limit: 100, sort: "created_at" } }),
      ]),
    );
  const before = await look();
  await purge(env);
  const { results } = await env.DB.prepare(
    "SELECT count(*) AS n FROM memory_events WHERE event = 'woke'",
  ).all();
  expect(results).toEqual([{ n: 13 }]);
  expect(await look()).toEqual(before);
});

test("nobody's records, totals or statistics show up on another person's dashboard", async () => {
  const { owner } = await personAt("2026-11-20T12:00:00Z");
  await prepareCalendar(owner);
  await prepare(owner, HISTORY);
  const bob = await person();
  const query = { scope: "work" };
  expect(await bob.ok(dashboard.listCommitmentsRoute)).toEqual({ items: [], total: 0 });
  expect(await bob.ok(dashboard.listCommitmentsRoute, { query })).toEqual({ items: [], total: 0 });
  expect(await bob.ok(dashboard.listAlertsRoute)).toEqual({ items: [], total: 0 });
  const stats = {
    resolved_this_week: 0,
    resolved_this_month: 0,
    avg_days_to_resolve: null,
    completion_rate_30d: null,
  };
  expect(await bob.ok(dashboard.listHistoryRoute, { query })).toEqual({ items: [], total: 0, stats });
  expect(await bob.ok(dashboard.getSummaryRoute)).toMatchObject({
    by_memory_type: [],
    by_project: [],
    overdue: 0,
  });
  for (const path of ["commitments", "alerts", "commitment-history", "summary"]) {
    expect((await visitor().fetch(`/api/dashboard/${path}`)).status, path).toBe(401);
  }
});

describe("the calendar feed", () => {
  const feed = (url: string) => visitor().fetch(url);

  test("shows the due dates of active records to whoever has its address", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    await prepare(owner, [
      { topic: "Ship; it, \\ now\nplease", due_date: "2028-02-29", created_at: LONG_AGO },
    ]);
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    const answer = await feed(url);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
      200,
      "text/calendar; charset=utf-8",
    ]);
    const text = await answer.text();
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:/);
    expect(text.match(/^DTSTART;VALUE=DATE:.*$/gm)).toEqual(
      ["20261030", "20261118", "20261119", "20261120", "20261121", "20271121", "20280229"].map(
        (day) => `DTSTART;VALUE=DATE:${day}`,
      ),
    );
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
});

describe("tools", () => {
  test("list_memories shows each view with its own fields, its total, and whether there is more", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Pacific/Niue");
    await prepareCalendar(owner);
    await prepare(owner, [
      { topic: "Long", content: "x".repeat(2000), created_at: LONG_AGO, project: "Long", tags: ["t"] },
    ]);
    const ctx = await ctxOf(client);
    const day = { today: "2026-11-20 (Friday)" };
    const active = await callTool(ctx, listMemories, { limit: "2" });
    expect(active).toMatchObject({ view: "active", total: 15, has_more: true, ...day });
    expect(active.items[0]).toEqual({
      id: expect.any(Number),
      memory_type: "commitment",
      topic: "overdue_long",
      content: "Content",
      scope: "work",
      project: "Apollo",
      due_date: "2026-10-30",
      days_ago: 51,
      updated_at: expect.stringMatching(/^2026-.*-11:00$/),
    });
    const blockers = await callTool(ctx, listMemories, { type: "blocker" });
    expect([topics(blockers), blockers.has_more]).toEqual([["fresh_blocker", "stale_blocker"], false]);
    const alerts = await callTool(ctx, listMemories, { view: "alerts", scope: "work" });
    expect(alerts.items.map(({ alert_type }) => alert_type)).toEqual(["overdue", "stale"]);
    const decisions = await callTool(ctx, listMemories, { view: "alerts", memory_type: "decision" });
    expect([topics(decisions), decisions.total]).toEqual([["overdue_yesterday"], 1]);
    const history = await callTool(ctx, listMemories, { view: "history", status: "resolved" });
    expect(history).toMatchObject({ total: 1, has_more: false });
    expect(history.items[0]).toMatchObject({ topic: "resolved", days_to_resolve: 49 });
    expect(history.stats).toEqual({
      ...{ resolved_this_week: 1, resolved_this_month: 1, avg_days_to_resolve: 49 },
      completion_rate_30d: 1,
    });
    const all = await callTool(ctx, listMemories, { view: "all", query: "long", tags: "t" });
    expect(topics(all)).toEqual(["Long"]);
    expect(all.items[0]?.content).toHaveLength(500);
    await expect(callTool(ctx, listMemories, { view: "alerts", status: "resolved" })).rejects.toThrow(
      "view history or all",
    );
    await expect(callTool(ctx, listMemories, { view: "history", status: "active" })).rejects.toThrow(
      "view active",
    );
    await expect(callTool(ctx, listMemories, { limit: 101 })).rejects.toThrow(
      /^limit: .* Call list_memories again/,
    );
  });

  test("get_briefing tells each record once, counts what it tells, and rounds", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const rows = ["commitment", "blocker", "decision", "context"].flatMap((memory_type) =>
      [null, "2026-11-10", "2026-11-22", "2026-12-24"].flatMap((due_date) =>
        [LONG_AGO, "2026-11-19T08:00:00.000Z"].map((created_at) => ({ memory_type, due_date, created_at })),
      ),
    );
    await prepare(owner, [...rows, ...rows]);
    const closed = { created_at: LONG_AGO, closed_at: "2026-11-19T08:00:00.000Z" };
    const ended = ["resolved", "resolved", "archived"] as const;
    await prepare(
      owner,
      ended.map((status) => ({ ...closed, status })),
    );
    const { sections, stats } = await callTool(await ctxOf(client), getBriefing);
    const told = sections.flatMap(({ items }) => items.map(({ id }) => id));
    expect(new Set(told).size).toBe(told.length);
    expect(Object.fromEntries(sections.map(({ section, total }) => [section, total]))).toEqual({
      ...{ overdue: 16, due_soon: 16, stale: 2, blockers: 8, recent_decisions: 4 },
    });
    for (const { items, total, has_more } of sections) expect(has_more).toBe(items.length < total);
    expect(stats.completion_rate_30d).toBe(0.67);
    const history = await callTool(await ctxOf(client), listMemories, { view: "history" });
    expect(history.stats?.completion_rate_30d).toBe(0.67);
  });

  test("get_briefing includes what matters, and stays under 1,500 tokens however much there is", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const ctx = await ctxOf(client);
    expect(await callTool(ctx, getBriefing)).toMatchObject({
      sections: Array(5).fill({ items: [], total: 0, has_more: false }),
    });
    await prepareCalendar(owner);
    await prepare(owner, [
      { topic: "We take D1", memory_type: "decision", created_at: "2026-11-18T08:00:00.000Z" },
    ]);
    const briefing = await callTool(ctx, getBriefing);
    expect(briefing).toMatchObject({
      today: "2026-11-20 (Friday)",
      timezone: "UTC",
      due_soon_days: 7,
      stale_after_days: { commitment: 14, blocker: 7 },
      stats: { resolved_this_week: 1 },
    });
    const section = (name: string, of = briefing) =>
      of.sections.find((one) => one.section === name) ?? { items: [] };
    const named = (name: string, of = briefing) => topics(section(name, of));
    expect(named("overdue")).toEqual(["overdue_long", "woken_overdue", "overdue_yesterday"]);
    expect(named("due_soon")).toEqual(["due_today", "due_tomorrow"]);
    expect(named("stale")).toEqual(["stale_commitment"]);
    expect(section("blockers").items).toMatchObject([{ days_ago: 5 }, { days_stale: 10 }]);
    expect(section("overdue").items).toMatchObject([{}, {}, { what: "decision to make", days_overdue: 1 }]);
    expect(section("overdue").items[0]).not.toHaveProperty("what");
    expect(named("blockers")).toEqual(["fresh_blocker", "stale_blocker"]);
    expect(named("recent_decisions")).toEqual(["We take D1"]);
    expect(section("recent_decisions").items[0]).toMatchObject({ days_ago: 2 });
    const work = await callTool(ctx, getBriefing, { scope: "work" });
    expect([named("overdue", work), named("blockers", work)]).toEqual([["overdue_long"], []]);

    for (const word of ["Lorem ipsum dolor ", "契約書を送る", "Договор ", "🎄🎅", '"\\"{[']) {
      const text = word.repeat(500).slice(0, 500);
      const row = { topic: text, content: `${text}.`, project: text.slice(0, 200), created_at: LONG_AGO };
      await prepare(owner, [
        ...Array(40).fill(row),
        ...Array(40).fill({ ...row, due_date: "2026-11-01" }),
        ...Array(40).fill({ ...row, due_date: "2026-11-22" }),
        ...Array(40).fill({ ...row, memory_type: "blocker" }),
        ...Array(40).fill({ ...row, memory_type: "decision" }),
      ]);
      const full = await callTool(ctx, getBriefing);
      expect(estimateTokens(JSON.stringify(full))).toBeLessThanOrEqual(1500);
      for (const { section, items, has_more } of full.sections) {
        expect(items.length, section).toBeGreaterThan(0);
        expect(has_more, section).toBe(true);
      }
    }
  });
});

describe("whatever is sent, the answer is one that the route declares", () => {
  const word = fc.string({ unit: "binary", maxLength: 30 });
  const day = fc
    .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const scope = fc.constantFrom("personal", "work");
  const memory_type = fc.constantFrom(
    "commitment",
    "decision",
    "blocker",
    "pattern",
    "preference",
    "context",
  );
  const storable = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((text) => text.trim() !== "" && !text.includes("\u0000"));
  const tag = storable.filter((text) => !/^\.\.?$/.test(text.trim()));
  const said = fc.record(
    {
      memory_type,
      topic: storable,
      content: storable,
      scope: fc.option(scope),
      project: fc.option(storable),
      due_date: fc.option(day),
      tags: fc.array(tag, { maxLength: 5 }),
    },
    { requiredKeys: ["memory_type", "topic", "content"] },
  );
  const page = { limit: fc.integer({ min: 1, max: 100 }), offset: fc.integer({ min: 0, max: 1000 }) };
  const runs = { numRuns: 20 };

  test("valid records are created, changed and listed, and never refused as invalid", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    await fc.assert(
      fc.asyncProperty(said, said, async (json, change) => {
        const made = await client.call(memories.createMemoryRoute, { json });
        expect(made.status).toBe(201);
        const params = { memory_id: String(made.body.id) };
        expect((await client.call(memories.updateMemoryRoute, { params, json: change })).status).toBe(200);
        const deferred_until = change.due_date ?? undefined;
        expect(
          (await client.call(memories.deferMemoryRoute, { params, json: { deferred_until } })).status,
        ).toBeOneOf([200, 400]);
        expect((await client.call(dashboard.listAlertsRoute)).status).toBe(200);
      }),
      runs,
    );
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    expect((await client.fetch(url)).status).toBe(200);
  });

  test("valid queries are answered", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", "America/St_Johns");
    await prepareCalendar(owner);
    const query = fc.record(
      {
        ...page,
        scope,
        memory_type,
        project: fc.string({ unit: "grapheme", maxLength: 50 }),
        status: fc.constantFrom("resolved", "deferred", "archived"),
        q: storable,
        tag,
        due_before: day,
        due_after: day,
        sort: fc.constantFrom("updated_at", "created_at", "due_date"),
        order: fc.constantFrom("asc", "desc"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
        for (const route of [
          dashboard.listCommitmentsRoute,
          dashboard.listAlertsRoute,
          dashboard.listHistoryRoute,
          dashboard.getSummaryRoute,
          memories.listMemoriesRoute,
        ]) {
          const names = Object.keys(route.request.query.shape);
          const query = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
          expect((await client.call(route, { query })).status, JSON.stringify(query)).toBe(200);
        }
      }),
      runs,
    );
  });

  test("invalid values are refused with a client error", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const { id } = await client.ok(memories.createMemoryRoute, {
      json: { memory_type: "context", topic: "T", content: "C" },
    });
    const fields = fc.dictionary(
      fc.constantFrom(
        "memory_type",
        "topic",
        "content",
        "scope",
        "project",
        "due_date",
        "tags",
        "document_id",
        "deferred_until",
        "resolved_at",
        "note",
        "resolution_note",
        "operations",
        "created_at",
      ),
      fc.oneof(fc.jsonValue(), word, day),
    );
    const routes = [
      memories.updateMemoryRoute,
      memories.resolveMemoryRoute,
      memories.deferMemoryRoute,
      memories.archiveMemoryRoute,
      memories.supersedeMemoryRoute,
      memories.reopenMemoryRoute,
      memories.confirmMemoryRoute,
      memories.listMemoryEventsRoute,
      memories.getMemoryRoute,
    ];
    await fc.assert(
      fc.asyncProperty(fields, word, async (json, text) => {
        for (const [route, parts] of [
          ...routes.map((route) => [route, route.method === "get" ? {} : { json }] as const),
          [memories.createMemoryRoute, { json }],
          [memories.changeMemoriesRoute, { json }],
          [memories.createMemoryRoute, { body: text }],
        ] as const) {
          const answer = await client.call(route as typeof memories.updateMemoryRoute, {
            params: { memory_id: String(id) },
            ...parts,
          });
          expect(answer.status).toBeLessThan(500);
        }
        for (const route of [
          dashboard.listCommitmentsRoute,
          dashboard.listHistoryRoute,
          memories.listMemoriesRoute,
          memories.getMemoryRoute,
        ]) {
          const name = text.toWellFormed();
          const query = {
            limit: name,
            offset: name,
            scope: name,
            project: name,
            status: name,
            q: name,
            sort: name,
            tag: name,
          };
          const answer = await client.call(route as typeof memories.listMemoriesRoute, {
            query,
            params: { memory_id: name },
          });
          expect(answer.status).toBeLessThan(500);
        }
      }),
      runs,
    );
  });
});
