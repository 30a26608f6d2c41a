import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../src/features/documents/routes.ts";
import { purge } from "../../src/purge.ts";
import { person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { cron, hookOf } from "../kit/hooks.ts";
import { type Meter, meterDatabase } from "../kit/meter.ts";

// What the cron handler deletes once an hour, on a busy service.

const OLD = "2025-01-01T00:00:00.000Z";
const ROWS = 3500;
const MANY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;

const countIn = (table: string, owner: number) =>
  env.DB.prepare(`SELECT count(*) AS count FROM ${table} WHERE owner = ?`).bind(owner).first<number>("count");

test("a run deletes what many hours have left behind", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const { hook } = await hookOf(ada);
  const fill = (statement: string, ...values: unknown[]) =>
    env.DB.prepare(`${MANY} ${statement}`).bind(owner, OLD, ...values);
  await env.DB.batch([
    fill(`INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      SELECT ?1, 'POST /', i, '', '', ?2 FROM n`),
    fill(
      `INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, created_at)
      SELECT i, ?1, ?3, 'document.created', '{}', ?2, 'delivered', 1, ?2 FROM n`,
      hook.id,
    ),
    fill(`INSERT INTO activity (owner, number, at, actor, verb, kind, record, has_event)
      SELECT ?1, i, ?2, 'person', 'changed', 'document', '', 0 FROM n`),
  ]);
  // Nothing of it is news for the webhook.
  await env.DB.prepare("UPDATE webhooks SET cursor = ?").bind(ROWS).run();
  await cron();
  for (const table of ["idempotency_keys", "webhook_deliveries"]) expect(await countIn(table, owner)).toBe(0);
  // The last entry stays.
  expect(await countIn("activity", owner)).toBe(1);
});

test("the trash of every account is emptied by its own object", async () => {
  const owners = [await numberOf(await person()), await numberOf(await person())];
  for (const [at, count] of [1500, 60].entries())
    await env.DB.prepare(
      `${MANY} INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at, trashed_at)
        SELECT ?1 || '-' || i, ?1, 'Old', '[]', 'api', 1, ?2, ?2, ?2 FROM n WHERE i <= ?3`,
    )
      .bind(owners[at], OLD, count)
      .run();
  await cron();
  for (const owner of owners) expect(await countIn("documents", owner)).toBe(0);
});

test("a run makes at most ten calls for a shard in which nothing is due, and reads nothing of its accounts", async () => {
  const measure = async () => {
    const meter: Meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
    const settings = { HOMES: "", STRIPE_SECRET_KEY: "", DB: meterDatabase(env.DB, meter) };
    await purge({ ...env, ...settings } as unknown as Env);
    return meter;
  };
  const fill = async () => {
    const ada = await person();
    const { id } = await ada.ok(createDocumentRoute, { json: { title: "One", tags: ["x"] } });
    await ada.ok(createDocumentRoute, { json: { title: "Two" } });
    await ada.ok(deleteDocumentRoute, { params: { document_id: id } });
  };
  await fill();
  await cron();
  const few = await measure();
  for (let n = 0; n < 10; n++) await fill();
  await cron();
  const many = await measure();
  expect(few.calls).toBeLessThanOrEqual(10);
  expect(many.calls).toBe(few.calls);
  // Users are counted.
  expect(many.rowsRead - few.rowsRead).toBeLessThanOrEqual(10);
});
