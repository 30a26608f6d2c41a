import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import type { Memory } from "../../../src/contract/memory.ts";
import type { Env } from "../../../src/env.ts";
import { runMemoryAction } from "../../../src/features/memories/action-store.ts";
import { changeMemoriesRoute } from "../../../src/features/memories/routes.ts";
import { deliverReminders } from "../../../src/features/reminders/deliver.ts";
import { nextReminderAt } from "../../../src/features/reminders/deliver-store.ts";
import type { Database } from "../../../src/platform/core/statement.ts";

import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { personAt } from "../../kit/dashboard.ts";
import { hookOf } from "../../kit/hooks.ts";
import { random as randomOf } from "../../kit/random.ts";
import { slowReminder } from "../../kit/slow-reminders.ts";

// A year of reminders, with a clock that is moved from one to the next, and a service that is stopped again and again. It is
// far ahead: an alarm of the account, which follows the real clock, must not ring in between.

afterEach(() => {
  vi.useRealTimers();
});

const ZONES = [
  "America/St_Johns",
  "Pacific/Apia",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
] as const;

/** In each zone. The gate takes a part of them, the nightly run a thousand in all. */
const RECORDS = env.NIGHTLY ? 200 : 16;
/** Every so often the service is stopped right before it writes down that a reminder was given. */
const STOPPED_EVERY = 7;
/** What is due is read in one, subscriptions that have ended are removed in another, and this one moves reminders on. */
const LAST_BATCH = 3;

/** A database that answers what is read, and is gone when it is to be written that reminders were given. */
function stoppedAtItsLastCall(db: Database): Database {
  let batches = 0;
  const batch: Database["batch"] = (statements) => {
    batches += 1;
    if (batches === LAST_BATCH) throw new Error("Stopped");
    return db.batch(statements);
  };
  return Object.assign(Object.create(db) as Database, { batch });
}

const two = (number: number) => String(number).padStart(2, "0");

/** A record of the year to come: with an hour or without, with several reminders or the usual one, or again and again. */
function planned(random: (below: number) => number, index: number) {
  const day = `2037-${two(1 + random(12))}-${two(1 + random(28))}`;
  // No clock is changed after four in the morning.
  const due_time = `${two(4 + random(20))}:${two(random(60))}`;
  const kinds = [
    { due_time },
    { due_time, remind: [{ before: "P1D" }, { before: "PT30M" }] },
    { remind: [{ before: "PT0S" }, { at: `${day}T${due_time}` }] },
    { due_time, repeat: "FREQ=MONTHLY" },
    { due_time, repeat: "FREQ=WEEKLY;INTERVAL=3", repeat_from: "done", remind: [{ before: "PT45M" }] },
  ];
  const said = { memory_type: "commitment", topic: `Call ${index}`, content: "About the offer" };
  return { operation: "create", ...said, due_date: day, ...kinds[index % kinds.length] };
}

type Row = { id: number; remind: string | null; repeat: string | null; remind_at: string | null } & Pick<
  Memory,
  "status" | "deferred_until" | "due_date" | "due_time" | "remind_until_done"
>;

const rowsOf = async (owner: number, from = 0) =>
  (await env.DB.prepare("SELECT * FROM memories WHERE owner = ? AND id > ?").bind(owner, from).all<Row>())
    .results;

/** All reminders of a record from an instant on. */
function promisedBy(row: Row, zone: string, from: number): string[] {
  const record = { ...row, remind: JSON.parse(row.remind ?? "null"), remind_until_done: false };
  const instants: string[] = [];
  for (let at = slowReminder(record, zone, from); at; at = slowReminder(record, zone, Date.parse(at)))
    instants.push(`${row.id} ${at}`);
  return instants;
}

const LAST_DAY = "2037-12-31";

test.for(ZONES)(
  "in a year each record is reminded of once, in the minute for which it asks: %s",
  async (zone) => {
    const { client, owner } = await personAt("2036-12-01T00:00:00Z", zone);
    const { hook } = await hookOf(client, { events: ["commitment.reminder"] });
    const next = randomOf(26 + zone.length);
    const random = (below: number) => Math.floor(next() * below);
    const records = Array.from({ length: RECORDS }, (_, index) => planned(random, index));
    for (let start = 0; start < RECORDS; start += 50)
      await client.ok(changeMemoriesRoute, { json: { operations: records.slice(start, start + 50) } });
    const rows = await rowsOf(owner);
    expect(rows.length).toBe(RECORDS);
    const promised = rows.flatMap((row) => promisedBy(row, zone, Date.now()));

    const account = await ctxOf(client);
    let [steps, newest] = [0, Math.max(...rows.map(({ id }) => id))];
    for (;;) {
      // Each time the account is woken is an invocation of its own, with as many calls as that may make.
      const ctx = { ...account, ...openBaseCtx(env.DB) };
      const [due] = await ctx.db.all<{ at: string | null }>(
        sql`SELECT ${nextReminderAt(sql`${owner}`)} AS at`,
      );
      if (!due?.at) break;
      const now = new Date(Date.parse(due.at) + 1000);
      vi.setSystemTime(now);
      steps += 1;
      if (steps % STOPPED_EVERY === 0) {
        const stopped = { ...ctx, now, db: stoppedAtItsLastCall(ctx.db) };
        await expect(deliverReminders(stopped, env as unknown as Env)).rejects.toThrow("Stopped");
      }
      await deliverReminders({ ...ctx, now }, env as unknown as Env);
      // What repeats is done when it has been reminded of, and comes again until the year is over.
      const done = (await rowsOf(owner)).filter(
        ({ repeat, status, remind_at, due_date }) =>
          repeat && status === "active" && !remind_at && (due_date ?? "") <= LAST_DAY,
      );
      for (const { id } of done)
        await runMemoryAction(
          { ...ctx, now, changes: [] },
          id,
          { action: "resolve" },
          { source_type: "web" },
        );
      for (const row of await rowsOf(owner, newest)) {
        promised.push(...promisedBy(row, zone, now.getTime()));
        newest = row.id;
      }
    }
    const { results: told } = await env.DB.prepare(
      "SELECT data ->> 'memory_id' AS id, data ->> 'remind_at' AS remind_at, occurred_at FROM webhook_deliveries WHERE webhook_id = ?",
    )
      .bind(hook.id)
      .all<{ id: number; remind_at: string; occurred_at: string }>();
    expect(told.length).toBeGreaterThan(RECORDS);
    expect(told.map(({ id, remind_at }) => `${id} ${remind_at}`).sort()).toEqual(promised.sort());
    const late = told.filter(
      ({ remind_at, occurred_at }) => Date.parse(occurred_at) - Date.parse(remind_at) > 60_000,
    );
    expect(late).toEqual([]);
  },
);
