import type { TierLimits } from "../../contract/plan-limits.ts";
import { type LimitedResource, type QuotaExceeded, quotaExceededText } from "../../contract/quota.ts";

export type QuotaUse = Partial<Record<LimitedResource, number>>;

export const addUsage = (one: QuotaUse, other: QuotaUse): QuotaUse => {
  const names = [...Object.keys(one), ...Object.keys(other)] as LimitedResource[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
};

export type PlanLimits = { plan: string; limits: TierLimits; isSold: boolean };

/** The first limit that `more` would exceed, or undefined. A step that adds nothing always fits, even over a limit. */
export function exceededLimit(
  { plan, limits, isSold }: PlanLimits,
  used: QuotaUse,
  more: QuotaUse,
): QuotaExceeded | undefined {
  for (const [name, added] of Object.entries(more) as [LimitedResource, number][]) {
    const limit = limits[name];
    const has = used[name] ?? 0;
    if (limit !== undefined && added > 0 && has + added > limit) {
      return { plan, name, limit, used: has, more: added, isSold };
    }
  }
  return undefined;
}

/** The quota left for a request with several steps, each of which can be rejected by itself. */
export type RemainingQuota = {
  /** Uses quota for a step, or returns why it does not fit. Negative numbers return quota. */
  take: (more: QuotaUse) => string | undefined;
  taken: () => QuotaUse;
};

export function createRemainingQuota(plan: PlanLimits, has: QuotaUse): RemainingQuota {
  let taken: QuotaUse = {};
  return {
    take: (more) => {
      const full = exceededLimit(plan, addUsage(has, taken), more);
      if (full) return quotaExceededText(full);
      taken = addUsage(taken, more);
      return undefined;
    },
    taken: () => taken,
  };
}
