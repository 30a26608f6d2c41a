import { waitUntil } from "cloudflare:workers";
import type { MiddlewareHandler } from "hono";
import type { Env } from "../../env.ts";
import type { AppEnv, Ctx } from "../../platform/core/ctx.ts";
import { operationRules } from "../../platform/http/rules.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { attemptDelivery } from "./chore.ts";
import { findUntriedDelivery } from "./delivery-store.ts";

/** After a write, wakes an account with active webhooks, or for a new reminder. */
export async function wakeAfterWrite(ctx: Ctx): Promise<void> {
  const { has_webhooks = 0 } = await ctx.user();
  const reminder = ctx.reminds?.at;
  if (has_webhooks) wakeAccount(ctx);
  else if (reminder) wakeAccount(ctx, Date.parse(reminder));
}

async function deliverAndWake(ctx: Ctx, env: Env, id: string): Promise<void> {
  const delivery = await findUntriedDelivery(ctx, id);
  if (delivery) await attemptDelivery(ctx, env, delivery);
  wakeAccount(ctx);
}

/** Attempts a delivery immediately, outside of the account's queue, even if the caller disconnects. */
export async function deliverNow(ctx: Ctx, env: Env, id: string): Promise<void> {
  const delivered = deliverAndWake(ctx, env, id);
  waitUntil(delivered);
  await delivered;
}

/** Middleware after `guard`: wakes the account after operations whose activity may be an event. */
export const wakeAfterChanges: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (operationRules(c)?.changes?.length && c.res.ok && c.var.ctx) await wakeAfterWrite(c.var.ctx);
};
