import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as routes from "../../../src/features/webhooks/routes.ts";
import { AppPage, personInApp } from "../../kit/app-page.ts";
import { person } from "../../kit/client.ts";
import { hookOf } from "../../kit/hooks.ts";

// A test and a replay make the service send a request at once, to an address that a user has chosen.

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

describe("tests and replays", () => {
  test("are thirty a minute for each account", async () => {
    const [ada, eve] = [await person(), await person()];
    const { params } = await hookOf(ada);
    const ask = () => ada.call(routes.testWebhookRoute, { params });
    const first = await ada.ok(routes.testWebhookRoute, { params });
    const replay = { params: { ...params, delivery_id: first.id } };
    expect((await ada.call(routes.replayDeliveryRoute, replay)).status).toBe(200);
    expect(new Set(statuses(await Promise.all(Array.from({ length: 28 }, ask))))).toEqual(new Set([200]));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await ada.call(routes.replayDeliveryRoute, replay)).status).toBe(429);
    const { params: others } = await hookOf(eve);
    expect((await eve.call(routes.testWebhookRoute, { params: others })).status).toBe(200);
    expect((await ada.ok(routes.listDeliveriesRoute, { params })).total).toBe(29);
  });

  test("a repetition with the same key sends nothing and does not count", async () => {
    const page = await personInApp(`${crypto.randomUUID()}@example.com`, {
      env: { RATE_LIMIT_WEBHOOK_TEST: "1/60" },
    });
    const { params } = await hookOf(page);
    const once = { params, headers: { "Idempotency-Key": "once" } };
    const first = await page.ok(routes.testWebhookRoute, once);
    expect(await page.ok(routes.testWebhookRoute, once)).toEqual(first);
    expect((await page.call(routes.testWebhookRoute, { params })).status).toBe(429);
  });

  test("a forged cookie that names an account uses up none of its tests", async () => {
    const strict = { env: { RATE_LIMIT_WEBHOOK_TEST: "2/60" } };
    const page = await personInApp(`${crypto.randomUUID()}@example.com`, strict);
    const { params } = await hookOf(page);
    const forged = new AppPage(strict);
    for (let time = 0; time < 4; time++) {
      forged.cookie = page.cookie?.replace(/.{8}$/, "AAAAAAAA");
      expect((await forged.call(routes.testWebhookRoute, { params })).status).toBe(401);
    }
    expect((await page.call(routes.testWebhookRoute, { params })).status).toBe(200);
  });

  test("fifty tests of a webhook are kept", async () => {
    const ada = await person();
    const { params } = await hookOf(ada);
    const { id } = await ada.ok(routes.testWebhookRoute, { params });
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
      INSERT INTO webhook_deliveries SELECT substr(id, 1, 8) || '-0000-7000-8000-' || printf('%012d', i), owner, webhook_id,
        event, data, occurred_at, status, attempts, next_attempt_at, last_attempt_at, response_status, error, created_at
      FROM webhook_deliveries, n WHERE id = ?`,
    )
      .bind(id)
      .run();
    const last = await ada.ok(routes.testWebhookRoute, { params });
    const { items, total } = await ada.ok(routes.listDeliveriesRoute, { params });
    expect(total).toBe(50);
    expect(items[0]?.id).toBe(last.id);
  });
});
