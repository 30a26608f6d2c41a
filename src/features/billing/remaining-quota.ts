import type { Limits } from "../../contract/plan-limits.ts";
import { type Full, fullText, type Limited } from "../../contract/quota.ts";

export type Used = Partial<Record<Limited, number>>;

export const sumOf = (one: Used, other: Used): Used => {
  const names = [...Object.keys(one), ...Object.keys(other)] as Limited[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
};

export type Plan = { plan: string; limits: Limits; isSold: boolean };

/** The first limit that `more` would exceed, or undefined. A step that adds nothing always fits, even over a limit. */
export function fullOf({ plan, limits, isSold }: Plan, used: Used, more: Used): Full | undefined {
  for (const [name, added] of Object.entries(more) as [Limited, number][]) {
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
  take: (more: Used) => string | undefined;
  taken: () => Used;
};

export function remainingQuotaOf(plan: Plan, has: Used): RemainingQuota {
  let taken: Used = {};
  return {
    take: (more) => {
      const full = fullOf(plan, sumOf(has, taken), more);
      if (full) return fullText(full);
      taken = sumOf(taken, more);
      return undefined;
    },
    taken: () => taken,
  };
}
