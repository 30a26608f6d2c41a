import { createRoute } from "@hono/zod-openapi";
import { createRouter, errors, json, SECURITY } from "../core/openapi.ts";
import { Subscription } from "./schema.ts";
import { getSubscription } from "./store.ts";

export const getSubscriptionRoute = createRoute({
  method: "get",
  path: "/status",
  operationId: "getSubscription",
  tags: ["Billing"],
  summary: "The caller's subscription",
  description: "Every account has a subscription from the moment it is registered.",
  security: SECURITY,
  responses: { 200: json(Subscription, "The subscription"), ...errors(401, 404) },
});

export const billingRoutes = createRouter().openapi(getSubscriptionRoute, async (c) =>
  c.json(await getSubscription(c.var.ctx), 200),
);
