import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { OUTDATED } from "../../../src/engine/analyse.ts";
import { createMemory } from "../../../src/features/memories/store.ts";
import { type CtxUser, ctxFor } from "../../../src/platform/core/ctx.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { type Prepared, prepare } from "../../kit/memories.ts";

// The migrations that changed how records are stored keep all of them.

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" } as const;

/** The last migration before records were numbered per user. */
const BEFORE = "0008_sign_in_epoch.sql";

const INSERT_BEFORE = `INSERT INTO memories (id, owner, memory_type, topic, content, status, tags, supersedes_id,
  superseded_by_id, closed_at, source_type, version, created_at, updated_at, touched_at)
  VALUES (?, ?, 'commitment', ?, 'Content', ?, '["x"]', ?, ?, ?, 'api', 1, ?, ?, ?)`;

test("the migration keeps every number, and continues after the former shared counter", async () => {
  for (const [next, expected] of [
    [60, 60],
    [2 ** 40 + 300, 51],
  ] as const) {
    await reset();
    const at = env.MIGRATIONS.findIndex(({ name }) => name === BEFORE) + 1;
    await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, at));
    const now = "2026-01-01T00:00:00.000Z";
    const user = `INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at)
      VALUES (?, ?, ?, '', 'member', 'UTC', '{"commitment":14,"blocker":7}', ?)`;
    const record = (id: number, owner: number, status: string, links: (number | null)[]) => {
      const closed = status === "active" ? null : now;
      const event = `INSERT INTO memory_events (owner, memory_id, event, to_status, at)
        VALUES (?, ?, 'created', 'active', ?)`;
      const entry = `INSERT INTO search_entries (owner, kind, record, length, index_version)
        VALUES (?, 'memory', ?, 2, 0)`;
      return [
        env.DB.prepare(INSERT_BEFORE).bind(id, owner, `Topic ${id}`, status, ...links, closed, now, now, now),
        env.DB.prepare(event).bind(owner, id, now),
        env.DB.prepare(entry).bind(owner, String(id)),
      ];
    };
    await env.DB.batch([
      env.DB.prepare(user).bind(1, "a", "a@example.com", now),
      env.DB.prepare(user).bind(2, "b", "b@example.com", now),
      ...record(7, 1, "archived", [null, 50]),
      ...record(8, 2, "active", [null, null]),
      ...record(50, 1, "active", [7, null]),
      ...record(2 ** 41, 1, "active", [null, null]),
      env.DB.prepare("UPDATE memory_ids SET next = ?").bind(next),
    ]);
    await applyD1Migrations(env.DB, env.MIGRATIONS);
    const list = async (query: string) => (await env.DB.prepare(query).raw()).map((row) => row.join(" "));
    const last = 2 ** 41;
    const links = "SELECT owner, id, supersedes_id, superseded_by_id FROM memories ORDER BY owner, id";
    expect(await list(links)).toEqual(["1 7  50", "1 50 7 ", `1 ${last}  `, "2 8  "]);
    const events = "SELECT owner, memory_id, id, event FROM memory_events ORDER BY owner, memory_id";
    expect(await list(events)).toEqual([
      ...["1 7 1 created", "1 50 3 created", `1 ${last} 4 created`, "2 8 2 created"],
    ]);
    const totals = "SELECT owner, entries, length FROM search_totals ORDER BY owner";
    expect(await list(totals)).toEqual(["1 3 6", "2 1 2"]);
    const states =
      "SELECT owner, sum(active), sum(archived) FROM memory_totals WHERE project = '' GROUP BY 1";
    expect(await list(states)).toEqual(["1 2 1", "2 1 0"]);
    const ctx = ctxFor(openBaseCtx(env.DB), { number: 1, timezone: "UTC" } as CtxUser);
    expect((await createMemory(ctx, RECORD, { source_type: "api" })).id).toBe(expected);
  }
});

test("the migration of the lists keeps every record, and corrects when a deferred one wakes", async () => {
  await reset();
  const before = env.MIGRATIONS.findIndex(({ name }) => name === "0016_memory_rows.sql");
  await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, before));
  const user = `INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at,
    last_memory_id) VALUES (?, ?, ?, '', 'member', ?, '{"commitment":14,"blocker":7}', '2026-01-01T00:00:00.000Z', 9)`;
  await env.DB.batch([
    env.DB.prepare(user).bind(1, "a", "a@example.com", "UTC"),
    env.DB.prepare(user).bind(2, "b", "b@example.com", "Europe/Berlin"),
  ]);
  const created_at = "2026-01-01T00:00:00.000Z";
  const sleeping = { status: "deferred", deferred_until: "2026-12-24", created_at } as const;
  const rows = [
    { created_at, tags: ["x"], project: "Apollo" },
    { ...sleeping, touched_at: "2026-12-23T23:00:00.000Z" },
    { ...sleeping, touched_at: created_at },
    { status: "resolved", created_at },
  ] as const;
  await prepare(1, [...rows] as Prepared[]);
  await prepare(2, [...rows] as Prepared[]);
  const all = (columns: string, table: string) =>
    env.DB.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2, 3`).raw();
  const kept = () =>
    Promise.all([
      all("owner, id, status, tags, project, version", "memories"),
      all("*", "memory_totals"),
      all("*", "memory_tags"),
    ]);
  const was = await kept();
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await kept()).toEqual(was);
  expect(await all("owner, id, touched_at", "memories WHERE status = 'deferred'")).toEqual([
    [1, 11, "2026-12-24T00:00:00.000Z"],
    [1, 12, "2026-12-24T00:00:00.000Z"],
    [2, 11, "2026-12-23T23:00:00.000Z"],
    [2, 12, "2026-12-24T00:00:00.000Z"],
  ]);
  const ctx = ctxFor(openBaseCtx(env.DB), { number: 1, timezone: "UTC" } as CtxUser);
  expect((await createMemory(ctx, RECORD, { source_type: "api" })).id).toBe(14);
});

test("the index of outdated search entries has the condition by which they are looked up", async () => {
  for (const outdated of [OUTDATED, `index_version >= 0 AND ${OUTDATED}`]) {
    const asked = `SELECT * FROM search_entries WHERE ${outdated} ORDER BY index_version, entry`;
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${asked}`).all<{ detail: string }>();
    expect(results.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("USING INDEX search_entries_outdated_idx"),
    ]);
  }
});
