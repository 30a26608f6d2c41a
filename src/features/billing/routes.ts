import { Subscription, Usage } from "../../contract/billing.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { countConnections } from "../connections/grants.ts";
import { requestsToday } from "./day.ts";
import { limitsOfPlan, readUsage } from "./quota-store.ts";
import { getSubscription } from "./store.ts";

export const getSubscriptionRoute = operation({
  method: "get",
  path: "/status",
  operationId: "getSubscription",
  tags: ["Billing"],
  summary: "Get the caller's subscription",
  description: "Every account has a subscription from the moment it is registered.",
  rules: { access: [], daily: "unlimited" },
  responses: { 200: json(Subscription, "The subscription"), ...errors(401, 404) },
});

export const getUsageRoute = operation({
  method: "get",
  path: "/usage",
  operationId: "getUsage",
  tags: ["Billing"],
  summary: "Get usage and limits",
  description:
    "A write that would exceed a limit is refused with 403 and a text that names the limit and says what to do. Reading, " +
    "exporting, deleting and shortening always work, even over a limit. Requests beyond the daily limit get 429, " +
    "apart from these, deletions, and those under /api/auth, /api/api-keys, /api/connections and /api/export.",
  rules: { access: [], daily: "unlimited" },
  responses: { 200: json(Usage, "The limits, and how much of each is used"), ...errors(401, 404) },
});

export const billingRoutes = createRouter()
  .openapi(getSubscriptionRoute, async (c) => c.json(await getSubscription(c.var.ctx), 200))
  .openapi(getUsageRoute, async (c) => {
    const { ctx } = c.var;
    const { plan_tier, ...counted } = await readUsage(ctx);
    const limits = limitsOfPlan(ctx, plan_tier);
    const limited = limits.requests_per_day !== undefined;
    const used = {
      ...counted,
      connections: await countConnections(c.env, (await ctx.user()).id),
      requests_per_day: limited ? await requestsToday(c.env, ctx) : null,
    };
    const of = <Name extends keyof typeof used>(name: Name) => ({
      used: used[name],
      limit: limits[name] ?? null,
    });
    const answer = {
      plan_tier,
      documents: of("documents"),
      records: of("records"),
      bytes: of("bytes"),
      api_keys: of("api_keys"),
      connections: of("connections"),
      requests_per_day: of("requests_per_day"),
    };
    return c.json(answer, 200);
  });
