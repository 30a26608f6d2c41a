import * as schema from "../../contract/reminders.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { wake } from "../../platform/later/wake.ts";
import { hasMailServer } from "../../platform/mail/send.ts";
import * as store from "./store.ts";

const tags = ["Reminders"];

export const getRemindersRoute = operation({
  method: "get",
  path: "/",
  operationId: "getReminders",
  tags,
  summary: "Get reminder settings",
  description: "Email is off until an hour is set; notifications go to subscribed browsers.",
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
    "send them and a confirmed email address; otherwise setting an hour for them is a 403.",
  rules: { access: "person", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.RemindersUpdateRequest) },
  responses: { 200: json(schema.Reminders, "The settings"), ...errors(...BODY_ERRORS, 401) },
});

export const reminderRoutes = createRouter()
  .openapi(getRemindersRoute, async (c) =>
    c.json({ ...(await store.getReminders(c.var.ctx)), mail_available: hasMailServer(c.env) }, 200),
  )
  .openapi(updateRemindersRoute, async (c) => {
    const mail_available = hasMailServer(c.env);
    const settings = await store.updateReminders(c.var.ctx, c.req.valid("json"), mail_available);
    wake(c.var.ctx);
    return c.json({ ...settings, mail_available }, 200);
  });
