import { env } from "cloudflare:workers";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { changePasswordRoute, getMeRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import * as push from "../../../src/features/push/routes.ts";
import { getRemindersRoute, updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { claimDay, findDueDay, updateReminders } from "../../../src/features/reminders/store.ts";
import { type Client, PASSWORD, person, signIn } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { exported, send } from "../../kit/files.ts";
import { cron } from "../../kit/hooks.ts";
import { mailService, mailTo, VERIFY } from "../../kit/mailbox.ts";
import { browserKeys, browserOf } from "../../kit/push.ts";

const RECORD = { memory_type: "commitment", content: "C" };
const today = () => new Date().toISOString().slice(0, 10);

describe("a time zone that comes with an import", () => {
  test.for(["Pacific/Auckland", "America/Los_Angeles"])(
    "moves reminders as one from the settings does: %s",
    async (timezone) => {
      const nextIn = async (zone: string, change: (client: Client) => Promise<unknown>) => {
        const ada = await person({ timezone: zone });
        await browserOf(ada);
        await change(ada);
        const { timezone: now } = await ada.ok(getMeRoute);
        const { next_push_at } = await ada.ok(getRemindersRoute);
        return { now, next_push_at };
      };
      const bob = await person({ timezone });
      const file = await exported(bob);
      for (const zone of ["UTC", "Europe/Berlin"]) {
        const patched = await nextIn(zone, (ada) => ada.ok(updateMeRoute, { json: { timezone } }));
        const imported = await nextIn(zone, (ada) => send(ada, file, "?mode=overwrite"));
        expect(imported).toEqual(patched);
        expect(imported.now).toBe(timezone);
        const stayed = await nextIn(zone, async () => {});
        expect(stayed.next_push_at).not.toBe(imported.next_push_at);
      }
    },
  );
});

const PAST = "2026-01-01T00:00:00.000Z";
const letHourCome = () =>
  env.DB.prepare("UPDATE reminders SET push_at = ? WHERE push_at IS NOT NULL").bind(PAST).run();

describe("a browser that has subscribed", () => {
  test("shows what is due today, encrypted, once a day", async () => {
    const ada = await person();
    const { service, read } = await browserOf(ada);
    for (const topic of ["Slides", "Call Grace"])
      await ada.ok(createMemoryRoute, { json: { ...RECORD, content: topic, topic, due_date: today() } });
    await cron();
    expect(await service.received()).toEqual([]);
    // The hour has passed today already, or else it is waited for.
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
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
    await cron();
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
    await cron();
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
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
    for (const slow of [first, last]) await slow?.service.answers("held");
    await env.DB.prepare("UPDATE reminders SET push_hour = 0").run();
    await letHourCome();
    const run = cron();
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
    await cron();
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

/** Somebody whose email address is confirmed. */
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
    await ada.ok(createMemoryRoute, {
      json: { ...RECORD, topic: "Send <Grace> the slides", due_date: today() },
    });
    await cron();
    expect(await mailService.count(EMAIL)).toBe(0);
    await hourHasCome();
    await Promise.all([cron(), cron()]);
    await cron();
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
      detail: expect.stringContaining("Confirm your email address first"),
    });
    await ada.ok(updateRemindersRoute, { json: { push_hour: 9 } });
    await ada.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
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
      await client.ok(createMemoryRoute, { json: { ...RECORD, topic: "Slides", due_date: today() } });
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
