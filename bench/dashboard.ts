import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { getPlatformProxy } from "wrangler";
import * as dashboard from "../src/features/dashboard/store.ts";
import { type Ctx, type CtxUser, ctxFor } from "../src/platform/core/ctx.ts";
import { openDatabase } from "../src/platform/db/call.ts";
import { openSession } from "../src/platform/db/session.ts";
import { metered } from "../test/kit/meter.ts";

// Measures how many rows each answer of the dashboard reads, for growing numbers of records, alone and beside 100 other
// users. `node bench/dashboard.ts` runs it alone; bench/bench.ts includes it.

const NOW = new Date("2026-11-20T12:00:00Z");
const STEP = 5_000;
const OTHERS = { users: 100, records: 1_000 };

/** The cost of one answer at one size. */
export type DashboardCost = {
  records: number;
  others: number;
  answer: string;
  returned: number;
  total: number;
  rows_read: number;
  milliseconds: number;
};

const INSERT_USERS = `
  INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
  SELECT i, 'user-' || i, i || '@example.com', '', 'member', 'UTC', '{"commitment":14,"blocker":7}',
    '2026-01-01T00:00:00.000Z' FROM n`;

/**
 * Records from two years. Of 100: 20 active (5 with a due date around today), 60 resolved, 12 archived, 8 deferred. Six
 * types, two scopes or none, fifty projects or none.
 */
const INSERT_MEMORIES = `
  INSERT INTO memories (id, owner, memory_type, topic, content, status, scope, project, tags, due_date, deferred_until,
    resolved_at, source_type, version, created_at, updated_at, closed_at, touched_at)
  WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3),
  r AS (SELECT i, (i * 7919) % 100 AS kind, (i * 104729) % 63072000 AS age FROM n),
  d AS (SELECT *, CASE WHEN kind < 20 THEN 'active' WHEN kind < 80 THEN 'resolved' WHEN kind < 92 THEN 'archived'
      ELSE 'deferred' END AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', ?4, '-' || age || ' seconds') AS closed FROM r)
  SELECT i, ?1,
    CASE WHEN i % 10 < 5 THEN 'commitment' ELSE
      json_extract('["decision","blocker","pattern","preference","context"]', '$[' || (i % 5) || ']') END,
    'Topic ' || i, 'Something that was promised in the meeting ' || i, status,
    json_extract('["personal","work",null]', '$[' || ((i / 10) % 3) || ']'),
    CASE WHEN i % 4 THEN 'Project ' || ((i / 7) % 50) END, '[]',
    CASE WHEN kind < 5 THEN date(?4, (((i * 31) % 400) - 20) || ' days') END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date(?4, (1 + (i % 300)) || ' days') END,
    CASE WHEN status = 'resolved' THEN closed END, 'api', 1,
    strftime('%Y-%m-%dT%H:%M:%fZ', closed, '-' || (i % 20) || ' days'), closed,
    CASE WHEN status <> 'active' THEN closed END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date(?4, (1 + (i % 300)) || ' days') || 'T00:00:00.000Z' ELSE closed END
  FROM d`;

async function fill(db: D1Database, owner: number, first: number, last: number): Promise<void> {
  for (let from = first; from <= last; from += STEP) {
    const to = Math.min(last, from + STEP - 1);
    await db.prepare(INSERT_MEMORIES).bind(owner, from, to, NOW.toISOString()).run();
  }
}

const PAGE = { limit: 50, offset: 0 };

/** The answers, with their defaults and with the filters that a user would set. */
const ANSWERS: Record<string, (ctx: Ctx) => Promise<{ items?: unknown[]; total?: number }>> = {
  "commitments limit=20": (ctx) => dashboard.listCommitments(ctx, { limit: 20 }),
  "commitments scope": (ctx) => dashboard.listCommitments(ctx, { limit: 20, scope: "work" }),
  "commitments project": (ctx) => dashboard.listCommitments(ctx, { limit: 20, project: "Project 7" }),
  "commitments scope project": (ctx) =>
    dashboard.listCommitments(ctx, { limit: 20, scope: "work", project: "Project 7" }),
  "alerts limit=100": (ctx) => dashboard.listAlerts(ctx, { limit: 100, offset: 0 }),
  "alerts scope": (ctx) => dashboard.listAlerts(ctx, { limit: 100, offset: 0, scope: "work" }),
  "history limit=50": (ctx) => dashboard.listHistory(ctx, PAGE),
  "history status": (ctx) => dashboard.listHistory(ctx, { ...PAGE, status: "archived" }),
  "history scope": (ctx) => dashboard.listHistory(ctx, { ...PAGE, scope: "work" }),
  "history project": (ctx) => dashboard.listHistory(ctx, { ...PAGE, project: "Project 7" }),
  "history scope project": (ctx) =>
    dashboard.listHistory(ctx, { ...PAGE, scope: "work", project: "Project 7" }),
  "history memory_type": (ctx) => dashboard.listHistory(ctx, { ...PAGE, memory_type: "decision" }),
  "history scope memory_type": (ctx) =>
    dashboard.listHistory(ctx, { ...PAGE, scope: "work", memory_type: "blocker" }),
  summary: async (ctx) => ({ items: [await dashboard.getSummary(ctx, {})] }),
};

const userOf = (number: number): CtxUser => ({
  id: `user-${number}`,
  number,
  email: `${number}@example.com`,
  email_verified_at: null,
  name: null,
  role: "member",
  timezone: "UTC",
  stale_after_days: { commitment: 14, blocker: 7 },
  created_at: NOW.toISOString(),
});

async function measure(db: D1Database, size: { records: number; others: number }): Promise<DashboardCost[]> {
  const costs: DashboardCost[] = [];
  for (const [answer, ask] of Object.entries(ANSWERS)) {
    const { session, meter } = metered(openSession(db));
    const started = performance.now();
    const given = await ask(ctxFor({ db: openDatabase(session), now: NOW, shard: 1 }, userOf(1)));
    const milliseconds = Math.round(performance.now() - started);
    if (meter.batches !== 1) throw new Error(`${answer} took ${meter.batches} batches`);
    const { items = [], total = 0 } = given;
    costs.push({ ...size, answer, returned: items.length, total, rows_read: meter.rowsRead, milliseconds });
  }
  return costs;
}

/** Fills an empty database step by step and measures at each size, at the last one also beside other users. */
export async function benchDashboard(sizes: number[] = [1_000, 10_000, 100_000]): Promise<DashboardCost[]> {
  const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({
    configPath: "bench/wrangler.toml",
    persist: false,
  });
  const migrations = await readD1Migrations("./migrations");
  for (const query of migrations.flatMap(({ queries }) => queries)) await env.DB.prepare(query).run();
  await env.DB.prepare(INSERT_USERS)
    .bind(OTHERS.users + 1)
    .run();
  const costs: DashboardCost[] = [];
  let filled = 0;
  for (const records of sizes) {
    await fill(env.DB, 1, filled + 1, records);
    filled = records;
    costs.push(...(await measure(env.DB, { records, others: 0 })));
  }
  for (let user = 2; user <= OTHERS.users + 1; user++) {
    await fill(env.DB, user, filled + 1, filled + OTHERS.records);
    filled += OTHERS.records;
  }
  costs.push(...(await measure(env.DB, { records: sizes.at(-1) ?? 0, others: OTHERS.users })));
  await dispose();
  return costs;
}

if (import.meta.main) console.table(await benchDashboard());
