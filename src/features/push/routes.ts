import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import * as schema from "../../contract/push.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import * as store from "./store.ts";

const tags = ["Reminders"];

export const listPushSubscriptionsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listPushSubscriptions",
  tags,
  summary: "List push subscriptions",
  description: "Newest first, with the public key that browsers subscribe with.",
  rules: { access: "person", daily: "limited" },
  responses: { 200: json(schema.PushSubscriptionList, "The subscriptions"), ...errors(401) },
});

export const subscribeToPushRoute = operation({
  method: "post",
  path: "/",
  operationId: "subscribeToPush",
  tags,
  summary: "Subscribe a browser to notifications",
  description:
    "Notifies once a day at the hour in the reminder settings if anything is due, and of reminders of records. Ends with " +
    "the session. Messages are encrypted for the browser (RFC 8291).",
  rules: { access: "person", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  middleware: [answerOnce({ isSecret: true })] as const,
  request: { headers: IdempotencyHeaders, body: body(schema.PushSubscribeRequest) },
  responses: { 201: json(schema.PushSubscription, "The subscription"), ...errors(...BODY_ERRORS, 401, 409) },
});

export const unsubscribeFromPushRoute = operation({
  method: "delete",
  path: "/{subscription_id}",
  operationId: "unsubscribeFromPush",
  tags,
  summary: "Remove a push subscription",
  description: "The browser gets no further notifications.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.PushParams },
  responses: { 204: { description: "Removed" }, ...errors(401, 404, 422) },
});

export const pushRoutes = createRouter()
  .openapi(listPushSubscriptionsRoute, async (c) => c.json(await store.listSubscriptions(c.var.ctx), 200))
  .openapi(subscribeToPushRoute, async (c) => {
    const subscription = await store.subscribe(c.var.ctx, c.req.valid("json"));
    wakeAccount(c.var.ctx);
    return c.json(subscription, 201);
  })
  .openapi(unsubscribeFromPushRoute, async (c) => {
    await store.unsubscribe(c.var.ctx, c.req.valid("param").subscription_id);
    return c.body(null, 204);
  });
