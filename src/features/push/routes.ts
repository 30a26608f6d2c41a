import { createRoute } from "@hono/zod-openapi";
import { BODY_ERRORS, body, createRouter, errors, json, SECURITY } from "../../platform/http/openapi.ts";
import { answerSecretOnce } from "../../platform/idempotency/answer-once.ts";
import { IdempotencyHeaders } from "../../idempotency/schema.ts";
import * as schema from "../../contract/push.ts";
import * as store from "./store.ts";

const tags = ["Reminders"];

export const listPushSubscriptionsRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listPushSubscriptions",
  tags,
  summary: "List the browsers that are notified",
  description: "Newest first, with the key with which a browser subscribes.",
  security: SECURITY,
  responses: { 200: json(schema.PushSubscriptionList, "The subscriptions"), ...errors(401) },
});

export const subscribeToPushRoute = createRoute({
  method: "post",
  path: "/",
  operationId: "subscribeToPush",
  tags,
  summary: "Notify this browser of what is due today",
  description:
    "Once a day, at the hour in the reminders' settings, if anything is due; nothing else is ever sent. It ends with " +
    "the session. Messages are encrypted for the browser (RFC 8291).",
  security: SECURITY,
  middleware: [answerSecretOnce] as const,
  request: { headers: IdempotencyHeaders, body: body(schema.PushSubscribeRequest) },
  responses: { 201: json(schema.PushSubscription, "The subscription"), ...errors(...BODY_ERRORS, 401, 409) },
});

export const unsubscribeFromPushRoute = createRoute({
  method: "delete",
  path: "/{subscription_id}",
  operationId: "unsubscribeFromPush",
  tags,
  summary: "No longer notify a browser",
  description: "Nothing more is sent to it.",
  security: SECURITY,
  request: { params: schema.PushParams },
  responses: { 204: { description: "Ended" }, ...errors(401, 404, 422) },
});

export const pushRoutes = createRouter()
  .openapi(listPushSubscriptionsRoute, async (c) => c.json(await store.listSubscriptions(c.var.ctx), 200))
  .openapi(subscribeToPushRoute, async (c) =>
    c.json(await store.subscribe(c.var.ctx, c.req.valid("json")), 201),
  )
  .openapi(unsubscribeFromPushRoute, async (c) => {
    await store.unsubscribe(c.var.ctx, c.req.valid("param").subscription_id);
    return c.body(null, 204);
  });
