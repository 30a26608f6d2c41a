import { z } from "@hono/zod-openapi";
import { Timestamp, Uuid } from "../core/fields.ts";

export const PlanTier = z.enum(["free", "pro", "team", "self_hosted"]);
export type PlanTier = z.infer<typeof PlanTier>;

/** Stripe's eight statuses of a subscription. */
const SubscriptionStatus = z.enum([
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
]);

export const Subscription = z
  .strictObject({
    id: Uuid,
    plan_tier: PlanTier,
    status: SubscriptionStatus,
    created_at: Timestamp,
    billing_interval: z.enum(["month", "year"]).nullable(),
    trial_ends_at: Timestamp.nullable(),
    current_period_end: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
  })
  .meta({ id: "Subscription" });
export type Subscription = z.infer<typeof Subscription>;
