import { updateResponses } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/reminders.ts";
import { hasEmailServer } from "../../platform/email/send.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { limitByAddress } from "../../platform/rate-limit/limit.ts";
import { actOnReminder } from "./act.ts";
import * as store from "./store.ts";

const tags = ["Reminders"];

export const getRemindersRoute = operation({
  method: "get",
  path: "/",
  operationId: "getReminders",
  tags,
  summary: "Get reminder settings",
  description:
    "The daily email is off until an hour is set; the daily notification goes to subscribed browsers. Reminders of records " +
    "are sent at their own times, to subscribed browsers and optionally by email.",
  rules: { access: "person", daily: "limited" },
  responses: { 200: json(schema.Reminders, "The settings"), ...errors(401) },
});

export const updateRemindersRoute = operation({
  method: "patch",
  path: "/",
  operationId: "updateReminders",
  tags,
  summary: "Change reminder settings",
  description:
    "Omitted fields stay as they are. A new hour applies from its next occurrence. Emails require a deployment that can " +
    "send them and a confirmed email address; otherwise turning them on gets 403.",
  rules: { access: "person", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.RemindersUpdateRequest) },
  responses: { 200: json(schema.Reminders, "The settings"), ...errors(...BODY_ERRORS, 401) },
});

export const actOnReminderRoute = operation({
  method: "post",
  path: "/act",
  operationId: "actOnReminder",
  tags,
  summary: "Act on a reminder",
  description:
    "The action of a notification's buttons and an email's links. Requires no sign-in: the token works for one record, for a " +
    "week. `done` resolves it, `hour` reminds again in an hour, `tomorrow` moves its due date. A closed record stays as it is.",
  rules: {
    access: "anyone",
    daily: "unlimited",
    body: "16 KiB",
    adds: ["records", "bytes"],
    changes: ["memory"],
  },
  middleware: [limitByAddress("RATE_LIMIT_REFRESH")] as const,
  request: { body: body(schema.ReminderActRequest) },
  responses: {
    ...updateResponses(json(schema.ReminderActed, "The record as it is now")),
    ...errors(...BODY_ERRORS, 401, 404, 429, 503),
  },
});

export const reminderRoutes = createRouter()
  .openapi(getRemindersRoute, async (c) =>
    c.json({ ...(await store.getReminders(c.var.ctx)), mail_available: hasEmailServer(c.env) }, 200),
  )
  .openapi(updateRemindersRoute, async (c) => {
    const mail_available = hasEmailServer(c.env);
    const settings = await store.updateReminders(c.var.ctx, c.req.valid("json"), mail_available);
    wakeAccount(c.var.ctx);
    return c.json({ ...settings, mail_available }, 200);
  })
  .openapi(actOnReminderRoute, async (c) => {
    const { reminder_token, action } = c.req.valid("json");
    const { id, topic, status, due_date, remind_at } = await actOnReminder(c, reminder_token, action);
    return c.json({ id, topic, status, due_date, remind_at }, 200);
  });
