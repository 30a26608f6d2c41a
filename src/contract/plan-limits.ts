import { PlanTier } from "./billing.ts";
import { planSetting } from "./plan-setting.ts";
import { LIMITED_RESOURCES, type LimitedResource } from "./quota.ts";

/** The limits of one plan. A missing resource is unlimited. */
export type TierLimits = Partial<Record<LimitedResource, number>>;

const MB = 1_000_000;

const DEFAULTS: Record<PlanTier, TierLimits> = {
  free: {
    documents: 10_000,
    records: 50_000,
    bytes: 500 * MB,
    api_keys: 20,
    connections: 20,
    requests_per_day: 50_000,
  },
  pro: {
    documents: 50_000,
    records: 200_000,
    bytes: 2000 * MB,
    api_keys: 50,
    connections: 50,
    requests_per_day: 200_000,
  },
  team: {
    documents: 100_000,
    records: 400_000,
    bytes: 5000 * MB,
    api_keys: 100,
    connections: 100,
    requests_per_day: 500_000,
  },
  self_hosted: {},
};

export type PlanLimits = Record<PlanTier, TierLimits>;

const MAX = 1_000_000_000_000;

const { settingError, entriesOf, readSetting } = planSetting(
  "PLAN_LIMITS",
  '{"free": {"documents": 100, "bytes": null}}',
  "must be JSON",
);

function withChanges(limits: TierLimits, plan: string, value: unknown): TierLimits {
  const next = { ...limits };
  for (const [name, limit] of entriesOf(value, LIMITED_RESOURCES, plan)) {
    if (limit === null) delete next[name as LimitedResource];
    else if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0 && limit <= MAX) {
      next[name as LimitedResource] = limit;
    } else
      throw settingError(`${plan}.${name} must be a whole number from 0 to ${MAX}, or null for no limit`);
  }
  return next;
}

let last: { setting: string; limits: PlanLimits } | undefined;

/**
 * The limits of all plans. `setting` (PLAN_LIMITS) replaces defaults; null removes a limit. Throws if it is malformed: a
 * typo must not remove a limit.
 */
export function planLimits(setting = ""): PlanLimits {
  if (last?.setting === setting) return last.limits;
  const limits = { ...DEFAULTS };
  for (const [plan, value] of readSetting(setting, PlanTier.options))
    limits[plan as PlanTier] = withChanges(DEFAULTS[plan as PlanTier], plan, value);
  last = { setting, limits };
  return limits;
}
