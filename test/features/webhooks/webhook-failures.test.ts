import { describe, expect, test } from "vitest";
import { sendMessage } from "../../../src/features/webhooks/attempt.ts";
import { listWebhooksRoute } from "../../../src/features/webhooks/routes.ts";
import { newSigningSecret } from "../../../src/features/webhooks/signature.ts";
import { person } from "../../kit/client.ts";
import { create } from "../../kit/documents.ts";
import { hookOf, letTimePass, sendNow } from "../../kit/hooks.ts";
import type { Manner } from "../../kit/receivers.ts";

const EVENTS = ["document.created"];
const THREE = ["One", "Two", "Three"];

/** A person with new documents, and a webhook whose receiver answers like this. */
async function failing(manner: Manner, titles = ["Packing list"]) {
  const ada = await person();
  const hook = await hookOf(ada, { events: EVENTS });
  await hook.receiver.answers(manner);
  for (const title of titles) await create(ada, { title });
  return { ada, ...hook };
}

describe("a receiver that fails", () => {
  const OUTCOMES: [Manner, number | null, string][] = [
    [500, 500, "It answered 500"],
    ["redirect", 307, "It answered with a redirect, which is not followed"],
  ];
  test.for(OUTCOMES)(
    "with %s is failing, for that reason, until it has taken a message",
    async ([manner, response_status, error]) => {
      const { ada, receiver, read, deliveries } = await failing(manner);
      await sendNow(ada);
      const next_attempt_at = expect.any(String);
      expect((await deliveries()).items).toMatchObject([
        { status: "pending", attempts: 1, response_status, error, next_attempt_at },
      ]);
      expect(await read()).toMatchObject({ status: "active", failures: 1 });
      await receiver.answers(200);
      await letTimePass(ada);
      await sendNow(ada);
      expect(await read()).toMatchObject({ status: "active", failures: 0 });
      expect((await deliveries({ status: "pending" })).total).toBe(0);
    },
  );

  test("does not fail by an answer without an end: only the status counts", async () => {
    const hook = await hookOf(await person());
    for (const manner of ["endless", 204] as const) {
      await hook.receiver.answers(manner);
      expect(await hook.sendTest()).toMatchObject({ status: "delivered" });
    }
  });

  test("is tried again with growing pauses, with the same id, until a day is over", async () => {
    const { ada, receiver, deliveries, replay, messages } = await failing(503);
    const pauses: number[] = [];
    const delivery = async () => (await deliveries()).items[0];
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
    const replayed = await replay((await delivery())?.id);
    expect(replayed).toMatchObject({ status: "delivered", attempts: 1, error: null });
    expect((await messages()).length).toBe(9);
  });

  test("is left alone for a while, whatever happens", async () => {
    const { ada, receiver } = await failing(500, THREE);
    for (let times = 0; times < 5; times++) await sendNow(ada);
    expect((await receiver.received()).length).toBe(1);
  });

  test("twenty times in a row is switched off with a notice; made active again, it is sent everything", async () => {
    const { ada, receiver, read, update, messages } = await failing(500, THREE);
    for (let times = 0; times < 19; times++) {
      await sendNow(ada);
      await letTimePass(ada);
    }
    expect((await read()).status).toBe("active");
    await sendNow(ada);
    expect((await ada.ok(listWebhooksRoute)).items).toMatchObject([
      { status: "switched_off", failures: 20, notice: expect.stringContaining("after 20 failures in a row") },
    ]);
    await letTimePass(ada);
    await create(ada, { title: "Four" });
    await sendNow(ada);
    expect((await receiver.received()).length).toBe(20);

    await receiver.answers(200);
    expect(await update({ paused: false })).toMatchObject({ status: "active", notice: null, failures: 0 });
    await sendNow(ada);
    const titles = (await messages()).slice(20).map(({ data }) => data.title);
    expect(titles.sort()).toEqual(["Four", "One", "Three", "Two"]);
  });

  test("with 410 wants no more messages", async () => {
    const { ada, read } = await failing(410);
    await sendNow(ada);
    const notice = expect.stringContaining("gone");
    expect(await read()).toMatchObject({ status: "switched_off", notice });
  });

  test("does not delay another receiver of the same account", async () => {
    const { ada } = await failing(500, []);
    const good = await hookOf(ada);
    await create(ada);
    await sendNow(ada);
    expect(await good.types()).toEqual(EVENTS);
  });
});

test("a test that fails is tried once and says nothing about the webhook", async () => {
  const hook = await failing(500, []);
  const once = { event: "webhook.test", status: "failed", response_status: 500, attempts: 1 };
  expect(await hook.sendTest()).toMatchObject(once);
  expect(await hook.read()).toMatchObject({ failures: 0 });
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
