import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { changePasswordRoute, refreshRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import { deliverReminders } from "../../../src/features/reminders/deliver.ts";
import { actOnReminderRoute, updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { type Client, PASSWORD, visitor } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { personAt } from "../../kit/dashboard.ts";
import { hookOf, objectOfClient, workOfClient } from "../../kit/hooks.ts";
import { mailTo } from "../../kit/mailbox.ts";
import { browserOf } from "../../kit/push.ts";
import { change, make, read, step } from "../../kit/records.ts";

// How a person is reminded of a record at its time, and what they can do then.

const CALL = { memory_type: "commitment", topic: "Call Ada", content: "About the offer" } as const;
const AT_FIVE = { due_date: "2026-12-01", due_time: "17:00" };

const at = (time: string) => vi.setSystemTime(new Date(time));

/** Lets an account do what is due at a time. */
async function workAt(client: Client, time: string): Promise<void> {
  at(time);
  const json = { refresh_token: client.tokens?.refresh_token };
  client.tokens = await client.ok(refreshRoute, { json });
  await workOfClient(client);
}

const create = (client: Client, fields: object) => make(client, { ...CALL, ...fields });

type Shown = { title: string; body: string; tag: string; path: string; token: string };

/** A person in Berlin whose browser is notified, on the day before the call. */
async function notified() {
  const { client } = await personAt("2026-11-30T12:00:00Z", "Europe/Berlin");
  const browser = await browserOf(client);
  const shown = async () => ((await browser.read()) as Shown[]).filter(({ tag }) => tag !== "today");
  return { client, service: browser.service, shown };
}

describe("a reminder", () => {
  test("comes at its time, once, and says what and when", async () => {
    const { client, shown } = await notified();
    const { id, remind_at } = await create(client, { ...AT_FIVE, project: "Apollo" });
    expect(remind_at).toBe("2026-12-01T16:00:00.000Z");
    await workAt(client, "2026-12-01T15:59:59Z");
    expect(await shown()).toEqual([]);
    await workAt(client, "2026-12-01T16:00:10Z");
    await workAt(client, "2026-12-01T16:01:00Z");
    const actions = [
      { action: "done", title: "Done" },
      { action: "hour", title: "In an hour" },
      { action: "tomorrow", title: "Tomorrow" },
    ];
    const linked = { path: `/records/${id}`, tag: `memory-${id}`, token: expect.any(String), actions };
    expect(await shown()).toEqual([{ title: "Call Ada", body: "Due at 17:00\nApollo", ...linked }]);
    expect((await read(client, id)).remind_at).toBeNull();
  });

  test("that is months away is not forgotten by the account’s alarm, and one in centuries does not ring it now", async () => {
    // Far ahead, because the alarm itself follows the real clock.
    const { client } = await personAt("2090-12-01T12:00:00Z", "Europe/Berlin");
    for (const due_date of ["2090-12-01", "2091-02-01", "9999-12-31"])
      await create(client, { due_date, due_time: "17:00" });
    const days: string[] = [];
    for (let looked = 0; looked < 4; looked++) {
      const time = await runInDurableObject(objectOfClient(client), async (_, { storage }) => {
        const alarm = new Date((await storage.getAlarm()) ?? 0);
        await storage.deleteAlarm();
        return alarm.toISOString();
      });
      days.push(time.slice(0, 10));
      at(time);
      await workOfClient(client);
    }
    expect(days).toEqual(["2090-12-01", "2090-12-31", "2091-01-30", "2091-02-01"]);
  });

  test("comes so long before as the account says, or not at all", async () => {
    const { client } = await notified();
    await client.ok(updateRemindersRoute, { json: { remind_before: "PT30M" } });
    expect((await create(client, AT_FIVE)).remind_at).toBe("2026-12-01T15:30:00.000Z");
    await client.ok(updateRemindersRoute, { json: { remind_before: null } });
    expect((await create(client, AT_FIVE)).remind_at).toBeNull();
    const own = { ...AT_FIVE, remind: [{ before: "P1D" }] };
    expect((await create(client, own)).remind_at).toBe("2026-11-30T16:00:00.000Z");
  });

  test("of several at once is one message, and so it is after an outage", async () => {
    const { client, shown } = await notified();
    for (const topic of ["One", "Two", "Three", "Four"]) await create(client, { ...AT_FIVE, topic });
    await workAt(client, "2026-12-01T16:00:10Z");
    for (const topic of ["Five", "Six"]) await create(client, { ...AT_FIVE, due_date: "2026-12-02", topic });
    await create(client, { due_date: "2026-12-02", due_time: "03:00", topic: "Too long ago" });
    await workAt(client, "2026-12-02T18:00:00Z");
    const titles = (await shown()).map(({ title, body }) => [title, body.split("\n").length]);
    expect(titles).toEqual([
      ["4 reminders", 4],
      ["2 reminders", 2],
    ]);
  });

  test("is tried again for an hour when no browser can be reached", async () => {
    const { client, service, shown } = await notified();
    const { id } = await create(client, AT_FIVE);
    await service.answers(503);
    await workAt(client, "2026-12-01T16:00:10Z");
    expect((await read(client, id)).remind_at).toBe("2026-12-01T16:00:00.000Z");
    await service.answers(201);
    await workAt(client, "2026-12-01T16:20:00Z");
    expect((await shown()).at(-1)).toMatchObject({ title: "Call Ada" });
    expect((await read(client, id)).remind_at).toBeNull();
  });

  test("that has reached one browser is not sent twice because another is out of reach", async () => {
    const { client, shown } = await notified();
    const gone = await browserOf(client);
    await gone.service.answers(503);
    const { id } = await create(client, AT_FIVE);
    await workAt(client, "2026-12-01T16:00:10Z");
    await workAt(client, "2026-12-01T16:02:00Z");
    expect(await shown()).toHaveLength(1);
    expect((await read(client, id)).remind_at).toBeNull();
  });

  test("fits into a message, however long its words are", async () => {
    const { client, shown } = await notified();
    const topic = "\u{1F4DE}".repeat(250);
    const project = "\u{1F4DE}".repeat(100);
    for (const _ of [1, 2, 3, 4, 5]) await create(client, { ...AT_FIVE, topic, project });
    await workAt(client, "2026-12-01T16:00:10Z");
    const [notice] = await shown();
    expect(new TextEncoder().encode(JSON.stringify(notice)).length).toBeLessThan(4096 - 103);
  });

  test("comes again every hour by day until the record is done or no longer asks for that", async () => {
    const { client, shown } = await notified();
    const { id } = await create(client, { ...AT_FIVE, remind_until_done: true });
    for (const hour of ["16:00", "17:00", "18:00"]) await workAt(client, `2026-12-01T${hour}:05Z`);
    expect(await shown()).toHaveLength(3);
    await change(client, { id }, { remind_until_done: false });
    await workAt(client, "2026-12-01T19:00:05Z");
    expect(await shown()).toHaveLength(3);
  });

  test("is a message to every webhook for each record, once", async () => {
    const { client } = await notified();
    const events = ["commitment.reminder"];
    const hooks = [await hookOf(client, { events }), await hookOf(client, { events })];
    const { id } = await create(client, { ...AT_FIVE, memory_type: "blocker", scope: "work" });
    for (const topic of ["Call Grace", "Call Mary"]) await create(client, { ...AT_FIVE, topic });
    await workAt(client, "2026-12-01T16:00:10Z");
    await workAt(client, "2026-12-01T16:00:20Z");
    for (const { hook, receiver } of hooks) {
      const messages = await receiver.messages(hook.secret);
      expect(messages.map(({ data }) => data.memory_id).sort()).toEqual([id, id + 1, id + 2]);
      const first = messages.find(({ data }) => data.memory_id === id);
      expect({ type: first?.type, ...first?.data }).toEqual({
        ...{ type: "commitment.reminder", memory_id: id, memory_type: "blocker", topic: "Call Ada" },
        ...{ project: null, scope: "work", ...AT_FIVE, remind_at: "2026-12-01T16:00:00.000Z" },
      });
    }
  });

  test("is not lost when the service stops before it has written that it was given: to a webhook it comes once", async () => {
    const { client, shown } = await notified();
    const { hook, receiver } = await hookOf(client, { events: ["commitment.reminder"] });
    const { id } = await create(client, AT_FIVE);
    const ctx = await ctxOf(client, new Date("2026-12-01T16:00:05Z"));
    const batch: typeof ctx.db.batch = (statements) =>
      shown().then((given) => {
        if (given.length > 0) throw new Error("Stopped");
        return ctx.db.batch(statements);
      });
    const stopped = { ...ctx, db: Object.assign(Object.create(ctx.db), { batch }) };
    await expect(deliverReminders(stopped, env as unknown as Env)).rejects.toThrow("Stopped");
    for (const second of [10, 20]) await workAt(client, `2026-12-01T16:00:${second}Z`);
    expect([(await shown()).length, (await receiver.messages(hook.secret)).length]).toEqual([2, 1]);
    expect((await read(client, id)).remind_at).toBeNull();
  });

  test("that was given is not given again in a time zone where its time is still to come", async () => {
    const { client, shown } = await notified();
    const remind = [{ before: "P1D" }, { before: "PT0S" }];
    const { id } = await create(client, { ...AT_FIVE, due_date: "2026-12-02", remind });
    await workAt(client, "2026-12-01T16:00:10Z");
    await client.ok(updateMeRoute, { json: { timezone: "America/Los_Angeles" } });
    expect((await read(client, id)).remind_at).toBe("2026-12-03T01:00:00.000Z");
    await workAt(client, "2026-12-02T01:00:10Z");
    expect(await shown()).toHaveLength(1);
  });

  test("comes by mail to an account that asks for it, with links that do what they say", async () => {
    const { client, email } = await personAt("2026-11-30T12:00:00Z", "Europe/Berlin");
    await env.DB.prepare("UPDATE users SET email_verified_at = created_at").run();
    await client.ok(updateRemindersRoute, { json: { mail_reminders: true } });
    const { id } = await create(client, AT_FIVE);
    await workAt(client, "2026-12-01T16:00:10Z");
    const mail = await mailTo(email, "Reminder: Call Ada");
    expect(mail.text).toContain("Call Ada\nDue at 17:00");
    const [link = "", token = ""] = /\/sign-in\/reminder-done#(\S+)/.exec(mail.text) ?? [];
    expect(link).not.toBe("");
    const page = await visitor().fetch("/sign-in/reminder-done");
    expect(await page.text()).toContain("Mark as done");
    expect((await read(client, id)).status).toBe("active");
    const done = await visitor().ok(actOnReminderRoute, { json: { reminder_token: token, action: "done" } });
    expect(done).toMatchObject({ id, status: "resolved" });
  });
});

describe("from a reminder", () => {
  /** A record whose reminder has just come, with what the notification can do. */
  async function reminded(fields: object = AT_FIVE) {
    const { client, shown } = await notified();
    const { id } = await create(client, fields);
    await workAt(client, "2026-12-01T16:00:10Z");
    const [notice] = await shown();
    const act = (action: "done" | "hour" | "tomorrow") =>
      visitor().call(actOnReminderRoute, { json: { reminder_token: notice?.token ?? "", action } });
    return { client, id, token: notice?.token ?? "", act, shown };
  }

  test("a record is done without a sign-in, once", async () => {
    const { client, id, act } = await reminded();
    const first = await act("done");
    expect([first.status, first.body]).toMatchObject([200, { id, status: "resolved", remind_at: null }]);
    expect(first.headers.get("Change-Id")).toBeTruthy();
    expect((await act("done")).headers.get("Change-Id")).toBeNull();
    expect((await act("hour")).body).toMatchObject({ status: "resolved" });
    expect((await read(client, id)).status).toBe("resolved");
  });

  test("the reminder comes again in an hour", async () => {
    const { client, act, shown } = await reminded();
    expect((await act("hour")).body).toMatchObject({ remind_at: "2026-12-01T17:00:00.000Z" });
    await workAt(client, "2026-12-01T17:00:10Z");
    expect(await shown()).toHaveLength(2);
  });

  test("it is due tomorrow at the same hour", async () => {
    const { act } = await reminded();
    const moved = { due_date: "2026-12-02", remind_at: "2026-12-02T16:00:00.000Z" };
    expect((await act("tomorrow")).body).toMatchObject(moved);
    expect((await act("tomorrow")).body).toMatchObject(moved);
  });

  test("a record without a day is reminded of tomorrow", async () => {
    const { act } = await reminded({ remind: [{ at: "2026-12-01T17:00" }] });
    expect((await act("tomorrow")).body).toMatchObject({
      due_date: null,
      remind_at: "2026-12-02T08:00:00.000Z",
    });
  });

  test("the token does nothing else, not for long, and not after a new password", async () => {
    const { client, id, token, act } = await reminded();
    const headers = { Authorization: `Bearer ${token}` };
    expect((await visitor().fetch(`/api/memories/${id}`, { headers })).status).toBe(401);
    expect((await visitor().fetch("/api/documents", { headers })).status).toBe(401);
    const forged = `${token.slice(0, -4)}AAAA`;
    const json = { reminder_token: forged, action: "done" };
    expect((await visitor().call(actOnReminderRoute, { json })).status).toBe(401);
    at("2026-12-08T16:00:20Z");
    expect((await act("done")).status).toBe(401);
    at("2026-12-01T16:00:20Z");
    const passwords = { current_password: PASSWORD, new_password: "another long password" };
    await client.ok(changePasswordRoute, { json: passwords });
    expect((await act("done")).status).toBe(401);
  });

  test("a record that was archived stays so, and the answer says it", async () => {
    const { client, id, act } = await reminded();
    await step(client, { id }, "archive");
    const refused = await act("done");
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("archived")]);
    expect((await act("tomorrow")).body).toMatchObject({ status: "archived" });
  });
});
