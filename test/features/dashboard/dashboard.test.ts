import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { EDITABLE_FIELDS } from "../../../src/contract/memory.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { purge } from "../../../src/purge.ts";
import { person, signIn } from "../../kit/client.ts";
import { HISTORY, ids, LONG_AGO, personAt, prepareCalendar, topics } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";
import { at, change, make, step } from "../../kit/records.ts";

describe("GET /api/dashboard/commitments", () => {
  test("has active commitments: overdue ones first, then by due date, then the rest, newest first", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const list = await client.ok(dashboard.listCommitmentsRoute);
    expect(topics(list)).toEqual([
      ...["overdue_long", "woken_overdue", "due_today", "due_tomorrow", "due_next_year"],
      ...["fresh", "nearly_stale", "stale_commitment", "woken", "confirmed"],
    ]);
    expect(list.total).toBe(10);
    expect(list.items[0]).toEqual({
      ...{ id: expect.any(Number), topic: "overdue_long", content: "Content", status: "active" },
      ...{ created_at: LONG_AGO, updated_at: LONG_AGO, days_ago: 50 },
      ...{ project: "Apollo", scope: "work", due_date: "2026-10-30" },
    });
    const empty = { project: null, scope: null, due_date: null };
    expect(list.items[8]).toMatchObject({ topic: "woken", status: "active", ...empty });
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
    for (const query of [
      ...[{ limit: "0" }, { limit: "101" }, { limit: "x" }, { limit: "" }],
      ...[{ scope: "both" }, { scope: "" }],
    ] as Record<string, string>[]) {
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
    expect(
      Object.keys(list.items[0] ?? {})
        .sort()
        .join(" "),
    ).toBe(
      "alert_type content created_at days_ago days_overdue due_date id project scope status topic updated_at",
    );
    const work = await client.ok(dashboard.listAlertsRoute, { query: { scope: "work" } });
    expect([topics(work), work.total]).toEqual([["overdue_long", "stale_commitment"], 2]);
    const personal = await client.ok(dashboard.listAlertsRoute, { query: { scope: "personal" } });
    expect([topics(personal), personal.total]).toEqual([["stale_blocker"], 1]);
    const page = await client.ok(dashboard.listAlertsRoute, { query: { limit: 2, offset: 2 } });
    expect([topics(page), page.total]).toEqual([ALERTS.slice(2, 4), 5]);
  });

  const ALWAYS = ["overdue_long", "woken_overdue", "stale_commitment", "stale_blocker"];

  test.each([
    // It is 2026-11-21 on Kiritimati: what is due on the 20th is overdue, and a day more has passed for all.
    [
      ...["Pacific/Kiritimati", "2026-11-20T12:00:00Z"],
      [...ALWAYS, "asleep", "overdue_yesterday", "due_today", "nearly_stale"],
    ],
    // It is still 2026-11-19 on Niue.
    ["Pacific/Niue", "2026-11-20T10:00:00Z", ALWAYS],
  ] as [string, string, string[]][])("follows the calendar of %s", async (timezone, now, expected) => {
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
    const idOf = (topic: string) => [...names].find(([, name]) => name === topic)?.[0] ?? 0;
    await step(client, { id: idOf("stale_commitment") }, "confirm");
    expect(await stale()).toEqual(["nearly_stale", "confirmed"]);
    await change(client, { id: idOf("nearly_stale") }, { content: "Still open" });
    expect(await stale()).toEqual(["confirmed"]);
  });

  test("only a change of what a record says or when it is due ends its staleness, not how it is filed", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const { id: document_id } = await client.ok(createDocumentRoute, { json: { title: "Plan" } });
    const filed = {
      ...{ memory_type: "blocker", tags: ["new"], scope: "personal", project: "Gemini", document_id },
      ...{ happened_on: "2026-10-01", priority: "high", owed: "to_me" },
    } as const;
    const said = { topic: "Newer", content: "Newer", due_date: "2026-12-24" } as const;
    const planned = ["due_time", "remind", "remind_until_done", "repeat", "repeat_from"];
    expect([...Object.keys({ ...filed, ...said }), ...planned].sort()).toEqual([...EDITABLE_FIELDS].sort());
    const stale = async () => (await client.ok(dashboard.listAlertsRoute)).items;
    const like = { created_at: LONG_AGO, project: "Apollo", scope: "work" } as const;
    const [first, ...others] = (await prepare(owner, Array(4).fill(like))).map((id) => ({ id }));
    if (!first) throw new Error("None was made");
    for (const [name, value] of Object.entries(filed)) {
      const { updated_at } = await change(client, first, { [name]: value });
      expect(updated_at, name).toBe("2026-11-20T12:00:00.000Z");
      const one = (await stale()).find(({ id }) => id === first.id);
      expect(one, name).toMatchObject({ alert_type: "stale", days_stale: 50 });
    }
    const rename = { project: "Apollo", content: "Content", topic: "Topic" };
    expect((await change(client, first, rename)).project).toBe("Apollo");
    expect(await stale()).toHaveLength(4);
    for (const [index, [name, value]] of Object.entries(said).entries()) {
      await change(client, others[index] ?? first, { [name]: value, project: "Gemini" });
      expect((await stale()).length, name).toBe(3 - index);
    }
    await change(client, others[2] ?? first, { due_date: null });
    expect(await stale()).toHaveLength(1);
  });

  test("a deferred record is not stale on the day on which it wakes, but becomes so if it is left unchanged", async () => {
    const { client, email } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
    const sleeper = await make(client, { topic: "Sleeper", created_at: LONG_AGO });
    expect(topics(await client.ok(dashboard.listAlertsRoute))).toEqual(["Sleeper"]);
    await step(client, sleeper, "defer", { deferred_until: "2026-11-25" });
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
    const work = await client.ok(dashboard.getSummaryRoute, { query: { scope: "work" } });
    const due = { overdue: 1, due_today: 0, due_in_7_days: 1 };
    expect(work).toMatchObject({ by_status: { ...none, active: 3 }, ...due });
  });
});

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
    const rows = [
      [{}, 50, 175, ...all],
      [{ limit: 100, offset: 100 }, 75, 175, ...all],
      [{ offset: 175 }, 0, 175, ...all],
      [{ status: "resolved" }, 50, 120, ...all],
      [{ status: "deferred" }, 25, 25, ...all],
      [{ status: "archived", limit: 1 }, 1, 30, ...all],
      // Work: 30 resolved, 10 deferred, 10 woken.
      [{ scope: "work" }, 40, 40, 30, 30, 2, 0.75],
      [{ scope: "personal" }, 20, 20, 0, 20, 5, 1],
      // Apollo: 20 after 2 days, 45 after 1 day: 85 ÷ 65 = 1.31.
      [{ project: "Apollo" }, 50, 65, 20, 20, 1.3, 1],
      [{ project: "Apollo", scope: "work" }, 20, 20, 20, 20, 2, 1],
      [{ project: "Apollo", scope: "personal" }, 0, 0, 0, 0, null, null],
      [{ memory_type: "decision" }, 20, 20, 0, 20, 5, 1],
      [{ memory_type: "blocker" }, 10, 10, 0, 0, null, null],
      [{ memory_type: "commitment", project: "Apollo" }, 50, 65, 20, 20, 1.3, 1],
    ] as [Record<string, string | number>, ...unknown[]][];
    for (const [query, ...expected] of rows)
      expect(await ask(query), JSON.stringify(query)).toEqual(expected);
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
    const always = { resolved_this_month: 1, completion_rate_30d: 1 };
    expect(stats).toMatchObject({ resolved_this_week: count, ...always });
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

  test("has no completion rate while records were only deferred", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    const rate = async () => (await client.ok(dashboard.listHistoryRoute)).stats.completion_rate_30d;
    const left = { created_at: LONG_AGO, closed_at: "2026-11-18T12:00:00.000Z" };
    await prepare(owner, [{ ...left, status: "deferred", deferred_until: "2026-12-01" }]);
    expect(await rate()).toBeNull();
    await prepare(owner, [{ ...left, status: "archived" }]);
    expect(await rate()).toBe(0);
  });

  test("has each closed record with every field, last closed first", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Pacific/Kiritimati");
    const first = {
      ...({ topic: "First", content: "Said", memory_type: "blocker", scope: "work" } as const),
      ...({
        project: "Apollo",
        due_date: "2026-11-30",
        status: "resolved",
        resolution_note: "Done",
      } as const),
      ...{ created_at: "2026-11-01T09:00:00.000Z", updated_at: "2026-11-19T09:00:00.000Z" },
    };
    const closed = (status: "archived" | "deferred", closed_at: string) => ({
      ...{
        status,
        created_at: LONG_AGO,
        closed_at,
        deferred_until: status === "deferred" ? "2026-12-01" : null,
      },
    });
    const made = await prepare(owner, [
      { ...first, closed_at: "2026-11-03T11:00:00.000Z" },
      closed("archived", "2026-11-04T08:00:00.000Z"),
      closed("deferred", "2026-11-02T08:00:00.000Z"),
      { created_at: LONG_AGO },
    ]);
    const list = await client.ok(dashboard.listHistoryRoute);
    expect(ids(list)).toEqual([made[1], made[0], made[2]]);
    const resolved = { resolved_at: "2026-11-03T11:00:00.000Z", days_to_resolve: 3 };
    expect(list.items[1]).toEqual({ id: made[0], ...first, ...resolved });
    expect(list.items[2]).toMatchObject({ status: "deferred", resolved_at: null, days_to_resolve: null });
  });

  test("of an empty account has zeros and nulls, and refuses what is out of range", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const zeros = { resolved_this_week: 0, resolved_this_month: 0 };
    const stats = { ...zeros, avg_days_to_resolve: null, completion_rate_30d: null };
    expect(await client.ok(dashboard.listHistoryRoute)).toEqual({ items: [], total: 0, stats });
    for (const query of [
      ...[{ limit: "0" }, { limit: "101" }, { offset: "-1" }],
      ...[{ status: "active" }, { memory_type: "idea" }, { scope: "all" }],
    ] as Record<string, string>[]) {
      const { status } = await client.refusal(dashboard.listHistoryRoute, { query });
      expect(status, JSON.stringify(query)).toBe(422);
    }
  });

  test("stays correct through every change of status", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const created = (created_at: string) =>
      make(client, { project: "Apollo", created_at }).then(({ id }) => ({ params: at({ id }) }));
    const [one, two] = [await created("2026-11-18T12:00:00Z"), await created("2026-11-10T12:00:00Z")];
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

test("another account's dashboard has none of these records, totals and statistics", async () => {
  const { owner } = await personAt("2026-11-20T12:00:00Z");
  await prepareCalendar(owner);
  await prepare(owner, HISTORY);
  const bob = await person();
  for (const query of [{}, { scope: "work" }] as Record<string, string>[]) {
    const none = { items: [], total: 0 };
    expect(await bob.ok(dashboard.listCommitmentsRoute, { query })).toEqual(none);
    expect(await bob.ok(dashboard.listAlertsRoute, { query })).toEqual(none);
    expect(await bob.ok(dashboard.listHistoryRoute, { query })).toMatchObject({
      ...none,
      stats: { resolved_this_month: 0, avg_days_to_resolve: null, completion_rate_30d: null },
    });
    const empty = { by_memory_type: [], by_project: [], overdue: 0, due_in_7_days: 0, stale: 0 };
    expect(await bob.ok(dashboard.getSummaryRoute, { query })).toMatchObject(empty);
  }
});
