import { z } from "@hono/zod-openapi";
import { Timestamp, Uuid } from "./fields.ts";
import { BILLING_INTERVALS, PAID_PLANS } from "./plan-prices.ts";

export const PlanTier = z.enum(["free", "pro", "team", "self_hosted"]);
export type PlanTier = z.infer<typeof PlanTier>;

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
    billing_interval: z.enum(BILLING_INTERVALS).nullable(),
    trial_ends_at: Timestamp.nullable(),
    current_period_end: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
  })
  .meta({ id: "Subscription" });
export type Subscription = z.infer<typeof Subscription>;

const Limit = z.int().nullable().meta({ description: "Limit of the plan; null if unlimited" });
const QuotaUsage = z.strictObject({ used: z.int().meta({ description: "Amount used" }), limit: Limit });

export const Usage = z
  .strictObject({
    plan_tier: PlanTier,
    sells_plans: z.boolean().meta({ description: "Whether larger plans can be bought here" }),
    documents: QuotaUsage.meta({ description: "Documents that are not in the trash" }),
    records: QuotaUsage.meta({ description: "Memory records that are not in the trash" }),
    bytes: QuotaUsage.meta({
      description:
        "Bytes of all texts and files, including the trash and earlier versions, plus 500 for each document, version, " +
        "record, folder and file",
    }),
    api_keys: QuotaUsage.meta({ description: "API keys" }),
    connections: QuotaUsage.meta({ description: "Connections of MCP clients" }),
    requests_per_day: QuotaUsage.extend({
      used: z.int().nullable().meta({
        description:
          "Requests since midnight UTC, accurate to one percent; null if the plan does not limit them",
      }),
    }).meta({ description: "Requests to the API and to MCP" }),
  })
  .meta({
    id: "Usage",
    example: {
      plan_tier: "free",
      sells_plans: false,
      documents: { used: 312, limit: 10_000 },
      records: { used: 1204, limit: 50_000 },
      bytes: { used: 18_450_112, limit: 500_000_000 },
      api_keys: { used: 2, limit: 20 },
      connections: { used: 1, limit: 20 },
      requests_per_day: { used: 840, limit: 50_000 },
    },
  });
export type Usage = z.infer<typeof Usage>;

const PaidPlan = z.enum(PAID_PLANS).meta({ description: "A paid plan" });
const Interval = z.enum(BILLING_INTERVALS).meta({ description: "Billing interval" });

export const CheckoutRequest = z
  .strictObject({ plan: PaidPlan, interval: Interval })
  .meta({ id: "CheckoutRequest", example: { plan: "pro", interval: "year" } });
export type CheckoutRequest = z.infer<typeof CheckoutRequest>;

export const BillingPage = z
  .strictObject({ url: z.url().meta({ description: "A Stripe page to open in the user's browser" }) })
  .meta({ id: "BillingPage", example: { url: "https://checkout.stripe.com/c/pay/cs_1" } });
export type BillingPage = z.infer<typeof BillingPage>;

export const PlanState = z
  .strictObject({
    plan_tier: PlanTier,
    status: SubscriptionStatus,
    billing_interval: Interval.nullable(),
    trial_ends_at: Timestamp.nullable(),
    current_period_end: Timestamp.nullable(),
    is_subscribed: z.boolean().meta({
      description: "Whether there is a paid subscription, including one that is cancelled but has not ended",
    }),
    ends_at: Timestamp.nullable().meta({
      description: "When the subscription ends; null if it renews automatically",
    }),
    grace_ends_at: Timestamp.nullable().meta({
      description: "After a failed payment: until when the plan stays active",
    }),
    plan_otherwise: PlanTier.meta({ description: "The plan without a subscription" }),
    can_try: z.boolean().meta({ description: "Whether a new subscription would start with a trial" }),
  })
  .meta({ id: "PlanState" });
export type PlanState = z.infer<typeof PlanState>;

const Money = z.strictObject({
  amount: z.int().meta({ description: "In the smallest unit of the currency, such as cents" }),
  currency: z.string().meta({ description: "Three-letter code (ISO 4217)" }),
});
export type Money = z.infer<typeof Money>;

const PlanOption = z.strictObject({
  plan_tier: PlanTier,
  limits: z
    .strictObject({
      documents: Limit,
      records: Limit,
      bytes: Limit,
      api_keys: Limit,
      connections: Limit,
      requests_per_day: Limit,
    })
    .meta({ description: "Limits of the plan" }),
  month: Money.nullable().meta({
    description: "Price per month; null for the free plan, or if there is no monthly billing",
  }),
  year: Money.nullable().meta({
    description: "Price per year; null for the free plan, or if there is no yearly billing",
  }),
});

export const Plans = z
  .strictObject({
    current: PlanState.meta({ description: "The caller's plan" }),
    trial_days: z.int().meta({ description: "Length of the trial in days; 0 if there is none" }),
    plans: z.array(PlanOption).meta({ description: "The free plan and the paid plans" }),
  })
  .meta({ id: "Plans" });
export type Plans = z.infer<typeof Plans>;
