import { z } from "@hono/zod-openapi";
import { Timestamp, Uuid } from "./fields.ts";

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
    billing_interval: z.enum(["month", "year"]).nullable(),
    trial_ends_at: Timestamp.nullable(),
    current_period_end: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
  })
  .meta({ id: "Subscription" });
export type Subscription = z.infer<typeof Subscription>;

const Limit = z.int().nullable().meta({ description: "How much the plan allows; null for no limit" });
const Measure = z.strictObject({ used: z.int().meta({ description: "How much is used" }), limit: Limit });

export const Usage = z
  .strictObject({
    plan_tier: PlanTier,
    documents: Measure.meta({ description: "Documents that are not in the trash" }),
    records: Measure.meta({ description: "Memory records that are not in the trash" }),
    bytes: Measure.meta({
      description:
        "Bytes of all texts, with the trash and earlier versions; each document, version and record counts 500 besides",
    }),
    api_keys: Measure.meta({ description: "API keys" }),
    connections: Measure.meta({ description: "Connections of MCP clients" }),
    requests_per_day: Measure.extend({
      used: z.int().nullable().meta({
        description:
          "Requests since midnight UTC, to within one per cent; null where the plan does not limit them",
      }),
    }).meta({ description: "Requests to the API and to MCP" }),
  })
  .meta({
    id: "Usage",
    example: {
      plan_tier: "free",
      documents: { used: 312, limit: 10_000 },
      records: { used: 1204, limit: 50_000 },
      bytes: { used: 18_450_112, limit: 500_000_000 },
      api_keys: { used: 2, limit: 20 },
      connections: { used: 1, limit: 20 },
      requests_per_day: { used: 840, limit: 50_000 },
    },
  });
export type Usage = z.infer<typeof Usage>;
