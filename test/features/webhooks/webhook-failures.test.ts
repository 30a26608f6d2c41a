import { describe, expect, test } from "vitest";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { sendMessage } from "../../../src/features/webhooks/attempt.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import { newSigningSecret } from "../../../src/features/webhooks/signature.ts";
import { person } from "../../kit/client.ts";
import { hookOf, letTimePass, sendNow } from "../../kit/hooks.ts";
import type { Manner } from "../../kit/receivers.ts";

const TITLE = { title: "Packing list", content: { format: "markdown", text: "- passport" } };
const EVENTS = ["document.created"];

describe("a receiver that fails", () => {
  const OUTCOMES: [Manner, number | null, string][] = [
    [500, 500, "It answered 500"],
    ["redirect", 307, "It answered with a redirect, which is not followed"],
  ];
  test.for(OUTCOMES)(
    "with %s is failing, for that reason, until it has taken a message",
    async ([manner, response_status, error]) => {
      const ada = await person();
      const { receiver, params } = await hookOf(ada);
      await receiver.answers(manner);
      await ada.ok(createDocumentRoute, { json: TITLE });
      await sendNow(ada);
      const { items } = await ada.ok(routes.listDeliveriesRoute, { params });
      expect(items).toMatchObject([{ status: "pending", attempts: 1, response_status, error }]);
      expect(items[0]?.next_attempt_at).not.toBeNull();
      expect(await ada.ok(routes.getWebhookRoute, { params })).toMatchObject({
        status: "active",
        failures: 1,
      });
      await receiver.answers(200);
      await letTimePass(ada);
      await sendNow(ada);
      expect(await ada.ok(routes.getWebhookRoute, { params })).toMatchObject({
        status: "active",
        failures: 0,
      });
      const pending = { params, query: { status: "pending" } };
      expect((await ada.ok(routes.listDeliveriesRoute, pending)).total).toBe(0);
    },
  );

  test("does not fail by an answer without an end: only the status counts", async () => {
    const ada = await person();
    const { receiver, params } = await hookOf(ada);
    for (const manner of ["endless", 204] as const) {
      await receiver.answers(manner);
      expect(await ada.ok(routes.testWebhookRoute, { params })).toMatchObject({ status: "delivered" });
    }
  });

  test("is tried again with growing pauses, with the same id, until a day is over", async () => {
    const ada = await person();
    const { hook, receiver, params } = await hookOf(ada, { events: EVENTS });
    await receiver.answers(503);
    await ada.ok(createDocumentRoute, { json: TITLE });
    const pauses: number[] = [];
    const delivery = async () => (await ada.ok(routes.listDeliveriesRoute, { params })).items[0];
    for (let attempt = 1; attempt <= 8; attempt++) {
      const before = Date.now();
      await sendNow(ada);
      const { next_attempt_at = null } = (await delivery()) ?? {};
      if (next_attempt_at) pauses.push(Math.round((Date.parse(next_attempt_at) - before) / 60_000));
      await letTimePass(ada);
    }
    expect(pauses).toEqual([0, 1, 5, 30, 120, 360, 900]);
    expect(await delivery()).toMatchObject({ status: "failed", attempts: 8, next_attempt_at: null });
    const ids = new Set((await receiver.received()).map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).toBe(1);

    await receiver.answers(200);
    const delivery_id = (await delivery())?.id ?? "";
    const replayed = await ada.ok(routes.replayDeliveryRoute, { params: { ...params, delivery_id } });
    expect(replayed).toMatchObject({ status: "delivered", attempts: 1, error: null });
    expect((await receiver.messages(hook.secret)).length).toBe(9);
  });

  test("is left alone for a while, whatever happens", async () => {
    const ada = await person();
    const { receiver } = await hookOf(ada);
    await receiver.answers(500);
    for (const title of ["One", "Two", "Three"]) await ada.ok(createDocumentRoute, { json: { title } });
    for (let times = 0; times < 5; times++) await sendNow(ada);
    expect((await receiver.received()).length).toBe(1);
  });

  test("twenty times in a row is switched off with a notice; made active again, it is sent everything", async () => {
    const ada = await person();
    const { hook, receiver, params } = await hookOf(ada, { events: EVENTS });
    await receiver.answers(500);
    for (const title of ["One", "Two", "Three"]) await ada.ok(createDocumentRoute, { json: { title } });
    const status = async () => (await ada.ok(routes.getWebhookRoute, { params })).status;
    for (let times = 0; times < 19; times++) {
      await sendNow(ada);
      await letTimePass(ada);
    }
    expect(await status()).toBe("active");
    await sendNow(ada);
    const { items } = await ada.ok(routes.listWebhooksRoute);
    expect(items).toMatchObject([
      { status: "switched_off", failures: 20, notice: expect.stringContaining("after 20 failures in a row") },
    ]);
    await letTimePass(ada);
    await ada.ok(createDocumentRoute, { json: { title: "Four" } });
    await sendNow(ada);
    expect((await receiver.received()).length).toBe(20);

    await receiver.answers(200);
    const enabled = await ada.ok(routes.updateWebhookRoute, { params, json: { paused: false } });
    expect(enabled).toMatchObject({ status: "active", notice: null, failures: 0 });
    await sendNow(ada);
    const titles = (await receiver.messages(hook.secret)).slice(20).map(({ data }) => data.title);
    expect(titles.sort()).toEqual(["Four", "One", "Three", "Two"]);
  });

  test("with 410 wants no more messages", async () => {
    const ada = await person();
    const { receiver, params } = await hookOf(ada);
    await receiver.answers(410);
    await ada.ok(createDocumentRoute, { json: TITLE });
    await sendNow(ada);
    expect(await ada.ok(routes.getWebhookRoute, { params })).toMatchObject({
      status: "switched_off",
      notice: expect.stringContaining("gone"),
    });
  });

  test("does not delay another receiver of the same account", async () => {
    const ada = await person();
    const bad = await hookOf(ada);
    const good = await hookOf(ada);
    await bad.receiver.answers(500);
    await ada.ok(createDocumentRoute, { json: TITLE });
    await sendNow(ada);
    expect(await good.receiver.types(good.hook.secret)).toEqual(EVENTS);
  });
});

test("a test that fails is tried once and says nothing about the webhook", async () => {
  const ada = await person();
  const { receiver, params } = await hookOf(ada);
  await receiver.answers(500);
  const tested = await ada.ok(routes.testWebhookRoute, { params });
  expect(tested).toMatchObject({
    event: "webhook.test",
    status: "failed",
    response_status: 500,
    attempts: 1,
  });
  expect(await ada.ok(routes.getWebhookRoute, { params })).toMatchObject({ failures: 0 });
});

test("an attempt that gets no answer says why", async () => {
  const message = { id: "1", url: "https://hooks.example.com/", secrets: [newSigningSecret()], body: "{}" };
  for (const [problem, error] of [
    [new DOMException("late", "TimeoutError"), "It did not answer within 10 seconds"],
    [new TypeError("Network connection lost"), "It could not be reached"],
  ] as const) {
    const outcome = await sendMessage(() => Promise.reject(problem), message, new Date());
    expect(outcome).toEqual({ delivered: false, status: null, error });
  }
});
