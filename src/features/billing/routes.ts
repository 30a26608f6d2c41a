import type { Context, MiddlewareHandler } from "hono";
import * as schema from "../../contract/billing.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { ErrorBody, notFound } from "../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { relyingParty } from "../../platform/http/origin.ts";
import { countConnections } from "../connections/grants.ts";
import { openPortal, startCheckout } from "./checkout.ts";
import { requestsToday } from "./daily-requests.ts";
import { getPlanState, listPlans } from "./plans.ts";
import { planLimitsOf, readUsage } from "./quota-store.ts";
import { getSubscription } from "./store.ts";
import { hasStripe } from "./stripe.ts";
import { receiveStripeMessage } from "./stripe-events.ts";
import { syncCustomer } from "./sync.ts";

const operation = tagged("Billing");

export const getSubscriptionRoute = operation({
  method: "get",
  path: "/status",
  operationId: "getSubscription",
  summary: "Get the caller's subscription",
  description: "Every account has a subscription from the moment it is registered.",
  rules: { access: [], daily: "unlimited" },
  responses: { 200: json(schema.Subscription, "The subscription"), ...errors(401, 404) },
});

export const getUsageRoute = operation({
  method: "get",
  path: "/usage",
  operationId: "getUsage",
  summary: "Get usage and limits",
  description:
    "A write that would exceed a limit gets 403, with a text that names the limit and says what to do. Reading, " +
    "exporting, deleting and shortening always work, even over a limit. Requests beyond the daily limit get 429, " +
    "except these, deletions, and those under /api/auth, /api/api-keys, /api/connections and /api/export.",
  rules: { access: [], daily: "unlimited" },
  responses: { 200: json(schema.Usage, "The limits, and how much of each is used"), ...errors(401, 404) },
});

/** Middleware: without Stripe, these operations do not exist. */
const requireStripe: MiddlewareHandler<AppEnv> = (c, next) => {
  if (!hasStripe(c.env)) throw notFound();
  return next();
};
const middleware = requireStripe;
const WITHOUT_STRIPE = "Without Stripe, this operation does not exist: 404.";

export const listPlansRoute = operation({
  method: "get",
  path: "/plans",
  operationId: "listPlans",
  summary: "List plans with limits and prices",
  description: `Includes the caller's plan and its state. ${WITHOUT_STRIPE}`,
  rules: { access: "person", daily: "unlimited", primary: true },
  middleware,
  responses: { 200: json(schema.Plans, "The plans"), ...errors(401, 404) },
});

export const startCheckoutRoute = operation({
  method: "post",
  path: "/checkout",
  operationId: "startCheckout",
  summary: "Start a checkout",
  description:
    "Returns the URL of Stripe's checkout page. An open page for the same plan is returned again. A caller with a " +
    `subscription gets 409: it is changed in the portal. ${WITHOUT_STRIPE}`,
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  middleware,
  request: { body: body(schema.CheckoutRequest) },
  responses: {
    200: json(schema.BillingPage, "Stripe's page"),
    ...errors(...BODY_ERRORS, 401, 404),
    409: json(ErrorBody, "The caller already has a subscription"),
  },
});

export const openPortalRoute = operation({
  method: "post",
  path: "/portal",
  operationId: "openPortal",
  summary: "Open the billing portal",
  description: `Returns the URL of Stripe's page for changing or cancelling the subscription, with invoices. ${WITHOUT_STRIPE}`,
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  middleware,
  responses: { 200: json(schema.BillingPage, "Stripe's page"), ...errors(401, 404, 413) },
});

export const syncPlanRoute = operation({
  method: "post",
  path: "/sync",
  operationId: "syncPlan",
  summary: "Sync the caller's plan with Stripe",
  description: `For use after returning from Stripe's page, without waiting for its webhook message. ${WITHOUT_STRIPE}`,
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  middleware,
  responses: { 200: json(schema.PlanState, "The caller's plan"), ...errors(401, 404, 413) },
});

const appOrigin = (c: Context<AppEnv>) => relyingParty(c).origins[0] ?? new URL(c.req.url).origin;

/** Stripe's webhook messages, authenticated by their signature instead of a credential. */
export const stripeWebhook: MiddlewareHandler<AppEnv> = async (c) => {
  if (!hasStripe(c.env)) throw notFound();
  await receiveStripeMessage(c.env, {
    body: await c.req.text(),
    signature: c.req.header("Stripe-Signature") ?? "",
  });
  return c.json({ received: true }, 200);
};

export const billingRoutes = createRouter()
  .openapi(listPlansRoute, async (c) => c.json(await listPlans(c.var.ctx, c.env), 200))
  .openapi(startCheckoutRoute, async (c) => {
    const request = { ...c.req.valid("json"), origin: appOrigin(c) };
    return c.json({ url: await startCheckout(c.var.ctx, c.env, request) }, 200);
  })
  .openapi(openPortalRoute, async (c) =>
    c.json({ url: await openPortal(c.var.ctx, c.env, appOrigin(c)) }, 200),
  )
  .openapi(syncPlanRoute, async (c) => {
    await syncCustomer(c.var.ctx, c.env);
    return c.json(await getPlanState(c.var.ctx, c.env), 200);
  })
  .openapi(getSubscriptionRoute, async (c) => c.json(await getSubscription(c.var.ctx), 200))
  .openapi(getUsageRoute, async (c) => {
    const { ctx } = c.var;
    const { plan_tier, ...counted } = await readUsage(ctx);
    const limits = planLimitsOf(ctx, plan_tier);
    const limited = limits.requests_per_day !== undefined;
    const used = {
      ...counted,
      connections: await countConnections(c.env, (await ctx.user()).id),
      requests_per_day: limited ? await requestsToday(c.env, ctx) : null,
    };
    const usageOf = <Name extends keyof typeof used>(name: Name) => ({
      used: used[name],
      limit: limits[name] ?? null,
    });
    const answer = {
      plan_tier,
      sells_plans: hasStripe(c.env),
      documents: usageOf("documents"),
      records: usageOf("records"),
      bytes: usageOf("bytes"),
      api_keys: usageOf("api_keys"),
      connections: usageOf("connections"),
      requests_per_day: usageOf("requests_per_day"),
    };
    return c.json(answer, 200);
  });
