import { eq } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { subscriptions } from "../db/tables.ts";
import type { Subscription } from "./schema.ts";

const shown = {
  id: subscriptions.id,
  plan_tier: subscriptions.plan_tier,
  status: subscriptions.status,
  created_at: subscriptions.created_at,
  billing_interval: subscriptions.billing_interval,
  trial_ends_at: subscriptions.trial_ends_at,
  current_period_end: subscriptions.current_period_end,
  canceled_at: subscriptions.canceled_at,
};

/** The statement that reads the caller's subscription, which is created at registration. */
export const subscriptionOf = (ctx: Ctx) =>
  ctx.db.select(shown).from(subscriptions).where(eq(subscriptions.owner, ctx.owner));

/** The caller's subscription. */
export async function getSubscription(ctx: Ctx): Promise<Subscription> {
  const [subscription] = await subscriptionOf(ctx);
  if (!subscription) throw notFound();
  return subscription;
}
