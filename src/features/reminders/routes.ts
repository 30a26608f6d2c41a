import { createRoute } from "@hono/zod-openapi";
import { BODY_ERRORS, body, createRouter, errors, json, SECURITY } from "../../platform/http/openapi.ts";
import { hasMailServer } from "../../platform/mail/send.ts";
import * as schema from "../../contract/reminders.ts";
import * as store from "./store.ts";

const tags = ["Reminders"];

export const getRemindersRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "getReminders",
  tags,
  summary: "Get when the day comes by mail and by push",
  description: "Mail is off until an hour is chosen; push goes to the browsers that have subscribed.",
  security: SECURITY,
  responses: { 200: json(schema.Reminders, "The settings"), ...errors(401) },
});

export const updateRemindersRoute = createRoute({
  method: "patch",
  path: "/",
  operationId: "updateReminders",
  tags,
  summary: "Choose when the day comes by mail and by push",
  description:
    "Omitted fields stay as they are. A new hour begins the next time the clock strikes it. Mail needs a deployment that " +
    "can send it, and an e-mail address that has been confirmed; without either, choosing an hour is a 403.",
  security: SECURITY,
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
    return c.json({ ...settings, mail_available }, 200);
  });
