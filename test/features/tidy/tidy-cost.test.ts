import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { startLook } from "../../../src/features/tidy/job.ts";
import { listFindings } from "../../../src/features/tidy/list-store.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { inUsualSteps, untilDone } from "../../kit/jobs.ts";

// What a look and its list cost depends on the account alone, and a list only on what was found.

const RECORDS = 2000;
const PAGE = { limit: 20, offset: 0, kept: false };

/** Adds this many records; every fifth one exists twice. */
const fill = (owner: number, count: number) =>
  env.DB.prepare(`INSERT INTO memories (id, owner, memory_type, topic, content, status, tags, source_type, version, created_at, updated_at, touched_at)
    SELECT value, ?1, 'context', 'Topic of ' || (value - (value % 5 = 0)), 'What is said of it in many words: ' || (value - (value % 5 = 0)), 'active', '[]', 'api', 1,
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`)
    .bind(owner, count)
    .run();

async function costOf(client: Client) {
  const base = await ctxOf(client);
  const [looked, listed] = [meteredCtx(base), meteredCtx(base)];
  const { job } = await startLook(looked.ctx);
  if (job) await untilDone(client);
  const answer = await listFindings(listed.ctx, PAGE);
  return { look: { ...looked.meter, isJob: job !== undefined }, list: listed.meter, total: answer.total };
}

test("a look reads each record and its size, writes a few rows for a thousand, and a list reads what was found", async () => {
  inUsualSteps();
  const [ada, bob] = [await person(), await person()];
  await fill(await numberOf(ada), RECORDS);
  const alone = await costOf(ada);
  await fill(await numberOf(bob), 2 * RECORDS);
  const { look: again, list } = await costOf(ada);
  expect(alone.total).toBe(200);
  expect(again.rowsRead).toBeLessThanOrEqual(1.1 * alone.look.rowsRead + 20);
  expect(list.rowsRead).toBeLessThanOrEqual(alone.list.rowsRead + 5);
  expect(alone.list.batches).toBe(3);
  if (alone.look.isJob) return;
  expect(alone.look.rowsRead).toBeLessThanOrEqual(4.2 * RECORDS + 200);
  expect(alone.look.rowsWritten).toBeLessThanOrEqual(40 + (4 * RECORDS) / 1000);
});
