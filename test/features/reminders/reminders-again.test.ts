import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { person } from "../../kit/client.ts";
import { cron, objectOf, workOf } from "../../kit/hooks.ts";
import { mailService, mailTo, VERIFY } from "../../kit/mailbox.ts";

// The day by mail while the mail server takes none: rather none than two, but what is known not to be sent is sent again.

/** No server listens there. */
const NOBODY = "smtp://127.0.0.1:9";

/** Creates an account whose daily mail has been due since the beginning of this hour; returns its address. */
async function expecting(): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const ada = await person({ email });
  await mailTo(email, VERIFY);
  await env.DB.prepare("UPDATE users SET email_verified_at = created_at WHERE email = ?").bind(email).run();
  const now = new Date().toISOString();
  await ada.ok(createMemoryRoute, {
    json: { memory_type: "commitment", topic: "Slides", content: "C", due_date: now.slice(0, 10) },
  });
  const mail_hour = Number(now.slice(11, 13));
  await ada.ok(updateRemindersRoute, { json: { mail_hour } });
  await env.DB.prepare("UPDATE reminders SET mail_at = ? WHERE mail_at IS NOT NULL")
    .bind(`${now.slice(0, 13)}:00:00.000Z`)
    .run();
  return email;
}

const silenced = () => vi.spyOn(console, "error").mockImplementation(() => undefined);
const logged = (log: ReturnType<typeof silenced>) => log.mock.calls.flat().join();
const FAILED = '"chore":"mail"';

const down = { EMAIL: undefined, SMTP_URL: NOBODY };

test("a mail that no server has taken is sent a minute later, once the server is back", async () => {
  const log = silenced();
  const email = await expecting();
  await cron(down);
  expect(await mailService.count(email)).toBe(0);
  expect(logged(log)).toContain(FAILED);
  const owner = await env.DB.prepare("SELECT number FROM users").first<number>("number");
  const place = { home: 1, owner: owner ?? 0 };
  const again = await runInDurableObject(objectOf(place), (_, { storage }) => storage.getAlarm());
  expect(again).toBeGreaterThan(Date.now() - 1000);
  expect(again).toBeLessThanOrEqual(Date.now() + 60_000);
  await workOf(place, env as unknown as Env);
  expect(await mailService.count(email)).toBe(1);
  await cron({});
  expect(await mailService.count(email)).toBe(1);
  log.mockRestore();
});

test("… or in the next one, and after an hour no more", async () => {
  const log = silenced();
  const email = await expecting();
  await cron(down);
  await cron({});
  expect(await mailService.count(email)).toBe(1);

  const late = await expecting();
  const before = new Date(Date.now() - 5_400_000).toISOString();
  await env.DB.prepare("UPDATE reminders SET mail_at = ? WHERE mail_at IS NOT NULL").bind(before).run();
  await cron(down);
  await cron({});
  expect(await mailService.count(late)).toBe(0);
  log.mockRestore();
});

test("a mail of which it is not known whether it was sent is not sent again", async () => {
  const log = silenced();
  const email = await expecting();
  let handed = 0;
  const send = () => {
    handed += 1;
    return Promise.reject(new Error("Network connection lost"));
  };
  await cron({ EMAIL: { send } });
  await cron({});
  expect([handed, await mailService.count(email)]).toEqual([1, 0]);
  log.mockRestore();
});
