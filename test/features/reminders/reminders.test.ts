import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { changePasswordRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import type { Env } from "../../../src/env.ts";
import worker from "../../../src/index.ts";
import { changeMemoriesRoute, createMemoryRoute } from "../../../src/memories/routes.ts";
import * as push from "../../../src/features/push/routes.ts";
import { agendaOf, type Day, type DayItem, type DayList, noticeOf } from "../../../src/features/reminders/agenda.ts";
import { getRemindersRoute, updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { claimDay, listReminded, readDay, updateReminders } from "../../../src/features/reminders/store.ts";
import { type Client, PASSWORD, person, signIn } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { Receiver } from "../../kit/hooks.ts";
import { mailService, mailTo, VERIFY } from "../../kit/mailbox.ts";
import { browserKeys, browserSecrets, decrypted, keysOf } from "../../kit/push.ts";

const RECORD = { memory_type: "commitment", content: "C" };
const today = () => new Date().toISOString().slice(0, 10);

/** A browser of this person that is notified. */
async function browserOf(client: Client) {
  const [service, secrets] = [new Receiver(), await browserSecrets()];
  const json = { endpoint: service.url, keys: keysOf(secrets) };
  const subscription = await client.ok(push.subscribeToPushRoute, { json });
  const read = async () =>
    Promise.all(
      (await service.received()).map(async ({ bytes }) =>
        JSON.parse(await decrypted(new Uint8Array(bytes), secrets)),
      ),
    );
  return { service, subscription, read };
}

const PAST = "2026-01-01T00:00:00.000Z";
const letHourCome = () =>
  env.DB.prepare("UPDATE reminders SET push_at = ? WHERE push_at IS NOT NULL").bind(PAST).run();
const runCron = () => worker.scheduled(createScheduledController({ cron: "" }), env as unknown as Env);

describe("a browser that has subscribed", () => {
  test("shows what is due today, encrypted, once a day", async () => {
    const ada = await person();
    const { service, read } = await browserOf(ada);
    for (const topic of ["Slides", "Call Grace"])
      await ada.ok(createMemoryRoute, { json: { ...RECORD, content: topic, topic, due_date: today() } });
    await runCron();
    expect(await service.received()).toEqual([]);
    // The hour has passed today already, or else it is waited for.
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    await Promise.all([runCron(), runCron()]);
    expect(await read()).toEqual([{ title: "2 due today", body: "Call Grace\nSlides", path: "/" }]);
    await runCron();
    const received = await service.received();
    expect(received).toHaveLength(1);
    const headers = received[0]?.headers ?? {};
    expect(JSON.stringify(received)).not.toContain("Slides");
    expect(headers).toMatchObject({ "content-encoding": "aes128gcm", topic: "today", ttl: "43200" });

    const { public_key } = await ada.ok(push.listPushSubscriptionsRoute);
    const [, token = "", key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
    expect(key).toBe(public_key);
    const point = Uint8Array.from(atob(public_key.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const imported = await crypto.subtle.importKey("raw", point, algorithm, false, ["verify"]);
    const { payload } = await jwtVerify(token, imported, { audience: new URL(service.url).origin });
    expect(payload.sub).toBe("https://commonplace.test");
  });

  test("shows nothing on a day on which nothing is due", async () => {
    const ada = await person();
    const { service } = await browserOf(ada);
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Late", due_date: "2026-01-01" } });
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    await runCron();
    expect(await service.received()).toEqual([]);
  });

  test.for([404, 410])("is forgotten when its push service answers %i", async (status) => {
    const ada = await person();
    const [gone, kept] = [await browserOf(ada), await browserOf(ada)];
    await gone.service.answers(status);
    await kept.service.answers(201);
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    await runCron();
    const { items } = await ada.ok(push.listPushSubscriptionsRoute);
    expect(items.map(({ id }) => id)).toEqual([kept.subscription.id]);
  });

  test("is notified although another account's push service does not answer", async () => {
    const [ada, eve] = [await person(), await person()];
    const [slow, good] = [await browserOf(eve), await browserOf(ada)];
    await browserOf(eve);
    for (const client of [eve, ada])
      await client.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    await slow.service.answers("held");
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    const run = runCron();
    await expect.poll(async () => (await good.read()).length, { timeout: 8000 }).toBe(1);
    await slow.service.answers(201);
    await run;
    expect(await slow.read()).toHaveLength(1);
  });

  test("is notified although those before and after it are not reached", async () => {
    const ada = await person();
    const browsers = [await browserOf(ada), await browserOf(ada), await browserOf(ada)];
    const [first, good, last] = browsers;
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    for (const slow of [first, last]) await slow?.service.answers("held");
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    const run = runCron();
    await expect.poll(async () => (await good?.read())?.length, { timeout: 8000 }).toBe(1);
    for (const slow of [first, last]) await slow?.service.answers(201);
    await run;
  });

  test("is no longer notified once its session has ended", async () => {
    const ada = await person({ email: "ada@example.com" });
    const { service } = await browserOf(ada);
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    const change = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
    expect((await ada.call(changePasswordRoute, { json: change })).status).toBe(204);
    const again = await signIn("ada@example.com", `${PASSWORD}!`);
    expect((await again.ok(getRemindersRoute)).next_push_at).toBeNull();
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    await runCron();
    expect(await service.received()).toEqual([]);
    expect((await again.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
  });

  test("belongs to whoever subscribed last, and can be ended by nobody else", async () => {
    const [ada, eve] = [await person(), await person()];
    const { subscription, service } = await browserOf(ada);
    const params = { subscription_id: subscription.id };
    expect(await eve.refusal(push.unsubscribeFromPushRoute, { params })).toEqual({
      status: 404,
      detail: "Not found",
    });
    expect((await eve.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
    const json = { endpoint: service.url, keys: await browserKeys() };
    await eve.ok(push.subscribeToPushRoute, { json });
    expect((await ada.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
    expect((await eve.call(push.unsubscribeFromPushRoute, { params })).status).toBe(204);
  });

  test("must have keys of the right size, at a public address", async () => {
    const ada = await person();
    const keys = await browserKeys();
    for (const json of [
      { endpoint: "https://127.0.0.1/push", keys },
      { endpoint: "http://push.example.com/", keys },
      { endpoint: "https://push.example.com/", keys: { ...keys, auth: "short" } },
      { endpoint: "https://push.example.com/", keys: { ...keys, p256dh: keys.auth } },
    ])
      expect((await ada.refusal(push.subscribeToPushRoute, { json })).status).toBe(422);
  });
});

/** Somebody whose e-mail address is confirmed. */
async function confirmed(fields: { email?: string; timezone?: string } = {}): Promise<Client> {
  const client = await person(fields);
  await env.DB.prepare("UPDATE users SET email_verified_at = created_at").run();
  return client;
}

describe("the day by mail", () => {
  const EMAIL = "ada@example.com";
  const hourHasCome = () =>
    env.DB.prepare("UPDATE reminders SET mail_hour = 0, mail_at = ?").bind(PAST).run();

  test("comes once, however often the cron handler runs, and not on a day with nothing to say", async () => {
    await mailService.clear();
    const ada = await confirmed({ email: EMAIL });
    await mailTo(EMAIL, VERIFY);
    await ada.ok(updateRemindersRoute, { json: { mail_hour: 6 } });
    await hourHasCome();
    await runCron();
    expect(await mailService.count(EMAIL)).toBe(0);
    await ada.ok(createMemoryRoute, {
      json: { ...RECORD, topic: "Send <Grace> the slides", due_date: today() },
    });
    await runCron();
    expect(await mailService.count(EMAIL)).toBe(0);
    await hourHasCome();
    await Promise.all([runCron(), runCron()]);
    await runCron();
    expect(await mailService.count(EMAIL)).toBe(1);
    const day = new Intl.DateTimeFormat("en-GB", {
      weekday: "long",
      day: "numeric",
      month: "long",
      timeZone: "UTC",
    });
    const { text, html } = await mailTo(EMAIL, `${day.format(new Date())}: 1 due today`);
    expect(text).toContain("Due today\n- Send <Grace> the slides");
    expect(text).toContain("https://commonplace.test/settings");
    expect(html).toContain("Send &lt;Grace&gt; the slides");
  });

  test("goes only to an address that has been confirmed", async () => {
    await mailService.clear();
    const ada = await person({ email: EMAIL });
    await mailTo(EMAIL, VERIFY);
    const refusal = await ada.refusal(updateRemindersRoute, { json: { mail_hour: 6 } });
    expect(refusal).toMatchObject({
      status: 403,
      detail: expect.stringContaining("Confirm your e-mail address first"),
    });
    await ada.ok(updateRemindersRoute, { json: { push_hour: 9 } });
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    await hourHasCome();
    await runCron();
    expect(await mailService.count(EMAIL)).toBe(0);
  });

  test("cannot be chosen where there is no mail server", async () => {
    const ada = await confirmed();
    const ctx = await ctxOf(ada);
    await expect(updateReminders(ctx, { mail_hour: 6 }, false)).rejects.toThrow("cannot send e-mail");
  });

  test("of one account that fails does not keep others from theirs", async () => {
    await mailService.clear();
    const [ada, eve] = [await confirmed({ email: EMAIL }), await confirmed({ email: "eve@example.com" })];
    await mailTo("eve@example.com", VERIFY);
    for (const client of [ada, eve]) {
      await client.ok(updateRemindersRoute, { json: { mail_hour: 6 } });
      await client.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    }
    await hourHasCome();
    await env.DB.prepare("UPDATE users SET timezone = 'Nowhere' WHERE email = ?").bind(EMAIL).run();
    await runCron();
    expect(await mailService.count("eve@example.com")).toBe(1);
  });
});

describe("the hour of a reminder", () => {
  test("is off for mail until it is chosen, and begins the next time the clock strikes it", async () => {
    const ada = await confirmed({ timezone: "Asia/Kolkata" });
    expect(await ada.ok(getRemindersRoute)).toMatchObject({
      mail_hour: null,
      push_hour: 8,
      next_mail_at: null,
      next_push_at: null,
    });
    const { next_mail_at } = await ada.ok(updateRemindersRoute, { json: { mail_hour: 7 } });
    const next = Date.parse(next_mail_at ?? "") - Date.now();
    expect(next_mail_at).toMatch(/T01:30:00.000Z$/);
    expect(next).toBeGreaterThan(0);
    expect(next).toBeLessThanOrEqual(86_400_000);
    const off = await ada.ok(updateRemindersRoute, { json: { mail_hour: null } });
    expect(off).toMatchObject({ mail_hour: null, next_mail_at: null, push_hour: 8 });
    for (const mail_hour of [24, -1, 7.5, "7"])
      expect((await ada.refusal(updateRemindersRoute, { json: { mail_hour } })).status).toBe(422);
  });

  test("comes once a day, in whichever time zone the account is", async () => {
    const ada = await confirmed({ timezone: "Asia/Tokyo" });
    await ada.ok(updateRemindersRoute, { json: { mail_hour: 8 } });
    const at = async (time: string) => {
      const ctx = await ctxOf(ada, new Date(time));
      const claims = [];
      for (const reminded of await listReminded(ctx, "mail")) {
        const twice = [claimDay(ctx, "mail", reminded), claimDay(ctx, "mail", reminded)];
        claims.push(...(await Promise.all(twice)));
      }
      return claims.filter(Boolean).length;
    };
    await env.DB.prepare("UPDATE reminders SET mail_at = '2026-05-01T23:00:00.000Z'").run();
    expect(await at("2026-05-01T22:59:00Z")).toBe(0);
    expect(await at("2026-05-01T23:17:00Z")).toBe(1);
    expect(await at("2026-05-01T23:18:00Z")).toBe(0);
    // Nothing ran for three days.
    expect(await at("2026-05-05T03:00:00Z")).toBe(1);
    expect(await at("2026-05-05T04:00:00Z")).toBe(0);
    await ada.ok(updateMeRoute, { json: { timezone: "Pacific/Auckland" } });
    await env.DB.prepare("UPDATE reminders SET mail_at = '2026-05-06T13:00:00.000Z'").run();
    // One in the morning there: it is waited for.
    expect(await at("2026-05-06T13:17:00Z")).toBe(0);
    expect(await at("2026-05-06T20:17:00Z")).toBe(1);
  });
});

describe("what is said about a day", () => {
  const item = (id: number, fields: Partial<DayItem> = {}): DayItem => ({
    ...{ id, topic: `Topic ${id}`, project: null, due_date: "2026-05-04", days_overdue: 0 },
    ...fields,
  });
  const list = (items: DayItem[], total = items.length): DayList => ({ items, total });
  const day = (fields: Partial<Day> = {}): Day => ({
    today: "2026-05-04",
    overdue: list([]),
    due: list([]),
    soon: list([]),
    ...fields,
  });

  test("is nothing when nothing is due or overdue", () => {
    expect(agendaOf(day({ soon: list([item(1)]) }), "https://notes.example")).toBeUndefined();
    expect(noticeOf(day({ overdue: list([item(1)]), soon: list([item(2)]) }))).toBeUndefined();
  });

  test("in a mail is what is due, overdue and soon, in the words of the records", () => {
    const overdue = list([item(1, { project: "Apollo", days_overdue: 1 }), item(2, { days_overdue: 3 })]);
    const soon = list([item(4, { due_date: "2026-05-07" })]);
    const agenda = agendaOf(day({ due: list([item(3)]), overdue, soon }), "https://notes.example");
    expect(agenda?.subject).toBe("Monday 4 May: 1 due today, 2 overdue");
    expect(agenda?.body.slice(0, 4)).toEqual([
      "Due today\n- Topic 3",
      "Overdue\n- Topic 1 (Apollo), 1 day overdue\n- Topic 2, 3 days overdue",
      "In the next seven days\n- Topic 4, Thursday 7 May",
      { text: "Open Today", url: "https://notes.example/" },
    ]);
  });

  test("has a line for each record, whatever is in its topic and project", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom("\n", "\r", "\u2028", "\u0085", "a")).map((parts) => parts.join("")),
    );
    const items = fc.array(fc.record({ topic: text, project: fc.option(text) }), {
      minLength: 1,
      maxLength: 20,
    });
    const property = fc.property(items, (fields) => {
      const due = list(fields.map((one, index) => item(index, one)));
      const [section] = agendaOf(day({ due }), undefined)?.body ?? [];
      expect(String(section).split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(due.total + 1);
      expect(noticeOf(day({ due }))?.body.split(/[\n\r\u0085\u2028\u2029]/).length).toBe(
        Math.min(due.total, 4),
      );
    });
    fc.assert(property, { numRuns: 20 });
  });

  test("names twenty of each kind in a mail and three in a notification", () => {
    const due = list(
      Array.from({ length: 20 }, (_, index) => item(index)),
      123,
    );
    expect(agendaOf(day({ due }), undefined)?.body[0]).toMatch(/- Topic 19\n- and 103 more$/);
    expect(noticeOf(day({ due }))).toEqual({
      title: "123 due today",
      body: "Topic 0\nTopic 1\nTopic 2\nand 120 more",
      path: "/",
    });
  });

  test("comes from the account's own records, of every type", async () => {
    const [ada, eve] = [await person(), await person()];
    await eve.ok(createMemoryRoute, { json: { ...RECORD, topic: "Eve's", due_date: "2026-05-04" } });
    for (const [topic, memory_type, due_date] of [
      ["Late", "decision", "2026-05-01"],
      ["Now", "blocker", "2026-05-04"],
      ["Soon", "commitment", "2026-05-11"],
      ["Later", "commitment", "2026-05-12"],
    ] as const)
      await ada.ok(createMemoryRoute, { json: { topic, memory_type, content: topic, due_date } });
    const found = await readDay(await ctxOf(ada, new Date("2026-05-04T12:00:00Z")));
    const topics = ({ items }: DayList) => items.map(({ topic }) => topic);
    expect([found.overdue, found.due, found.soon].map(topics)).toEqual([["Late"], ["Now"], ["Soon"]]);
    expect(found.overdue.items[0]?.days_overdue).toBe(3);
  });

  test("counts all records, however many there are", async () => {
    const ada = await person();
    const operations = ["2026-05-01", "2026-05-04", "2026-05-11"].flatMap((due_date) =>
      Array.from({ length: 25 }, () => ({ operation: "create", ...RECORD, topic: "Slides", due_date })),
    );
    await ada.ok(changeMemoriesRoute, { json: { operations } });
    const found = await readDay(await ctxOf(ada, new Date("2026-05-04T12:00:00Z")));
    for (const { items, total } of [found.overdue, found.due, found.soon])
      expect([items.length, total]).toEqual([20, 25]);
  });
});
