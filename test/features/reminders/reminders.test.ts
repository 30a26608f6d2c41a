import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { changePasswordRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import * as push from "../../../src/features/push/routes.ts";
import { getRemindersRoute, updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { claimDay, findDueDay, updateReminders } from "../../../src/features/reminders/store.ts";
import { type Client, PASSWORD, person, signIn } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { cron } from "../../kit/hooks.ts";
import { mailService, mailTo, VERIFY } from "../../kit/mailbox.ts";
import { browserKeys, browserOf } from "../../kit/push.ts";

const RECORD = { memory_type: "commitment", content: "C" };
const today = () => new Date().toISOString().slice(0, 10);

const PAST = "2026-01-01T00:00:00.000Z";

/** The hour of push notifications has passed today already: otherwise it is waited for. */
const letHourCome = () =>
  env.DB.batch([
    env.DB.prepare("UPDATE reminders SET push_hour = 0"),
    env.DB.prepare("UPDATE reminders SET push_at = ? WHERE push_at IS NOT NULL").bind(PAST),
  ]);

const dueToday = (client: Client, topic = "Slides") =>
  client.ok(createMemoryRoute, { json: { ...RECORD, topic, content: topic, due_date: today() } });

describe("a browser that has subscribed", () => {
  test("shows what is due today, encrypted, once a day", async () => {
    const ada = await person();
    const { service, read } = await browserOf(ada);
    for (const topic of ["Slides", "Call Grace"]) await dueToday(ada, topic);
    await cron();
    expect(await service.received()).toEqual([]);
    await letHourCome();
    await Promise.all([cron(), cron()]);
    expect(await read()).toEqual([
      { title: "2 due today", body: "Call Grace\nSlides", path: "/", tag: "today" },
    ]);
    await cron();
    const received = await service.received();
    expect(received).toHaveLength(1);
    const headers = received[0]?.headers ?? {};
    expect(JSON.stringify(received)).not.toContain("Slides");
    expect(headers).toMatchObject({ "content-encoding": "aes128gcm", topic: "today", ttl: "43200" });

    const { public_key } = await ada.ok(push.listPushSubscriptionsRoute);
    const [, token = "", key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
    expect(key).toBe(public_key);
    const point = Buffer.from(public_key, "base64url");
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const imported = await crypto.subtle.importKey("raw", point, algorithm, false, ["verify"]);
    const { payload } = await jwtVerify(token, imported, { audience: new URL(service.url).origin });
    expect(payload.sub).toBe("https://commonplace.test");
  });

  test("shows nothing on a day on which nothing is due", async () => {
    const ada = await person();
    const { service } = await browserOf(ada);
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Late", due_date: "2026-01-01" } });
    await letHourCome();
    await cron();
    expect(await service.received()).toEqual([]);
  });

  test.for([404, 410])("is forgotten when its push service answers %i", async (status) => {
    const ada = await person();
    const [gone, kept] = [await browserOf(ada), await browserOf(ada)];
    await gone.service.answers(status);
    await kept.service.answers(201);
    await dueToday(ada);
    await letHourCome();
    await cron();
    const { items } = await ada.ok(push.listPushSubscriptionsRoute);
    expect(items.map(({ id }) => id)).toEqual([kept.subscription.id]);
  });

  test("is notified although another account's push service does not answer", async () => {
    const [ada, eve] = [await person(), await person()];
    const [slow, good] = [await browserOf(eve), await browserOf(ada)];
    await browserOf(eve);
    for (const client of [eve, ada]) await dueToday(client);
    await slow.service.answers("held");
    await letHourCome();
    const run = cron();
    await expect.poll(async () => (await good.read()).length, { timeout: 8000 }).toBe(1);
    await slow.service.answers(201);
    await run;
    expect(await slow.read()).toHaveLength(1);
  });

  test("is notified although those before and after it are not reached", async () => {
    const ada = await person();
    const browsers = [await browserOf(ada), await browserOf(ada), await browserOf(ada)];
    const [first, good, last] = browsers;
    await dueToday(ada);
    for (const slow of [first, last]) await slow?.service.answers("held");
    await letHourCome();
    const run = cron();
    await expect.poll(async () => (await good?.read())?.length, { timeout: 8000 }).toBe(1);
    for (const slow of [first, last]) await slow?.service.answers(201);
    await run;
  });

  test("is no longer notified once its session has ended", async () => {
    const ada = await person({ email: "ada@example.com" });
    const { service } = await browserOf(ada);
    await dueToday(ada);
    const change = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
    expect((await ada.call(changePasswordRoute, { json: change })).status).toBe(204);
    const again = await signIn("ada@example.com", `${PASSWORD}!`);
    expect((await again.ok(getRemindersRoute)).next_push_at).toBeNull();
    await letHourCome();
    await cron();
    expect(await service.received()).toEqual([]);
    expect((await again.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
  });

  test("belongs to the account that subscribed last, which alone can end it", async () => {
    const [ada, eve] = [await person(), await person()];
    const { subscription, service } = await browserOf(ada);
    const params = { subscription_id: subscription.id };
    const refused = await eve.refusal(push.unsubscribeFromPushRoute, { params });
    expect(refused).toEqual({ status: 404, detail: "Not found" });
    expect((await eve.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
    const json = { endpoint: service.url, keys: await browserKeys() };
    await eve.ok(push.subscribeToPushRoute, { json });
    expect((await ada.ok(push.listPushSubscriptionsRoute)).items).toEqual([]);
    expect((await eve.call(push.unsubscribeFromPushRoute, { params })).status).toBe(204);
  });

  test("must have a point of P-256 as its key, a secret of the right size, and a public address", async () => {
    const ada = await person();
    const keys = await browserKeys();
    const point = [...Buffer.from(keys.p256dh, "base64url")];
    const withPoint = (bytes: number[]) => ({ ...keys, p256dh: Buffer.from(bytes).toString("base64url") });
    const endpoint = "https://push.example.com/";
    for (const [json, name] of [
      [{ endpoint: "https://127.0.0.1/push", keys }, "endpoint"],
      [{ endpoint: "http://push.example.com/", keys }, "endpoint"],
      [{ endpoint, keys: { ...keys, auth: "short" } }, "keys.auth"],
      [{ endpoint, keys: { ...keys, p256dh: keys.auth } }, "keys.p256dh"],
      [{ endpoint, keys: withPoint([2, ...point.slice(1)]) }, "keys.p256dh"],
      [{ endpoint, keys: withPoint(point.with(40, (point[40] ?? 0) ^ 1)) }, "keys.p256dh"],
      [{ endpoint, keys: withPoint([4, ...Array(64).fill(255)]) }, "keys.p256dh"],
    ] as const) {
      const { status, detail } = await ada.refusal(push.subscribeToPushRoute, { json });
      expect([status, detail]).toEqual([422, expect.stringContaining(name)]);
    }
  });
});

/** A person whose email address is confirmed. */
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
    await cron();
    expect(await mailService.count(EMAIL)).toBe(0);
    await dueToday(ada, "Send <Grace> the slides");
    await cron();
    expect(await mailService.count(EMAIL)).toBe(0);
    await hourHasCome();
    await Promise.all([cron(), cron()]);
    await cron();
    expect(await mailService.count(EMAIL)).toBe(1);
    const date = { weekday: "long", day: "numeric", month: "long" } as const;
    const day = new Intl.DateTimeFormat("en-GB", { ...date, timeZone: "UTC" });
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
    const detail = expect.stringContaining("Confirm your email address first");
    expect(refusal).toEqual({ status: 403, detail });
    await ada.ok(updateRemindersRoute, { json: { push_hour: 9 } });
    await dueToday(ada);
    await hourHasCome();
    await cron();
    expect(await mailService.count(EMAIL)).toBe(0);
  });

  test("cannot be chosen where there is no mail server", async () => {
    const ada = await confirmed();
    const ctx = await ctxOf(ada);
    await expect(updateReminders(ctx, { mail_hour: 6 }, false)).rejects.toThrow("cannot send email");
  });

  test("of one account that fails does not keep others from theirs", async () => {
    await mailService.clear();
    const [ada, eve] = [await confirmed({ email: EMAIL }), await confirmed({ email: "eve@example.com" })];
    await mailTo("eve@example.com", VERIFY);
    for (const client of [ada, eve]) {
      await client.ok(updateRemindersRoute, { json: { mail_hour: 6 } });
      await dueToday(client);
    }
    await hourHasCome();
    await env.DB.prepare("UPDATE users SET timezone = 'Nowhere' WHERE email = ?").bind(EMAIL).run();
    await cron();
    expect(await mailService.count("eve@example.com")).toBe(1);
  });
});

describe("the hour of a reminder", () => {
  test("is off for mail until it is chosen, and begins the next time the clock strikes it", async () => {
    const ada = await confirmed({ timezone: "Asia/Kolkata" });
    const none = { next_mail_at: null, next_push_at: null };
    expect(await ada.ok(getRemindersRoute)).toMatchObject({ mail_hour: null, push_hour: 8, ...none });
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
      const reminded = await findDueDay(ctx, "mail");
      if (!reminded) return 0;
      const twice = [claimDay(ctx, "mail", reminded), claimDay(ctx, "mail", reminded)];
      return (await Promise.all(twice)).filter(Boolean).length;
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
