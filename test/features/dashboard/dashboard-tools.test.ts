import { expect, test } from "vitest";
import { estimateTokens } from "../../../src/features/dashboard/token-budget.ts";
import { assistant } from "../../kit/assistant.ts";
import { LONG_AGO, personAt, prepareCalendar, topics } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";

test("list_memories shows each view with its own fields, its total, and whether there is more", async () => {
  const { client, owner } = await personAt("2026-11-20T12:00:00Z", "Pacific/Niue");
  await prepareCalendar(owner);
  await prepare(owner, [
    { topic: "Long", content: "x".repeat(2000), created_at: LONG_AGO, project: "Long", tags: ["t"] },
  ]);
  const claude = await assistant(client);
  const day = { today: "2026-11-20 (Friday)" };
  const active = await claude.listMemories({ limit: "2" });
  expect(active).toMatchObject({ view: "active", total: 15, has_more: true, ...day });
  expect(active.items[0]).toEqual({
    ...{ id: expect.stringMatching(/^mem:\d+$/), memory_type: "commitment", topic: "overdue_long" },
    ...{ content: "Content", scope: "work", project: "Apollo", due_date: "2026-10-30" },
    ...{ days_ago: 51, when: "7 weeks ago, Wed 30 Sep" },
    updated_at: expect.stringMatching(/^2026-.*-11:00$/),
  });
  const blockers = await claude.listMemories({ type: "blocker" });
  expect([topics(blockers), blockers.has_more]).toEqual([["fresh_blocker", "stale_blocker"], false]);
  const alerts = await claude.listMemories({ view: "alerts", scope: "work" });
  expect(alerts.items.map(({ alert_type }) => alert_type)).toEqual(["overdue", "stale"]);
  const decisions = await claude.listMemories({ view: "alerts", memory_type: "decision" });
  expect([topics(decisions), decisions.total]).toEqual([["overdue_yesterday"], 1]);
  const history = await claude.listMemories({ view: "history", status: "resolved" });
  expect(history).toMatchObject({ total: 1, has_more: false });
  expect(history.items[0]).toMatchObject({ topic: "resolved", days_to_resolve: 49 });
  expect(history.stats).toEqual({
    ...{ resolved_this_week: 1, resolved_this_month: 1, avg_days_to_resolve: 49 },
    completion_rate_30d: 1,
    completion_30d: "1 resolved; 0 deferred and 0 archived commitments and blockers",
  });
  const all = await claude.listMemories({ view: "all", query: "long", tags: "t" });
  expect(topics(all)).toEqual(["Long"]);
  expect(all.items[0]?.content).toHaveLength(500);
  for (const [query, why] of [
    [{ view: "alerts", status: "resolved" }, "view history or all"],
    [{ view: "history", status: "active" }, "view active"],
    [{ limit: 101 }, /^limit: .* Call list_memories again/],
  ] as const)
    await expect(claude.listMemories(query)).rejects.toThrow(why);
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
  const { sections, stats } = await (await assistant(client)).getBriefing();
  const told = sections.flatMap(({ items }) => items.map(({ id }) => id));
  expect(new Set(told).size).toBe(told.length);
  expect(Object.fromEntries(sections.map(({ section, total }) => [section, total]))).toEqual({
    ...{ overdue: 16, due_soon: 16, stale: 2, blockers: 8, recent_decisions: 4 },
    preferences: 0,
  });
  for (const { items, total, has_more } of sections) expect(has_more).toBe(items.length < total);
  expect(stats.completion_rate_30d).toBe(0.67);
  const history = await (await assistant(client)).listMemories({ view: "history" });
  expect(history.stats?.completion_rate_30d).toBe(0.67);
});

test("get_briefing tells the preferences that hold, everywhere or in a project, and leaves them out when asked", async () => {
  const { client, owner } = await personAt("2026-11-20T12:00:00Z");
  const like = { memory_type: "preference", created_at: LONG_AGO };
  await prepare(owner, [
    { ...like, topic: "Tone" },
    { ...like, topic: "Tests", project: "Apollo" },
    { ...like, topic: "Tea", project: "Home", due_date: "2026-11-21" },
    ...Array.from({ length: 12 }, (_, at) => ({ ...like, topic: `Habit ${at}`, project: "Home" })),
  ]);
  const claude = await assistant(client);
  const told = async (input = {}) => {
    const { sections } = await claude.getBriefing(input);
    return sections.find(({ section }) => section === "preferences");
  };
  const all = await told();
  expect(all?.items.length).toBeGreaterThan(5);
  expect(all?.has_more).toBe(true);
  expect(topics(all ?? { items: [] })).not.toContain("Tea");
  const here = topics((await told({ project: "apollo" })) ?? { items: [] });
  expect(here.toSorted()).toEqual(["Tests", "Tone"]);
  expect(await told({ preferences: false })).toBeUndefined();
  expect((await claude.getBriefing({ project: "Apolo" })).note).toContain("Apollo");
});

test("get_briefing includes what matters, and stays under 1,500 tokens however much there is", async () => {
  const { client, owner } = await personAt("2026-11-20T12:00:00Z");
  const claude = await assistant(client);
  expect(await claude.getBriefing()).toMatchObject({
    sections: Array(6).fill({ items: [], total: 0, has_more: false }),
  });
  await prepareCalendar(owner);
  await prepare(owner, [
    { topic: "We take D1", memory_type: "decision", created_at: "2026-11-18T08:00:00.000Z" },
  ]);
  const briefing = await claude.getBriefing();
  expect(briefing).toMatchObject({
    ...{
      today: "2026-11-20 (Friday)",
      timezone: "UTC",
      due_soon_days: 7,
      stats: { resolved_this_week: 1 },
    },
    stale_after_days: { commitment: 14, blocker: 7 },
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
  const work = await claude.getBriefing({ scope: "work" });
  expect([named("overdue", work), named("blockers", work)]).toEqual([["overdue_long"], []]);

  for (const word of ["Lorem ipsum dolor ", "契約書を送る", "Договор ", "🎄🎅", '"\\"{[']) {
    const text = word.repeat(500).slice(0, 500);
    const row = { topic: text, content: `${text}.`, project: text.slice(0, 200), created_at: LONG_AGO };
    const kinds = [
      ...[{}, { due_date: "2026-11-01" }, { due_date: "2026-11-22" }],
      ...["blocker", "decision", "preference"].map((memory_type) => ({ memory_type })),
    ];
    await prepare(
      owner,
      kinds.flatMap((kind) => Array(40).fill({ ...row, ...kind })),
    );
    const full = await claude.getBriefing();
    expect(estimateTokens(JSON.stringify(full))).toBeLessThanOrEqual(1500);
    for (const { section, items, has_more } of full.sections) {
      expect(items.length, section).toBeGreaterThan(0);
      expect(has_more, section).toBe(true);
    }
  }
});
