import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import {
  createDocumentRoute,
  deleteDocumentRoute,
  updateDocumentRoute,
} from "../../../src/features/documents/routes.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import type { AccountObject } from "../../../src/features/jobs/account.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import worker from "../../../src/index.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { ClientOf } from "../../kit/database.ts";
import { hookOf, objectOf, Receiver, sendNow } from "../../kit/hooks.ts";
import { initialize, stateless } from "../../kit/mcp.ts";
import { type Meter, meterDatabase } from "../../kit/meter.ts";

const TITLE = { title: "Packing list", content: { format: "markdown", text: "- passport" } };
const EVENTS = ["document.created"];

describe("a webhook", () => {
  test("is told of what happens after it was created, signed by Standard Webhooks", async () => {
    const ada = await person();
    await ada.ok(createDocumentRoute, { json: { title: "Before" } });
    const { hook, receiver, params } = await hookOf(ada);
    const { id } = await ada.ok(createDocumentRoute, { json: TITLE });
    await ada.ok(updateDocumentRoute, { params: { document_id: id }, json: { title: "What to pack" } });
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
    expect(items).toMatchObject([
      {
        event: "document.updated",
        status: "delivered",
        attempts: 1,
        response_status: 200,
        next_attempt_at: null,
      },
      { event: "document.created", status: "delivered", attempts: 1, response_status: 200, error: null },
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
    const { id } = await ada.ok(createDocumentRoute, { json: TITLE });
    await ada.ok(memories.createMemoryRoute, {
      json: { memory_type: "decision", topic: "Date", content: 'In "May"' },
    });
    await sendNow(ada);
    await ada.call(deleteDocumentRoute, { params: { document_id: id } });
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
    const all = await hookOf(ada, {
      events: ["memory.created", "memory.resolved", "memory.reopened", "memory.deferred"],
    });
    const some = await hookOf(ada, { events: ["memory.resolved"] });
    const { id } = await ada.ok(memories.createMemoryRoute, {
      json: { memory_type: "commitment", topic: "Slides", content: "For Grace" },
    });
    const params = { memory_id: String(id) };
    await ada.ok(memories.resolveMemoryRoute, { params, json: {} });
    await ada.ok(memories.reopenMemoryRoute, { params, json: {} });
    await ada.ok(memories.confirmMemoryRoute, { params });
    await ada.ok(memories.deferMemoryRoute, { params, json: { deferred_until: "2099-01-01" } });
    await ada.ok(createDocumentRoute, { json: TITLE });
    await sendNow(ada);
    expect(await all.receiver.types(all.hook.secret)).toEqual([
      "memory.created",
      "memory.resolved",
      "memory.reopened",
      "memory.deferred",
    ]);
    expect(await some.receiver.messages(some.hook.secret)).toMatchObject([
      { type: "memory.resolved", data: { memory_id: id, topic: "Slides" } },
    ]);
  });

  test("is told of what an assistant does, in both generations of clients", async () => {
    const ada = await person();
    const { hook, receiver } = await hookOf(ada, { events: EVENTS });
    const call = { name: "create_document", arguments: { title: "From an assistant", content: "Hello" } };
    for (const [count, client] of [stateless(ada), await initialize(ada)].entries()) {
      expect((await client.ask("tools/call", call)).error).toBeUndefined();
      await expect.poll(async () => (await receiver.types(hook.secret)).length).toBe(count + 1);
    }
  });

  test("is sent what happened without being told to, after the answer", async () => {
    const ada = await person();
    const { hook, receiver } = await hookOf(ada);
    await ada.ok(createDocumentRoute, { json: TITLE });
    await expect.poll(() => receiver.types(hook.secret)).toEqual(EVENTS);
  });

  test("loses nothing when the Worker dies right after a change: the cron handler finds it", async () => {
    const ada = await person();
    const { hook, receiver } = await hookOf(ada);
    // Nobody is told of this change, because there is no active webhook when it is made.
    const set = (status: string) => env.DB.prepare("UPDATE webhooks SET status = ?").bind(status).run();
    await set("paused");
    await ada.ok(createDocumentRoute, { json: TITLE });
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
    for (const text of [
      (await ada.call(routes.listWebhooksRoute)).text,
      (await ada.call(routes.getWebhookRoute, { params })).text,
    ])
      expect(text).not.toContain("whsec_");
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

  test("comes again for the same Idempotency-Key", async () => {
    const ada = await person();
    const json = { name: "Automation", url: new Receiver().url, events: EVENTS };
    const headers = { "Idempotency-Key": "once" };
    const first = await ada.ok(routes.createWebhookRoute, { json, headers });
    expect(await ada.ok(routes.createWebhookRoute, { json, headers })).toEqual(first);
    expect((await ada.ok(routes.listWebhooksRoute)).total).toBe(1);
  });
});

test("a paused webhook is sent what happened once it is active again; a test reaches it before", async () => {
  const ada = await person();
  const { hook, receiver, params } = await hookOf(ada);
  expect((await ada.ok(routes.updateWebhookRoute, { params, json: { paused: true } })).status).toBe("paused");
  await ada.ok(createDocumentRoute, { json: TITLE });
  await sendNow(ada);
  expect(await receiver.received()).toEqual([]);
  await ada.ok(routes.testWebhookRoute, { params });
  await ada.ok(routes.updateWebhookRoute, { params, json: { paused: false } });
  await sendNow(ada);
  expect(await receiver.types(hook.secret)).toEqual(["webhook.test", "document.created"]);
});

const REFUSED: [string, string][] = [
  ["http://hooks.example.com/", "must begin with https://"],
  ["ftp://hooks.example.com/", "must begin with https://"],
  ["javascript:alert(1)", "must begin with https://"],
  ["https://ada:secret@hooks.example.com/", "must not contain a user name or password"],
  ["https://localhost/", "must be a public address"],
  ["https://localhost./", "must be a public address"],
  ["https://LOCALHOST:8000/", "must be a public address"],
  ["https://app.localhost/", "must be a public address"],
  ["https://127.0.0.1/", "must be a public address"],
  ["https://127.1/", "must be a public address"],
  ["https://2130706433/", "must be a public address"],
  ["https://0x7f000001/", "must be a public address"],
  ["https://0177.0.0.1/", "must be a public address"],
  ["https://0/", "must be a public address"],
  ["https://10.0.0.1/", "must be a public address"],
  ["https://172.16.0.1/", "must be a public address"],
  ["https://192.168.0.1/", "must be a public address"],
  ["https://100.64.0.1/", "must be a public address"],
  ["https://169.254.169.254/latest/meta-data", "must be a public address"],
  ["https://224.0.0.1/", "must be a public address"],
  ["https://255.255.255.255/", "must be a public address"],
  ["https://[::]/", "must be a public address"],
  ["https://[::1]/", "must be a public address"],
  ["https://[::ffff:127.0.0.1]/", "must be a public address"],
  ["https://[::ffff:a00:1]/", "must be a public address"],
  ["https://[fd00::1]/", "must be a public address"],
  ["https://[fe80::1]/", "must be a public address"],
  ["https://[64:ff9b::7f00:1]/", "must be a public address"],
  ["https://[2002:7f00:1::]/", "must be a public address"],
  ["https://router/", "must be a public address"],
  ["https://printer.local/", "must be a public address"],
  ["https://metadata.google.internal/", "must be a public address"],
  ["https://１２７.０.０.１/", "must be a public address"],
  ["not a url", "must be a URL"],
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

test("what is read can be sent back, and changes only what a person may change", async () => {
  const ada = await person();
  const { params } = await hookOf(ada);
  const read = await ada.ok(routes.getWebhookRoute, { params });
  const changed = await ada.ok(routes.updateWebhookRoute, { params, json: { ...read, name: "Other" } });
  expect({ ...changed, updated_at: "" }).toEqual({ ...read, name: "Other", updated_at: "" });
});

test("nobody else can see, change, try or delete a webhook, and nobody else's events reach it", async () => {
  const [ada, eve] = [await person(), await person()];
  const { hook, receiver, params } = await hookOf(ada);
  await ada.ok(createDocumentRoute, { json: TITLE });
  await sendNow(ada);
  const [delivery] = (await ada.ok(routes.listDeliveriesRoute, { params })).items;
  const of = { ...params, delivery_id: delivery?.id ?? "" };
  const other = await hookOf(eve);
  for (const [route, parts] of [
    [routes.getWebhookRoute, { params }],
    [routes.updateWebhookRoute, { params, json: { name: "Mine" } }],
    [routes.deleteWebhookRoute, { params }],
    [routes.testWebhookRoute, { params }],
    [routes.replaceWebhookSecretRoute, { params }],
    [routes.listDeliveriesRoute, { params }],
    [routes.replayDeliveryRoute, { params: of }],
    [routes.replayDeliveryRoute, { params: { ...of, ...other.params } }],
  ] as const)
    expect(await eve.refusal(route, parts)).toEqual({ status: 404, detail: "Not found" });
  expect((await eve.ok(routes.listWebhooksRoute)).items.map(({ id }) => id)).toEqual([other.hook.id]);
  await eve.ok(createDocumentRoute, { json: { title: "Eve's" } });
  await sendNow(eve);
  expect((await receiver.messages(hook.secret)).map(({ data }) => data.title)).toEqual(["Packing list"]);
});

test("a deleted webhook is sent nothing more, and its deliveries are gone", async () => {
  const ada = await person();
  const { receiver, params } = await hookOf(ada);
  await receiver.answers(500);
  await ada.ok(createDocumentRoute, { json: TITLE });
  await sendNow(ada);
  expect((await ada.call(routes.deleteWebhookRoute, { params })).status).toBe(204);
  await sendNow(ada);
  expect((await receiver.received()).length).toBe(1);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM webhook_deliveries").first("n")).toBe(0);
});

test("an account without webhooks pays nothing for them, whoever else has some", async () => {
  const [ada, eve] = [await person(), await person()];
  const costOf = async (client: Client) => {
    const meter = { calls: 0, rowsRead: 0, rowsWritten: 0 } satisfies Meter;
    const metered = new ClientOf(client, meterDatabase(env.DB, meter));
    await metered.ok(listFoldersRoute);
    await metered.ok(createDocumentRoute, { json: TITLE });
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
