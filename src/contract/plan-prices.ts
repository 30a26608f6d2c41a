import { planSetting } from "./plan-setting.ts";

/** The paid plans, cheapest first. */
export const PAID_PLANS = ["pro", "team"] as const;
export const BILLING_INTERVALS = ["month", "year"] as const;
export type PaidPlan = (typeof PAID_PLANS)[number];
export type BillingInterval = (typeof BILLING_INTERVALS)[number];

/** A paid plan with its billing interval. */
export type PaidPlanChoice = { plan: PaidPlan; interval: BillingInterval };

const CHOICES = PAID_PLANS.flatMap((plan) =>
  BILLING_INTERVALS.map((interval): PaidPlanChoice => ({ plan, interval })),
);

/** The lookup key of the price at Stripe, such as `pro_monthly`. */
export const priceLookupKey = ({ plan, interval }: PaidPlanChoice): string => `${plan}_${interval}ly`;

const CHOICE_BY_KEY = new Map(CHOICES.map((choice) => [priceLookupKey(choice), choice]));
export const PRICE_LOOKUP_KEYS = [...CHOICE_BY_KEY.keys()];

/** The plan and interval of a price at Stripe; undefined for other prices. */
export const planForLookupKey = (lookupKey: string | null | undefined): PaidPlanChoice | undefined =>
  CHOICE_BY_KEY.get(lookupKey ?? "");

/** Amounts are in the smallest unit of the currency, such as cents. */
export type PlanPrices = { currency: string } & Record<PaidPlan, Record<BillingInterval, number>>;

const DEFAULTS: PlanPrices = {
  currency: "eur",
  pro: { month: 500, year: 5000 },
  team: { month: 1500, year: 15_000 },
};
const MAX = 99_999_999;

const FORM = '{"currency": "usd", "pro": {"month": 600, "year": 6000}}';
const { settingError, entriesOf, readSetting } = planSetting(
  "PLAN_PRICES",
  FORM,
  `must be JSON such as ${FORM}`,
);

function planAmounts(plan: PaidPlan, value: unknown): Record<BillingInterval, number> {
  const changed = { ...DEFAULTS[plan] };
  for (const [interval, amount] of entriesOf(value, BILLING_INTERVALS, plan)) {
    if (typeof amount !== "number" || !Number.isInteger(amount) || amount < 1 || amount > MAX)
      throw settingError(`${plan}.${interval} must be a whole number from 1 to ${MAX}, in cents`);
    changed[interval as BillingInterval] = amount;
  }
  return changed;
}

/** The prices of the plans. `setting` (PLAN_PRICES) replaces defaults. Throws if it is malformed. */
export function planPrices(setting = ""): PlanPrices {
  const prices = { ...DEFAULTS };
  for (const [name, value] of readSetting(setting, ["currency", ...PAID_PLANS])) {
    if (name !== "currency") prices[name as PaidPlan] = planAmounts(name as PaidPlan, value);
    else if (typeof value === "string" && /^[a-z]{3}$/.test(value)) prices.currency = value;
    else throw settingError(`currency must be three lowercase letters, such as "usd"`);
  }
  return prices;
}
