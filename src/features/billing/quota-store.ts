import { type SQL, sql } from "drizzle-orm";
import type { PlanTier } from "../../contract/billing.ts";
import { planLimits, type TierLimits } from "../../contract/plan-limits.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertQuota } from "../../platform/db/call.ts";
import { addUsage, createRemainingQuota, type QuotaUse, type RemainingQuota } from "./remaining-quota.ts";

// Limits are enforced in the transaction of each write. Usage is counted by triggers (migration 0027).

type Counted = "documents" | "records" | "bytes" | "api_keys";

const USED: Record<Counted, (owner: number) => SQL> = {
  documents: (owner) => sql`coalesce((SELECT documents FROM usage WHERE owner = ${owner}), 0)`,
  records: (owner) => sql`coalesce((SELECT records FROM usage WHERE owner = ${owner}), 0)`,
  bytes: (owner) => sql`coalesce((SELECT bytes FROM usage WHERE owner = ${owner}), 0)`,
  api_keys: (owner) => sql`(SELECT count(*) FROM api_keys WHERE owner = ${owner})`,
};

const limitsOf = (ctx: Ctx) => planLimits(ctx.plan_limits);

/** Whether any plan limits this: self-hosted copies usually have no limits at all. */
const isLimited = (ctx: Ctx, name: Counted) => Object.values(limitsOf(ctx)).some((plan) => name in plan);

/** What a write adds: numbers, or SQL that is evaluated at the statement's position in the batch. */
type Added = { [Name in Counted]?: number | SQL | undefined };

/** Aborts the batch if what it adds exceeds the caller's plan. Must come before the statements that add it. */
export function assertQuotaLeft(ctx: Ctx, more: Added): BatchItem[] {
  const requested = (Object.entries(more) as [Counted, number | SQL][]).filter(
    ([name, added]) => isLimited(ctx, name) && (typeof added !== "number" || added > 0),
  );
  if (requested.length === 0) return [];
  const parts = requested.map(
    ([name, added]) =>
      sql`SELECT ${name} AS name, ${USED[name](ctx.owner)} AS used, CAST(${added} AS INTEGER) AS more`,
  );
  const full = sql`(SELECT 'quota ' || s.plan_tier || ' ' || l.key || ' ' || l.value || ' ' || m.used || ' ' || m.more || ${ctx.sells_plans ? " sold" : ""}
    FROM subscriptions AS s
    CROSS JOIN json_each(${JSON.stringify(limitsOf(ctx))}, '$.' || s.plan_tier) AS l
    JOIN (${sql.join(parts, sql` UNION ALL `)}) AS m ON m.name = l.key
    WHERE s.owner = ${ctx.owner} AND m.more > 0 AND m.used + m.more > l.value LIMIT 1)`;
  return [assertQuota(ctx, full)];
}

export type Usage = Record<Counted, number> & { plan_tier: PlanTier };

export const usageStatement = (ctx: Ctx) => {
  const columns = Object.entries(USED).map(
    ([name, used]) => sql`, ${used(ctx.owner)} AS ${sql.identifier(name)}`,
  );
  return ctx.db.all<Usage>(
    sql`SELECT plan_tier${sql.join(columns)} FROM subscriptions WHERE owner = ${ctx.owner}`,
  );
};

export async function readUsage(ctx: Ctx): Promise<Usage> {
  const [usage] = await usageStatement(ctx);
  if (!usage) throw notFound();
  return usage;
}

export const planLimitsOf = (ctx: Ctx, plan: PlanTier): TierLimits => limitsOf(ctx)[plan];

/** The quota left for a request with several steps. `added`: counted as used in addition. */
export function remainingQuota(ctx: Ctx, [usage]: Usage[], added: QuotaUse = {}): RemainingQuota {
  const { plan_tier = "self_hosted", ...used } = usage ?? {};
  const plan = { plan: plan_tier, limits: planLimitsOf(ctx, plan_tier), isSold: ctx.sells_plans ?? false };
  return createRemainingQuota(plan, addUsage(used as QuotaUse, added));
}
