import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { decodeJwt } from "jose";
import type { Worker } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import type { Env } from "../../src/env.ts";
import { signingKeys } from "../../src/features/auth/token.ts";
import { signReminderToken } from "../../src/features/reminders/action-token.ts";
import { enter, openApp, WITH_WORKER } from "./app.ts";
import { launch, WHOLE_CHROMIUM } from "./browser.ts";
import { newPerson, stageFor } from "./stage.ts";

// A reminder on a device on which the app is closed. The push service of the browser is out of reach, so that the message is
// handed to the service worker here, as the browser would hand it over.

const stage = stageFor();

/** The token with which a reminder of a record comes. */
async function tokenOf(access: string, user_id: string, memory_id: number): Promise<string> {
  const { home, num: owner } = decodeJwt<{ home: number; num: number }>(access);
  // `npm start` has written the secret there.
  const keys = await signingKeys(parseEnv(readFileSync(".dev.vars", "utf8")) as unknown as Env);
  return signReminderToken(keys, { home, owner, user_id, epoch: 0, memory_id }, new Date());
}

const push = (worker: Worker, notice: object) =>
  worker.evaluate(
    `self.dispatchEvent(Object.assign(new PushEvent("push", { data: ${JSON.stringify(JSON.stringify(notice))} })))`,
  );

const shown = (worker: Worker) =>
  worker.evaluate<{ title: string; body: string; actions: string[] }[]>(
    `self.registration.getNotifications().then((all) =>
      all.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) })))`,
  );

const press = (worker: Worker, action: string) =>
  worker.evaluate(
    `self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action: ${JSON.stringify(action)} })))`,
  );

test("a reminder is shown with the app closed, and Done on it closes the record", async () => {
  const { apiUrl } = stage.service;
  const ada = await newPerson(stage);
  const { ask, token: access } = ada;
  const { id: user_id } = await ask<{ id: string }>("GET", "/api/auth/me");
  const record = { memory_type: "commitment", topic: "Call Ada", content: "About the offer" };
  const { id } = await ask<{ id: number }>("POST", "/api/memories", record);
  const browser = await launch(WHOLE_CHROMIUM);
  onTestFinished(() => browser.close());
  const app = await openApp(browser, apiUrl, { ...WITH_WORKER, permissions: ["notifications"] });
  await enter(app, ada);
  await app.page.evaluate("navigator.serviceWorker.ready");
  await expect.poll(() => app.context.serviceWorkers().length).toBe(1);
  const [worker] = app.context.serviceWorkers();
  if (!worker) throw new Error("There is no service worker");
  await app.page.goto("about:blank");
  const notice = {
    ...{ title: "Call Ada", body: "Due at 17:00", path: `/records/${id}`, tag: `memory-${id}` },
    token: await tokenOf(access, user_id, id),
    actions: [{ action: "done", title: "Done" }],
  };
  await push(worker, notice);
  await expect
    .poll(() => shown(worker))
    .toEqual([{ title: "Call Ada", body: "Due at 17:00", actions: ["done"] }]);
  await press(worker, "done");
  const status = async () => (await ask<{ status: string }>("GET", `/api/memories/${id}`)).status;
  await expect.poll(status).toBe("resolved");
  expect(await shown(worker)).toEqual([]);
  await app.close();
});
