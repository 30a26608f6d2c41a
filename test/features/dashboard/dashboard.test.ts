import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EDITABLE_FIELDS } from "../../../src/contract/memory.ts";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { purge } from "../../../src/purge.ts";
import { person, signIn, visitor } from "../../kit/client.ts";
import { HISTORY, LONG_AGO, personAt, prepareCalendar, topics } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";

afterEach(() => {
  vi.useRealTimers();
});

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
      ...{
        memory_type: "blocker",
        tags: ["new"],
        scope: "personal",
        project: "Gemini",
        happened_on: "2026-10-01",
      },
      ...{ priority: "high", owed: "to_me" },
      document_id,
    } as const;
    const said = { topic: "Newer", content: "Newer", due_date: "2026-12-24" } as const;
    const planned = ["due_time", "remind", "remind_until_done", "repeat", "repeat_from"];
    expect([...Object.keys({ ...filed, ...said }), ...planned].sort()).toEqual([...EDITABLE_FIELDS].sort());
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
