import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import type { AccountObject } from "../../../src/features/jobs/account.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import worker from "../../../src/index.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { ClientOf } from "../../kit/database.ts";
import { hookOf, objectOf, Receiver, sendNow } from "../../kit/hooks.ts";
import { bothGenerations, use } from "../../kit/mcp.ts";
import { type Meter, meterDatabase } from "../../kit/meter.ts";

const TITLE = { title: "Packing list", content: { format: "markdown", text: "- passport" } };
const EVENTS = ["document.created"];

describe("a webhook", () => {
  test("is told of what happens after it was created, signed by Standard Webhooks", async () => {
    const ada = await person();
    await ada.ok(documents.createDocumentRoute, { json: { title: "Before" } });
    const { hook, receiver, params } = await hookOf(ada);
    const { id } = await ada.ok(documents.createDocumentRoute, { json: TITLE });
    await ada.ok(documents.updateDocumentRoute, {
      params: { document_id: id },
      json: { title: "What to pack" },
    });
    await sendNow(ada);
    const [created, updated, ...others] = await receiver.messages(hook.secret);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      type: "document.created",
      data: { document_id: id, title: "Packing list", version: 1, verb: "created", by: { actor: "person" } },
    });
    expect(updated).toMatchObject({ type: "document.updated", data: { title: "What to pack", version: 2 } });
    expect(JSON.stringify(await receiver.received())).not.toContain("passport");

    const { items, total } = await ada.ok(routes.listDeliveriesRoute, { params });
    const delivered = {
      status: "delivered",
      attempts: 1,
      response_status: 200,
      error: null,
      next_attempt_at: null,
    };
    expect(items).toMatchObject([
      { event: "document.updated", ...delivered },
      { event: "document.created", ...delivered },
    ]);
    expect(total).toBe(2);
    const ids = (await receiver.received()).map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(items.map(({ id }) => id).reverse());
    expect((await ada.ok(routes.getWebhookRoute, { params })).last_delivered_at).not.toBeNull();
  });

  test("carries the content only when asked to", async () => {
    const ada = await person();
    const events = ["document.created", "memory.created", "document.deleted"];
    const { hook, receiver } = await hookOf(ada, { include_content: true, events });
    const { id } = await ada.ok(documents.createDocumentRoute, { json: TITLE });
    await ada.ok(memories.createMemoryRoute, {
      json: { memory_type: "decision", topic: "Date", content: 'In "May"' },
    });
    await sendNow(ada);
    await ada.call(documents.deleteDocumentRoute, { params: { document_id: id } });
    await sendNow(ada);
    const contents = (await receiver.messages(hook.secret)).map(({ type, data }) => [type, data.content]);
    expect(contents).toEqual([
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
    const { id } = await ada.ok(memories.createMemoryRoute, {
      json: { memory_type: "commitment", topic: "Slides", content: "For Grace" },
    });
    const params = { memory_id: String(id) };
    await ada.ok(memories.resolveMemoryRoute, { params, json: {} });
    await ada.ok(memories.reopenMemoryRoute, { params, json: {} });
    await ada.ok(memories.confirmMemoryRoute, { params });
    await ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2099-01-01" } });
    await ada.ok(documents.createDocumentRoute, { json: TITLE });
    await sendNow(ada);
    expect(await all.receiver.types(all.hook.secret)).toEqual(events);
    expect(await some.receiver.messages(some.hook.secret)).toMatchObject([
      { type: "memory.resolved", data: { memory_id: id, topic: "Slides" } },
    ]);
  });

  test("is sent what happened after the answer, also to an assistant, in both generations of clients", async () => {
    const ada = await person();
    const { hook, receiver } = await hookOf(ada, { events: EVENTS });
    const isSent = (count: number) =>
      expect.poll(async () => (await receiver.types(hook.secret)).length).toBe(count);
    await ada.ok(documents.createDocumentRoute, { json: TITLE });
    await isSent(1);
    for (const [count, [, client]] of (await bothGenerations(ada)).entries()) {
      await use(client, "create_document", { title: "From an assistant", text: "Hello" });
      await isSent(count + 2);
    }
  });

  test("loses nothing when the Worker dies right after a change: the cron handler finds it", async () => {
    const ada = await person();
    const { hook, receiver } = await hookOf(ada);
    // Nothing is sent at once, because there is no active webhook when the change is made.
    const set = (status: string) => env.DB.prepare("UPDATE webhooks SET status = ?").bind(status).run();
    await set("paused");
    await ada.ok(documents.createDocumentRoute, { json: TITLE });
    await set("active");
    expect(await receiver.received()).toEqual([]);
    await worker.scheduled(createScheduledController({ cron: "" }), env as unknown as Env);
    await expect.poll(() => receiver.types(hook.secret)).toEqual(EVENTS);
  });
});

describe("the secret of a webhook", () => {
  test("is shown once, and can be replaced without a message being refused", async () => {
    const ada = await person();
    const { hook, receiver, params } = await hookOf(ada);
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ada.call(routes.listWebhooksRoute)).text).not.toContain("whsec_");
    expect((await ada.call(routes.getWebhookRoute, { params })).text).not.toContain("whsec_");
    const { secret } = await ada.ok(routes.replaceWebhookSecretRoute, { params });
    expect(secret).not.toBe(hook.secret);
    await ada.ok(routes.testWebhookRoute, { params });
    for (const either of [hook.secret, secret])
      expect(await receiver.types(either)).toEqual(["webhook.test"]);
    await env.DB.prepare("UPDATE webhooks SET previous_until = '2026-01-01T00:00:00.000Z'").run();
    await ada.ok(routes.testWebhookRoute, { params });
    expect((await receiver.types(secret)).length).toBe(2);
    await expect(receiver.types(hook.secret)).rejects.toThrow("No matching signature found");
  });
});

test("a paused webhook is sent what happened once it is active again; a test reaches it before", async () => {
  const ada = await person();
  const { hook, receiver, params } = await hookOf(ada);
  expect((await ada.ok(routes.updateWebhookRoute, { params, json: { paused: true } })).status).toBe("paused");
  await ada.ok(documents.createDocumentRoute, { json: TITLE });
  await sendNow(ada);
  expect(await receiver.received()).toEqual([]);
  await ada.ok(routes.testWebhookRoute, { params });
  await ada.ok(routes.updateWebhookRoute, { params, json: { paused: false } });
  await sendNow(ada);
  expect(await receiver.types(hook.secret)).toEqual(["webhook.test", "document.created"]);
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
  const ada = await person();
  const { params } = await hookOf(ada);
  await env.DB.prepare("UPDATE webhooks SET url = 'https://127.0.0.1/'").run();
  expect(await ada.ok(routes.testWebhookRoute, { params })).toMatchObject({
    status: "failed",
    error: "It could not be reached",
  });
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

test("a webhook is told of nothing that happens to another account", async () => {
  const [ada, eve] = [await person(), await person()];
  const [adas, eves] = [await hookOf(ada), await hookOf(eve)];
  await ada.ok(documents.createDocumentRoute, { json: TITLE });
  await eve.ok(documents.createDocumentRoute, { json: { title: "Eve's" } });
  for (const client of [ada, eve]) await sendNow(client);
  const titlesOf = async ({ hook, receiver }: typeof adas) =>
    (await receiver.messages(hook.secret)).map(({ data }) => data.title);
  expect([await titlesOf(adas), await titlesOf(eves)]).toEqual([["Packing list"], ["Eve's"]]);
  expect((await eve.ok(routes.listWebhooksRoute)).items.map(({ id }) => id)).toEqual([eves.hook.id]);
});

test("a deleted webhook is sent nothing more, and its deliveries are gone", async () => {
  const ada = await person();
  const { receiver, params } = await hookOf(ada);
  await receiver.answers(500);
  await ada.ok(documents.createDocumentRoute, { json: TITLE });
  await sendNow(ada);
  expect((await ada.call(routes.deleteWebhookRoute, { params })).status).toBe(204);
  await sendNow(ada);
  expect((await receiver.received()).length).toBe(1);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM webhook_deliveries").first("n")).toBe(0);
});

test("an account without webhooks pays nothing for those of others", async () => {
  const [ada, eve] = [await person(), await person()];
  const costOf = async (client: Client) => {
    const meter = { calls: 0, rowsRead: 0, rowsWritten: 0 } satisfies Meter;
    const metered = new ClientOf(client, meterDatabase(env.DB, meter));
    await metered.ok(listFoldersRoute);
    await metered.ok(documents.createDocumentRoute, { json: TITLE });
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
