import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import type { AccountObject } from "../../../src/features/jobs/account.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import worker from "../../../src/index.ts";
import { AppPage, personInApp } from "../../kit/app-page.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { meteredClient } from "../../kit/database.ts";
import { create, remove, update as updateDocument } from "../../kit/documents.ts";
import { hookOf, objectOf, Receiver, sendNow } from "../../kit/hooks.ts";
import { bothGenerations, use } from "../../kit/mcp.ts";
import { make, step } from "../../kit/records.ts";

const TITLE = { title: "Packing list", content: { format: "markdown", text: "- passport" } };
const EVENTS = ["document.created"];

describe("a webhook", () => {
  test("is told of what happens after it was created, signed by Standard Webhooks", async () => {
    const ada = await person();
    await create(ada, { title: "Before" });
    const { receiver, read, deliveries, messages } = await hookOf(ada);
    const document = await create(ada, TITLE);
    await updateDocument(ada, document, { title: "What to pack" });
    await sendNow(ada);
    const [created, updated, ...others] = await messages();
    expect(others).toEqual([]);
    const data = { title: "Packing list", version: 1, verb: "created", by: { actor: "person" } };
    expect(created).toMatchObject({ type: "document.created", data: { document_id: document.id, ...data } });
    expect(updated).toMatchObject({ type: "document.updated", data: { title: "What to pack", version: 2 } });
    expect(JSON.stringify(await receiver.received())).not.toContain("passport");

    const { items, total } = await deliveries();
    const outcome = { status: "delivered", response_status: 200, error: null };
    const delivered = { ...outcome, attempts: 1, next_attempt_at: null };
    expect(items).toMatchObject([
      { event: "document.updated", ...delivered },
      { event: "document.created", ...delivered },
    ]);
    expect(total).toBe(2);
    const ids = (await receiver.received()).map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(items.map(({ id }) => id).reverse());
    expect((await read()).last_delivered_at).not.toBeNull();
  });

  test("carries the content only when asked to", async () => {
    const ada = await person();
    const events = ["document.created", "memory.created", "document.deleted"];
    const { messages } = await hookOf(ada, { include_content: true, events });
    const document = await create(ada, TITLE);
    await make(ada, { content: 'In "May"' });
    await sendNow(ada);
    await remove(ada, document);
    await sendNow(ada);
    expect((await messages()).map(({ type, data }) => [type, data.content])).toEqual([
      ["document.created", TITLE.content],
      ["memory.created", 'In "May"'],
      ["document.deleted", null],
    ]);
  });

  test("is told of each step of a record's life, and only of the events that it asked for", async () => {
    const ada = await person();
    const events = ["memory.created", "memory.resolved", "memory.reopened", "memory.deferred"];
    const all = await hookOf(ada, { events });
    const some = await hookOf(ada, { events: ["memory.resolved"] });
    const record = await make(ada, { topic: "Slides" });
    for (const action of ["resolve", "reopen", "confirm"] as const)
      expect((await step(ada, record, action)).status).toBe(200);
    expect((await step(ada, record, "defer", { deferred_until: "2099-01-01" })).status).toBe(200);
    await create(ada, TITLE);
    await sendNow(ada);
    expect(await all.types()).toEqual(events);
    expect(await some.messages()).toMatchObject([
      { type: "memory.resolved", data: { memory_id: record.id, topic: "Slides" } },
    ]);
  });

  test("is sent what happened after the answer, also to an assistant, in both generations of clients", async () => {
    const ada = await person();
    const { types } = await hookOf(ada, { events: EVENTS });
    const isSent = (count: number) => expect.poll(async () => (await types()).length).toBe(count);
    await create(ada, TITLE);
    await isSent(1);
    for (const [count, [, client]] of (await bothGenerations(ada)).entries()) {
      await use(client, "create_document", { title: "From an assistant", text: "Hello" });
      await isSent(count + 2);
    }
  });

  test("loses nothing when the Worker dies right after a change: the cron handler finds it", async () => {
    const ada = await person();
    const { receiver, types } = await hookOf(ada);
    // Nothing is sent at once, because there is no active webhook when the change is made.
    const set = (status: string) => env.DB.prepare("UPDATE webhooks SET status = ?").bind(status).run();
    await set("paused");
    await create(ada, TITLE);
    await set("active");
    expect(await receiver.received()).toEqual([]);
    await worker.scheduled(createScheduledController({ cron: "" }), env as unknown as Env);
    await expect.poll(types).toEqual(EVENTS);
  });

  test("is told of nothing that happens to another account", async () => {
    const [ada, eve] = [await person(), await person()];
    const [adas, eves] = [await hookOf(ada), await hookOf(eve)];
    await create(ada, TITLE);
    await create(eve, { title: "Eve's" });
    for (const client of [ada, eve]) await sendNow(client);
    const titlesOf = async ({ messages }: typeof adas) => (await messages()).map(({ data }) => data.title);
    expect([await titlesOf(adas), await titlesOf(eves)]).toEqual([["Packing list"], ["Eve's"]]);
    expect((await eve.ok(routes.listWebhooksRoute)).items.map(({ id }) => id)).toEqual([eves.hook.id]);
  });

  test("that is paused is sent what happened once it is active again; a test reaches it before", async () => {
    const ada = await person();
    const hook = await hookOf(ada);
    expect((await hook.update({ paused: true })).status).toBe("paused");
    await create(ada, TITLE);
    await sendNow(ada);
    expect(await hook.receiver.received()).toEqual([]);
    await hook.sendTest();
    await hook.update({ paused: false });
    await sendNow(ada);
    expect(await hook.types()).toEqual(["webhook.test", "document.created"]);
  });

  test("that is deleted is sent nothing more, and its deliveries are gone", async () => {
    const ada = await person();
    const { receiver, params } = await hookOf(ada);
    await receiver.answers(500);
    await create(ada, TITLE);
    await sendNow(ada);
    expect((await ada.call(routes.deleteWebhookRoute, { params })).status).toBe(204);
    await sendNow(ada);
    expect((await receiver.received()).length).toBe(1);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM webhook_deliveries").first("n")).toBe(0);
  });
});

test("the secret of a webhook is shown once, and can be replaced without a message being refused", async () => {
  const ada = await person();
  const { hook, params, receiver, sendTest, types } = await hookOf(ada);
  expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  for (const route of [routes.listWebhooksRoute, routes.getWebhookRoute])
    expect((await ada.call(route, { params })).text).not.toContain("whsec_");
  const { secret } = await ada.ok(routes.replaceWebhookSecretRoute, { params });
  expect(secret).not.toBe(hook.secret);
  await sendTest();
  for (const either of [hook.secret, secret]) expect(await receiver.types(either)).toEqual(["webhook.test"]);
  await env.DB.prepare("UPDATE webhooks SET previous_until = '2026-01-01T00:00:00.000Z'").run();
  await sendTest();
  expect((await receiver.types(secret)).length).toBe(2);
  await expect(types()).rejects.toThrow("No matching signature found");
});

// That private hosts are told apart is in test/doors/oauth/oauth-clients.test.ts.
const PRIVATE = `localhost. LOCALHOST:8000 127.1 2130706433 0177.0.0.1 0 10.0.0.1 169.254.169.254/latest/meta-data
  [::ffff:127.0.0.1] [fd00::1] router printer.local １２７.０.０.１`;

const REFUSED: [url: string, reason: string][] = [
  ["http://hooks.example.com/", "must begin with https://"],
  ["javascript:alert(1)", "must begin with https://"],
  ["https://ada:secret@hooks.example.com/", "must not contain a user name or password"],
  ["not a url", "must be a URL"],
  ...PRIVATE.split(/\s+/).map((host): [string, string] => [`https://${host}`, "must be a public address"]),
];

test("a webhook cannot lead to a private address in any spelling, at first or later", async () => {
  const ada = await person();
  const { params } = await hookOf(ada);
  for (const [url, reason] of REFUSED) {
    const refused = { status: 422, detail: `url: ${reason}` };
    const json = { name: "Bad", url, events: EVENTS };
    expect(await ada.refusal(routes.createWebhookRoute, { json }), url).toEqual(refused);
    expect(await ada.refusal(routes.updateWebhookRoute, { params, json: { url } }), url).toEqual(refused);
  }
});

test("an address that became private after it was checked is not reached", async () => {
  const hook = await hookOf(await person());
  await env.DB.prepare("UPDATE webhooks SET url = 'https://127.0.0.1/'").run();
  expect(await hook.sendTest()).toMatchObject({ status: "failed", error: "It could not be reached" });
});

test("what a webhook must have is said: a name, known events, and at most ten of them", async () => {
  const ada = await person();
  const json = { name: "Automation", url: new Receiver().url, events: EVENTS };
  for (const [fields, detail] of [
    [{ events: [] }, "events"],
    [{ events: ["document.create"] }, "document.created"],
    [{ name: " " }, "name"],
    [{ secret: "x" }, "secret"],
  ] as const) {
    const refusal = await ada.refusal(routes.createWebhookRoute, { json: { ...json, ...fields } });
    expect(refusal.status).toBe(422);
    expect(refusal.detail).toContain(detail);
  }
  for (let count = 0; count < 10; count++) await ada.ok(routes.createWebhookRoute, { json });
  expect(await ada.refusal(routes.createWebhookRoute, { json })).toMatchObject({ status: 400 });
});

test("an account without webhooks pays nothing for those of others", async () => {
  const [ada, eve] = [await person(), await person()];
  const costOf = async (client: Client) => {
    const { client: metered, meter } = meteredClient(client);
    await metered.ok(listFoldersRoute);
    await create(metered, TITLE);
    return meter;
  };
  for (const client of [ada, eve]) await costOf(client);
  const before = await costOf(ada);
  for (let made = 0; made < 3; made++) await hookOf(eve);
  expect(await costOf(ada)).toEqual(before);
  const { rowsRead, ...others } = await costOf(eve);
  expect(others).toEqual({ calls: before.calls, rowsWritten: before.rowsWritten });
  expect(rowsRead - before.rowsRead).toBeLessThanOrEqual(2);
});

test("a sender of an account that no longer exists stops", async () => {
  const ada = await person();
  await hookOf(ada);
  const owner = await numberOf(ada);
  const sender = objectOf({ home: 1, owner: owner + 1000 });
  await sender.wake(owner + 1000, 1);
  await runInDurableObject(sender, async (instance: AccountObject, state) => {
    await instance.alarm();
    expect(await state.storage.getAlarm()).toBeNull();
  });
});

// A test and a replay make the service send a request at once, to an address that a user has chosen.
describe("tests and replays", () => {
  const inApp = (RATE_LIMIT_WEBHOOK_TEST: string) =>
    personInApp(`${crypto.randomUUID()}@example.com`, { env: { RATE_LIMIT_WEBHOOK_TEST } });

  test("are thirty a minute for each account", async () => {
    const [ada, eve] = [await person(), await person()];
    const { params, sendTest, deliveries } = await hookOf(ada);
    const ask = () => ada.call(routes.testWebhookRoute, { params });
    const { id: delivery_id } = await sendTest();
    const replay = () => ada.call(routes.replayDeliveryRoute, { params: { ...params, delivery_id } });
    expect((await replay()).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 28 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await replay()).status).toBe(429);
    await (await hookOf(eve)).sendTest();
    expect((await deliveries()).total).toBe(29);
  });

  test("that are repeated with the same key send nothing and do not count", async () => {
    const page = await inApp("1/60");
    const { params } = await hookOf(page);
    const once = { params, headers: { "Idempotency-Key": "once" } };
    const first = await page.ok(routes.testWebhookRoute, once);
    expect(await page.ok(routes.testWebhookRoute, once)).toEqual(first);
    expect((await page.call(routes.testWebhookRoute, { params })).status).toBe(429);
  });

  test("with a forged cookie that names an account use up none of its own", async () => {
    const page = await inApp("2/60");
    const { params, sendTest } = await hookOf(page);
    const forged = new AppPage({ env: page.env });
    for (let time = 0; time < 4; time++) {
      forged.cookie = page.cookie?.replace(/.{8}$/, "AAAAAAAA");
      expect((await forged.call(routes.testWebhookRoute, { params })).status).toBe(401);
    }
    await sendTest();
  });

  test("are kept: the last fifty of a webhook", async () => {
    const { sendTest, deliveries } = await hookOf(await person());
    const { id } = await sendTest();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
      INSERT INTO webhook_deliveries SELECT substr(id, 1, 8) || '-0000-7000-8000-' || printf('%012d', i), owner, webhook_id,
        event, data, occurred_at, status, attempts, next_attempt_at, last_attempt_at, response_status, error, created_at
      FROM webhook_deliveries, n WHERE id = ?`,
    )
      .bind(id)
      .run();
    const last = await sendTest();
    const { items, total } = await deliveries();
    expect([total, items[0]?.id]).toEqual([50, last.id]);
  });
});
