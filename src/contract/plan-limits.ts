import { PlanTier } from "./billing.ts";
import { nearestName } from "./nearest-name.ts";
import { LIMITED, type Limited } from "./quota.ts";

/** The limits of a plan; what is not named has none. */
export type Limits = Partial<Record<Limited, number>>;

const MB = 1_000_000;

const DEFAULTS: Record<PlanTier, Limits> = {
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

export type PlanLimits = Record<PlanTier, Limits>;

const MAX = 1_000_000_000_000;

const wrong = (problem: string) => new Error(`PLAN_LIMITS: ${problem}`);

/** The fields of a JSON object. Throws for anything else, and for names that are not `known`. */
function fieldsOf(value: unknown, known: readonly string[], what: string): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong(`${what} must be a JSON object such as {"free": {"documents": 100, "bytes": null}}`);
  }
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return Object.entries(value);
  const near = nearestName(unknown, known);
  const hint = near ? `did you mean ${near}?` : `it knows ${known.join(", ")}`;
  throw wrong(`${what} has the unknown name "${unknown.slice(0, 60)}"; ${hint}`);
}

function changed(limits: Limits, plan: string, value: unknown): Limits {
  const next = { ...limits };
  for (const [name, limit] of fieldsOf(value, LIMITED, plan)) {
    if (limit === null) delete next[name as Limited];
    else if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0 && limit <= MAX) {
      next[name as Limited] = limit;
    } else throw wrong(`${plan}.${name} must be a whole number from 0 to ${MAX}, or null for no limit`);
  }
  return next;
}

function readJson(setting: string): unknown {
  try {
    return JSON.parse(setting);
  } catch {
    throw wrong("must be JSON");
  }
}

let last: { setting: string; limits: PlanLimits } | undefined;

/** `setting` (PLAN_LIMITS) replaces limits, null removes one. Throws: a typo must not remove a limit. */
export function planLimits(setting = ""): PlanLimits {
  if (last?.setting === setting) return last.limits;
  const plans = setting.trim() === "" ? [] : fieldsOf(readJson(setting), PlanTier.options, "it");
  const limits = { ...DEFAULTS };
  for (const [plan, value] of plans)
    limits[plan as PlanTier] = changed(DEFAULTS[plan as PlanTier], plan, value);
  last = { setting, limits };
  return limits;
}
