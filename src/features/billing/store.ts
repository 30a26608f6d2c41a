import { eq } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { columnsBut } from "../../platform/db/columns.ts";
import { subscriptions } from "../../db/tables.ts";
import type { PlanTier, Subscription } from "../../contract/billing.ts";

const shown = columnsBut(subscriptions, "owner");

/** The statement that reads the caller's subscription, which is created at registration. */
export const subscriptionOf = (ctx: Ctx) =>
  ctx.db.select(shown).from(subscriptions).where(eq(subscriptions.owner, ctx.owner));

/** The caller's subscription. */
export async function getSubscription(ctx: Ctx): Promise<Subscription> {
  const [subscription] = await subscriptionOf(ctx);
  if (!subscription) throw notFound();
  return subscription;
}

/** The plan of an account. */
export async function planOf(base: BaseCtx, owner: number): Promise<PlanTier> {
  const [found] = await base.db
    .select({ plan_tier: subscriptions.plan_tier })
    .from(subscriptions)
    .where(eq(subscriptions.owner, owner));
  return found?.plan_tier ?? "self_hosted";
}
