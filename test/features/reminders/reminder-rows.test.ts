import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { moveRemindAtStatements } from "../../../src/features/memories/remind-store.ts";
import { advanceReminders, findDueReminders } from "../../../src/features/reminders/deliver-store.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { sendBatch } from "../../../src/platform/db/call.ts";
import { person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";

// How many rows reminders read and write, which is what D1 bills, beside many records that remind of nothing now.

const RECORDS = 1000;
const GIVEN = 50;
const NOW = new Date("2026-11-20T12:00:00Z");

/** An account of many records. Half of them have a reminder, which has come for some. */
async function busy(): Promise<Ctx> {
  const ada = await person();
  const owner = await numberOf(ada);
  const record = { due_date: "2026-12-24", created_at: "2026-11-01T08:00:00.000Z" };
  for (const _ of [1, 2]) await prepare(owner, Array(RECORDS).fill(record));
  await env.DB.prepare(
    `UPDATE memories SET due_time = '17:00', remind = '[{"before":"PT0S"}]',
      remind_at = iif(id <= ?2, '2026-11-20T11:00:00.000Z', '2026-12-24T17:00:00.000Z') WHERE owner = ?1 AND id <= ?3`,
  )
    .bind(owner, GIVEN, RECORDS)
    .run();
  return ctxOf(ada, NOW);
}

async function count(base: Ctx, work: (ctx: Ctx) => Promise<unknown>) {
  const { ctx, meter } = meteredCtx(base);
  await work(ctx);
  return { read: meter.rowsRead, written: meter.rowsWritten };
}

test("reminders that are given read and write their own records and no others", async () => {
  const ctx = await busy();
  const { found } = await findDueReminders(ctx);
  expect(found).toHaveLength(GIVEN);
  expect((await count(ctx, findDueReminders)).read).toBeLessThan(GIVEN + 10);
  const given = await count(ctx, (metered) => advanceReminders(metered, found, found));
  expect(given.read).toBeLessThan(7 * GIVEN);
  // Each record, and its entries in two indexes.
  expect(given.written).toBe(3 * GIVEN);
});

test("a journey reads and writes each reminder that is to come a few times, however many there are", async () => {
  const ctx = await busy();
  const journey = await count(ctx, async (metered) =>
    sendBatch(metered, await moveRemindAtStatements(metered, { from: "UTC", to: "Asia/Tokyo" })),
  );
  expect(journey.read).toBeLessThan(12 * RECORDS);
  expect(journey.written).toBeLessThanOrEqual(3 * RECORDS);
});
