import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { deleteAccount, setClosed } from "../../../src/features/admin/store.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { overdueOwners } from "../../../src/features/jobs/chores.ts";
import { changeMemoriesRoute } from "../../../src/features/memories/routes.ts";
import { listActiveWebhooks } from "../../../src/features/webhooks/delivery-store.ts";
import { queueDueEvents } from "../../../src/features/webhooks/queue-store.ts";
import * as routes from "../../../src/features/webhooks/routes.ts";
import worker from "../../../src/index.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { create } from "../../kit/documents.ts";
import { hookOf, letTimePass, objectOfClient, Receiver, sendNow } from "../../kit/hooks.ts";
import { make, PROMISE } from "../../kit/records.ts";

// The sender of an account: what it announces by itself, receivers that are slow or hostile, and webhooks that change
// while messages are sent.

const EVENTS = ["document.created"];
const base = () => openBaseCtx(env.DB);
const runCron = () => worker.scheduled(createScheduledController({ cron: "" }), env as unknown as Env);

/** Waits until a receiver has been sent this many messages. */
const hasReceived = (receiver: Receiver, count: number) =>
  expect.poll(async () => (await receiver.received()).length).toBe(count);

/** Creates documents without waking the sender, so that one run has them all to send. */
async function changesOf(ada: Client, count: number): Promise<void> {
  const owner = await numberOf(ada);
  const set = (from: string, to: string) =>
    env.DB.prepare("UPDATE webhooks SET status = ? WHERE owner = ? AND status = ?")
      .bind(to, owner, from)
      .run();
  await set("active", "paused");
  for (let made = 1; made <= count; made++) await create(ada, { title: `${made}` });
  await set("paused", "active");
}

type Hook = Awaited<ReturnType<typeof hookOf>>;

/** What ends the messages to an address. */
const ENDINGS: Record<string, (ada: Client, hook: Hook) => Promise<unknown>> = {
  "is deleted": (ada, { params }) => ada.call(routes.deleteWebhookRoute, { params }),
  "gets another address": (_, { update }) => update({ url: new Receiver().url }),
  "is paused": (_, { update }) => update({ paused: true }),
  "belongs to an account that is closed": async (ada) =>
    setClosed(base(), (await ada.ok(getMeRoute)).email, true, { evenLastAdmin: true }),
  "belongs to an account that is deleted": async (ada) =>
    deleteAccount(base(), (await ada.ok(getMeRoute)).email),
};

describe("nothing more is sent to an address", () => {
  test.for(Object.entries(ENDINGS))("once its webhook %s, also in the middle of a run", async ([, end]) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3 }), fc.constantFrom(200, 500), async (sent, answer) => {
        const ada = await person();
        const hook = await hookOf(ada, { events: EVENTS });
        await changesOf(ada, 5);
        const { receiver } = hook;
        await receiver.answers("held");
        const run = sendNow(ada);
        for (let count = 1; count <= sent; count++) {
          await hasReceived(receiver, count);
          await receiver.answersHeld(200);
        }
        await hasReceived(receiver, sent + 1);
        await end(ada, hook);
        await receiver.answers(answer);
        await run;
        await env.DB.exec("UPDATE webhooks SET resume_at = NULL");
        await env.DB.exec(
          "UPDATE webhook_deliveries SET next_attempt_at = created_at WHERE status = 'pending'",
        );
        await runCron();
        expect(await receiver.received()).toHaveLength(sent + 1);
      }),
      { numRuns: 2 },
    );
  });
});

test("the sender of a closed account is not woken, and goes on where it was when the account is opened", async () => {
  const ada = await person();
  const { receiver, messages } = await hookOf(ada, { events: EVENTS });
  await changesOf(ada, 2);
  const { email } = await ada.ok(getMeRoute);
  await setClosed(base(), email, true, { evenLastAdmin: true });
  expect(await overdueOwners(base(), env as unknown as Env)).toEqual([]);
  await runCron();
  await sendNow(ada).catch(() => undefined);
  expect(await receiver.received()).toEqual([]);
  await setClosed(base(), email, false);
  await runCron();
  await expect.poll(async () => (await messages()).length).toBe(2);
});

describe("a test or a replay", () => {
  test("does not wait for a slow receiver of the same account", async () => {
    const ada = await person();
    const slow = await hookOf(ada, { events: EVENTS });
    const quick = await hookOf(ada, { events: EVENTS });
    await changesOf(ada, 2);
    await slow.receiver.answers("held");
    const run = sendNow(ada);
    await hasReceived(slow.receiver, 1);
    expect(await quick.sendTest()).toMatchObject({ status: "delivered" });
    expect((await slow.deliveries()).items).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
    await slow.receiver.answers(200);
    await run;
  });

  test("is sent once, whatever the sender does meanwhile", async () => {
    const STEPS = ["test", "replay", "change", "send", "cron"] as const;
    const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 2, maxLength: 12 });
    const property = fc.asyncProperty(steps, fc.constantFrom(200, 500), async (drawn, status) => {
      const ada = await person();
      const { receiver, sendTest, replay, deliveries } = await hookOf(ada, { events: EVENTS });
      await create(ada, { title: "First" });
      await sendNow(ada);
      const first = (await deliveries()).items[0]?.id ?? "";
      await receiver.answers(status);
      const acts: Record<(typeof STEPS)[number], () => Promise<unknown>> = {
        test: sendTest,
        replay: () => replay(first),
        change: () => create(ada, { title: "Another" }),
        send: () => sendNow(ada),
        cron: runCron,
      };
      await Promise.all(drawn.map((name) => acts[name]()));
      await sendNow(ada);
      const sent = (await receiver.received()).map(({ headers }) => headers["webhook-id"]);
      const timesOf = (id: string) => sent.filter((one) => one === id).length;
      const { items } = await deliveries({ limit: 100 });
      const tests = items.filter(({ event }) => event === "webhook.test");
      expect(tests.map(({ id }) => timesOf(id))).toEqual(tests.map(() => 1));
      if (status !== 200) return;
      // Two replays at the same time may be one message.
      const replays = drawn.filter((name) => name === "replay").length;
      expect(timesOf(first)).toBeGreaterThanOrEqual(1 + Math.min(replays, 1));
      expect(timesOf(first)).toBeLessThanOrEqual(1 + replays);
      const once = items.filter(({ id }) => id !== first);
      expect(once.map(({ id }) => timesOf(id))).toEqual(once.map(() => 1));
    });
    await fc.assert(property, { numRuns: 5 });
  });

  test("beside deletions and changes never gets a 5xx", async () => {
    const ada = await person();
    const { params, deliveries } = await hookOf(ada, { events: EVENTS });
    await create(ada, { title: "First" });
    await sendNow(ada);
    const replayed = { ...params, delivery_id: (await deliveries()).items[0]?.id ?? "" };
    const tests = () => Array.from({ length: 10 }, () => ada.call(routes.testWebhookRoute, { params }));
    const answers = await Promise.all([
      ...tests(),
      ...Array.from({ length: 10 }, () => ada.call(routes.replayDeliveryRoute, { params: replayed })),
      ada.call(routes.deleteWebhookRoute, { params }),
      ...tests(),
      sendNow(ada),
    ]);
    for (const answer of answers) if (answer) expect([200, 204, 404]).toContain(answer.status);
  });
});

test("a webhook whose messages cannot be made neither doubles nor delays those of another", async () => {
  const ada = await person();
  const broken = await hookOf(ada, { events: EVENTS });
  const good = await hookOf(ada, { events: EVENTS });
  await changesOf(ada, 1);
  await sendNow(ada);
  await env.DB.exec(
    "UPDATE webhook_deliveries SET data = 'not JSON', status = 'pending', next_attempt_at = '1970-01-01T00:00:00.000Z'",
  );
  await env.DB.exec(`UPDATE webhook_deliveries SET data = '{}' WHERE webhook_id = '${good.hook.id}'`);
  await good.receiver.answers("held");
  const first = sendNow(ada);
  await hasReceived(good.receiver, 2);
  const second = sendNow(ada);
  // Takes longer than a run that does not wait for the one before.
  await broken.sendTest();
  await good.receiver.answers(200);
  await Promise.allSettled([first, second]);
  expect(await good.receiver.received()).toHaveLength(2);
  expect(
    await runInDurableObject(objectOfClient(ada), (_, { storage }) => storage.getAlarm()),
  ).not.toBeNull();
});

test("many waiting messages are each sent once, the oldest first", async () => {
  const ada = await person();
  const { hook, receiver, deliveries } = await hookOf(ada, { events: EVENTS });
  const owner = await numberOf(ada);
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
     INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at, created_at)
     SELECT printf('01936b1e-7c3a-7f10-9a53-%012d', i), ?1, ?2, 'document.created', json_object('number', i),
       ?3, 'pending', 0, ?3, ?3 FROM n`,
  )
    .bind(owner, hook.id, new Date(Date.now() - 1000).toISOString())
    .run();
  const sent = async () => {
    await sendNow(ada);
    return (await receiver.received()).length;
  };
  await expect.poll(sent).toBe(60);
  const numbers = (await receiver.received()).map(({ body }) => JSON.parse(body).data.number);
  expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  expect((await deliveries({ status: "pending" })).total).toBe(0);
});

test("a failure counts only against the webhook as it is, and each one counts", async () => {
  const ada = await person();
  const { receiver, read, update, replay, deliveries } = await hookOf(ada, { events: EVENTS });
  await changesOf(ada, 6);
  await receiver.answers(500);
  for (let times = 0; times < 3; times++) {
    await letTimePass(ada);
    await sendNow(ada);
  }
  const { items } = await deliveries();
  expect((await read()).failures).toBe(3);
  await Promise.all(items.slice(0, 5).map(({ id }) => replay(id)));
  expect(await read()).toMatchObject({ failures: 8, status: "active" });

  await receiver.answers("held");
  const held = replay(items[0]?.id);
  const count = (await receiver.received()).length;
  await hasReceived(receiver, count + 1);
  const moved = await update({ url: new Receiver().url, paused: true });
  expect(moved).toMatchObject({ failures: 0, status: "paused" });
  await receiver.answers(410);
  await held;
  expect(await read()).toMatchObject({ failures: 0, status: "paused", notice: null });
});

describe("due dates", () => {
  /** What a person's webhooks do at this time. */
  async function at(client: Client, time: string) {
    const ctx = await ctxOf(client, new Date(time));
    for (const webhook of await listActiveWebhooks(ctx)) await queueDueEvents(ctx, webhook);
  }

  test("are announced once, at 8 in the morning of the time zone, and once more when they have passed", async () => {
    const ada = await person({ timezone: "Pacific/Auckland" });
    const { deliveries } = await hookOf(ada, { events: ["commitment.due", "commitment.overdue"] });
    await make(ada, { topic: "Slides", due_date: "2026-05-02" });
    await make(ada, { topic: "Later", due_date: "2026-05-09" });
    await make(ada, { memory_type: "decision", due_date: "2026-05-02" });
    await env.DB.exec("UPDATE webhooks SET due_day = '2026-05-01', due_at = '2026-05-01T20:00:00.000Z'");
    const announced = async () => (await deliveries()).items.map(({ event, data }) => [event, data.topic]);
    await at(ada, "2026-05-01T19:59:00Z");
    expect(await announced()).toEqual([]);
    for (let times = 0; times < 3; times++) await at(ada, "2026-05-01T20:17:00Z");
    expect(await announced()).toEqual([["commitment.due", "Slides"]]);
    await at(ada, "2026-05-02T19:00:00Z");
    expect(await announced()).toHaveLength(1);
    // Nothing ran on the 3rd.
    await at(ada, "2026-05-04T01:00:00Z");
    expect(await announced()).toEqual([
      ["commitment.overdue", "Slides"],
      ["commitment.due", "Slides"],
    ]);
    await at(ada, "2026-05-05T01:00:00Z");
    expect(await announced()).toHaveLength(2);
  });

  test("are all announced, however many there are on one morning", async () => {
    const ada = await person();
    const { deliveries } = await hookOf(ada, { events: ["commitment.due"] });
    for (const [due_date, count] of [
      ["2026-05-01", 6],
      ["2026-05-02", 1],
    ] as const) {
      const operations = Array.from({ length: 90 }, () => ({ operation: "create", ...PROMISE, due_date }));
      for (let bulk = 0; bulk < count; bulk++) await ada.ok(changeMemoriesRoute, { json: { operations } });
    }
    await env.DB.exec("UPDATE webhooks SET due_day = '2026-05-01'");
    await at(ada, "2026-05-02T08:17:00Z");
    expect((await deliveries()).total).toBe(90);
  });
});
