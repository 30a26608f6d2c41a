import { nearestName } from "./nearest-name.ts";

/** The plans that can be paid for, in the order of their prices, and how often. */
export const PAID_PLANS = ["pro", "team"] as const;
export const INTERVALS = ["month", "year"] as const;
export type PaidPlan = (typeof PAID_PLANS)[number];
export type Interval = (typeof INTERVALS)[number];

/** What is paid for: a plan by the month or by the year. */
export type Bought = { plan: PaidPlan; interval: Interval };

const BOUGHT = PAID_PLANS.flatMap((plan) => INTERVALS.map((interval): Bought => ({ plan, interval })));

/** The name of its price at Stripe, such as `pro_monthly`. */
export const lookupKeyOf = ({ plan, interval }: Bought): string => `${plan}_${interval}ly`;

const BY_KEY = new Map(BOUGHT.map((bought) => [lookupKeyOf(bought), bought]));
export const LOOKUP_KEYS = [...BY_KEY.keys()];

/** What the price with a name is paid for; undefined for one that is none of ours. */
export const boughtBy = (lookupKey: string | null | undefined): Bought | undefined =>
  BY_KEY.get(lookupKey ?? "");

/** Amounts are in the currency's smallest unit, such as cents. */
export type PlanPrices = { currency: string } & Record<PaidPlan, Record<Interval, number>>;

const DEFAULTS: PlanPrices = {
  currency: "eur",
  pro: { month: 500, year: 5000 },
  team: { month: 1500, year: 15_000 },
};
const MAX = 99_999_999;

const wrong = (problem: string) => new Error(`PLAN_PRICES: ${problem}`);
const FORM = `{"currency": "usd", "pro": {"month": 600, "year": 6000}}`;

function readJson(setting: string): unknown {
  try {
    return JSON.parse(setting);
  } catch {
    throw wrong(`must be JSON such as ${FORM}`);
  }
}

function fieldsOf(value: unknown, known: readonly string[], what: string): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(`${what} must be a JSON object such as ${FORM}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return Object.entries(value);
  const near = nearestName(unknown, known);
  const hint = near ? `did you mean ${near}?` : `it knows ${known.join(", ")}`;
  throw wrong(`${what} has the unknown name "${unknown.slice(0, 60)}"; ${hint}`);
}

function amounts(plan: PaidPlan, value: unknown): Record<Interval, number> {
  const changed = { ...DEFAULTS[plan] };
  for (const [interval, amount] of fieldsOf(value, INTERVALS, plan)) {
    if (typeof amount !== "number" || !Number.isInteger(amount) || amount < 1 || amount > MAX)
      throw wrong(`${plan}.${interval} must be a whole number from 1 to ${MAX}, in cents`);
    changed[interval as Interval] = amount;
  }
  return changed;
}

/** What the plans cost: `setting` (PLAN_PRICES) replaces what it names. Throws for a malformed one. */
export function planPrices(setting = ""): PlanPrices {
  const prices = { ...DEFAULTS };
  const fields = setting.trim() === "" ? [] : fieldsOf(readJson(setting), ["currency", ...PAID_PLANS], "it");
  for (const [name, value] of fields) {
    if (name !== "currency") prices[name as PaidPlan] = amounts(name as PaidPlan, value);
    else if (typeof value === "string" && /^[a-z]{3}$/.test(value)) prices.currency = value;
    else throw wrong(`currency must be three small letters, such as "usd"`);
  }
  return prices;
}
