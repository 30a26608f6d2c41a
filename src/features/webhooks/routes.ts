import type { Context } from "hono";
import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import { globalAccountId } from "../../contract/shard.ts";
import * as schema from "../../contract/webhooks.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { addressPolicy } from "../../platform/http/outbound.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { takeAttempt } from "../../platform/rate-limit/limit.ts";
import * as store from "./store.ts";
import { deliverNow } from "./wake.ts";

const operation = tagged("Webhooks");
const WEBHOOK_PATH = "/{webhook_id}";

/** Messages name the user's documents and records, so `data` is not stored for repeated requests but read again. */
const answerDelivery = answerOnce({
  content: {
    reduce: ({ data: _, ...outcome }: schema.WebhookDelivery) => outcome,
    again: async (ctx, outcome) => ({ ...outcome, data: (await store.getDelivery(ctx, outcome.id)).data }),
  },
});

export const createWebhookRoute = operation({
  method: "post",
  path: "/",
  operationId: "createWebhook",
  summary: "Create a webhook",
  description:
    "It receives events from now on. The signing secret is shown only once. At most 10 webhooks per account.",
  rules: { access: "person", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  middleware: [answerOnce({ isSecret: true })] as const,
  request: { headers: IdempotencyHeaders, body: body(schema.WebhookCreateRequest) },
  responses: { 201: json(schema.NewWebhook, "The new webhook"), ...errors(...BODY_ERRORS, 401, 409) },
});

export const listWebhooksRoute = operation({
  method: "get",
  path: "/",
  operationId: "listWebhooks",
  summary: "List webhooks",
  description: "Newest first, without their secrets. `notice` says why one was switched off.",
  rules: { access: "person", daily: "limited" },
  request: { query: schema.WebhookListQuery },
  responses: { 200: json(schema.WebhookList, "A page of webhooks"), ...errors(401, 422) },
});

export const getWebhookRoute = operation({
  method: "get",
  path: WEBHOOK_PATH,
  operationId: "getWebhook",
  summary: "Get a webhook",
  description: "Without its secret.",
  rules: { access: "person", daily: "limited" },
  request: { params: schema.WebhookParams },
  responses: { 200: json(schema.Webhook, "The webhook"), ...errors(401, 404, 422) },
});

export const updateWebhookRoute = operation({
  method: "patch",
  path: WEBHOOK_PATH,
  operationId: "updateWebhook",
  summary: "Change, pause or resume a webhook",
  description:
    "Omitted fields stay as they are. `paused: false` also reactivates a webhook that was switched off, which then " +
    "receives the events since.",
  rules: { access: "person", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { params: schema.WebhookParams, body: body(schema.WebhookUpdateRequest) },
  responses: { 200: json(schema.Webhook, "The webhook"), ...errors(...BODY_ERRORS, 401, 404) },
});

export const deleteWebhookRoute = operation({
  method: "delete",
  path: WEBHOOK_PATH,
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "Nothing more is sent to it, and its deliveries are deleted.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.WebhookParams },
  responses: { 204: { description: "Deleted" }, ...errors(401, 404, 422) },
});

export const testWebhookRoute = operation({
  method: "post",
  path: `${WEBHOOK_PATH}/test`,
  operationId: "testWebhook",
  summary: "Send a test message",
  description:
    "Sends the event `webhook.test` once, even if the webhook is paused, and waits up to ten seconds for the receiver. A " +
    "failed test does not count as a failure of the webhook.",
  rules: { access: "person", daily: "limited", body: "none", adds: [], changes: [] },
  middleware: [answerDelivery] as const,
  request: { headers: IdempotencyHeaders, params: schema.WebhookParams },
  responses: {
    200: json(schema.WebhookDelivery, "The delivery with its result"),
    ...errors(401, 404, 409, 422),
  },
});

export const replaceWebhookSecretRoute = operation({
  method: "post",
  path: `${WEBHOOK_PATH}/secret`,
  operationId: "replaceWebhookSecret",
  summary: "Replace the signing secret",
  description:
    "The new secret is shown only once. For 24 hours, messages are signed with both secrets, so that none is rejected " +
    "until the receiver is updated.",
  rules: { access: "person", daily: "limited", body: "none", adds: [], changes: [] },
  middleware: [answerOnce({ isSecret: true })] as const,
  request: { headers: IdempotencyHeaders, params: schema.WebhookParams },
  responses: { 201: json(schema.NewWebhookSecret, "The new secret"), ...errors(401, 404, 409, 422) },
});

export const listDeliveriesRoute = operation({
  method: "get",
  path: `${WEBHOOK_PATH}/deliveries`,
  operationId: "listDeliveries",
  summary: "List deliveries",
  description: "Newest first. Deliveries are kept for 30 days.",
  rules: { access: "person", daily: "limited" },
  request: { params: schema.WebhookParams, query: schema.DeliveryListQuery },
  responses: { 200: json(schema.WebhookDeliveryList, "A page of deliveries"), ...errors(401, 404, 422) },
});

export const replayDeliveryRoute = operation({
  method: "post",
  path: `${WEBHOOK_PATH}/deliveries/{delivery_id}/replay`,
  operationId: "replayDelivery",
  summary: "Send a delivery again",
  description:
    "With the same `webhook-id`, so that the receiver can recognize a message it has already handled. It is sent " +
    "immediately and the answer has the result; if it fails, it is retried like a new delivery.",
  rules: { access: "person", daily: "limited", body: "none", adds: [], changes: [] },
  middleware: [answerDelivery] as const,
  request: { headers: IdempotencyHeaders, params: schema.DeliveryParams },
  responses: {
    200: json(schema.WebhookDelivery, "The delivery with its result"),
    ...errors(401, 404, 409, 422),
  },
});

/** Limits requests that make the service call a URL of the caller's choice. Throws 429. */
const limitSending = (c: Context<AppEnv>) =>
  takeAttempt(c.env, "RATE_LIMIT_WEBHOOK_TEST", c.var.ctx.queue_key ?? globalAccountId(c.var.ctx));

export const webhookRoutes = createRouter()
  .openapi(createWebhookRoute, async (c) =>
    c.json(await store.createWebhook(c.var.ctx, c.req.valid("json"), addressPolicy(c.env)), 201),
  )
  .openapi(listWebhooksRoute, async (c) =>
    c.json(await store.listWebhooks(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getWebhookRoute, async (c) =>
    c.json(await store.getWebhook(c.var.ctx, c.req.valid("param").webhook_id), 200),
  )
  .openapi(updateWebhookRoute, async (c) => {
    const change = { input: c.req.valid("json"), reach: addressPolicy(c.env) };
    const webhook = await store.updateWebhook(c.var.ctx, c.req.valid("param").webhook_id, change);
    wakeAccount(c.var.ctx);
    return c.json(webhook, 200);
  })
  .openapi(deleteWebhookRoute, async (c) => {
    await store.deleteWebhook(c.var.ctx, c.req.valid("param").webhook_id);
    return c.body(null, 204);
  })
  .openapi(testWebhookRoute, async (c) => {
    const { ctx } = c.var;
    await limitSending(c);
    const id = await store.createTestDelivery(ctx, c.req.valid("param").webhook_id);
    await deliverNow(ctx, c.env, id);
    return c.json(await store.getDelivery(ctx, id), 200);
  })
  .openapi(replaceWebhookSecretRoute, async (c) =>
    c.json(await store.replaceWebhookSecret(c.var.ctx, c.req.valid("param").webhook_id), 201),
  )
  .openapi(listDeliveriesRoute, async (c) => {
    const { webhook_id } = c.req.valid("param");
    return c.json(await store.listDeliveries(c.var.ctx, webhook_id, c.req.valid("query")), 200);
  })
  .openapi(replayDeliveryRoute, async (c) => {
    const { ctx } = c.var;
    const { webhook_id, delivery_id } = c.req.valid("param");
    await limitSending(c);
    await store.replayDelivery(ctx, webhook_id, delivery_id);
    await deliverNow(ctx, c.env, delivery_id);
    return c.json(await store.getDelivery(ctx, delivery_id), 200);
  });
