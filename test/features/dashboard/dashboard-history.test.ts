import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { purge } from "../../../src/purge.ts";
import { HISTORY, ids, LONG_AGO, personAt } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";

afterEach(() => {
  vi.useRealTimers();
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
