import { eq } from "drizzle-orm";
import type { PlanTier, Subscription } from "../../contract/billing.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { subscriptions } from "../../platform/db/tables.ts";

const columns = columnsExcept(subscriptions, "owner");

export const subscriptionQuery = (ctx: Ctx) =>
  ctx.db.select(columns).from(subscriptions).where(eq(subscriptions.owner, ctx.owner));

export async function getSubscription(ctx: Ctx): Promise<Subscription> {
  const [subscription] = await subscriptionQuery(ctx);
  if (!subscription) throw notFound();
  return subscription;
}

export async function findPlanTier(base: BaseCtx, owner: number): Promise<PlanTier> {
  const { plan_tier } = subscriptions;
  const [row] = await base.db.select({ plan_tier }).from(subscriptions).where(eq(subscriptions.owner, owner));
  return row?.plan_tier ?? "self_hosted";
}
