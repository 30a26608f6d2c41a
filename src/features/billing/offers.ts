import type { Money, PlanState, Plans } from "../../contract/billing.ts";
import { planLimits } from "../../contract/plan-limits.ts";
import {
  INTERVALS,
  LOOKUP_KEYS,
  lookupKeyOf,
  PAID_PLANS,
  type PaidPlan,
} from "../../contract/plan-prices.ts";
import { LIMITED } from "../../contract/quota.ts";
import { PORTAL_NAME } from "../../contract/stripe-events.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { remembering } from "../../platform/core/recent.ts";
import { readState } from "./customer-store.ts";
import { asking } from "./stripe.ts";
import { graceEnd, isSubscribed } from "./subscribed.ts";

// What there is to buy, as Stripe has it: what the app shows is what is charged.

const FRESH_MS = 300_000;

type Price = Money & { id: string };
type Prices = Partial<Record<string, Price>>;
type Known<Value> = { at: number; value: Value };

/** By the key of Stripe's API, as one isolate may serve several settings in tests. */
const prices = remembering<string, Known<Prices>>(10);
const portals = remembering<string, Known<string | undefined>>(10);

async function fresh<Value>(
  known: { get: (key: string) => Known<Value> | undefined; set: (key: string, value: Known<Value>) => void },
  { STRIPE_SECRET_KEY = "", STRIPE_API_URL = "" }: Env,
  read: () => Promise<Value>,
): Promise<Value> {
  const key = `${STRIPE_SECRET_KEY} ${STRIPE_API_URL}`;
  const found = known.get(key);
  if (found && Date.now() - found.at < FRESH_MS) return found.value;
  const value = await read();
  known.set(key, { at: Date.now(), value });
  return value;
}

/** The prices by their names. Throws 503 when Stripe cannot be asked. */
export const findPrices = (env: Env): Promise<Prices> =>
  fresh(prices, env, async () => {
    const { data } = await asking(env, (stripe) =>
      stripe.prices.list({ lookup_keys: LOOKUP_KEYS, active: true, limit: 100 }),
    );
    return Object.fromEntries(
      data.flatMap(({ id, lookup_key, unit_amount, currency }) =>
        lookup_key && unit_amount !== null ? [[lookup_key, { id, amount: unit_amount, currency }]] : [],
      ),
    );
  });

/** What `npm run billing -- prices` lets people change in Stripe's portal; undefined for Stripe's own default. */
export const findPortal = (env: Env): Promise<string | undefined> =>
  fresh(portals, env, async () => {
    const { data } = await asking(env, (stripe) =>
      stripe.billingPortal.configurations.list({ active: true, limit: 100 }),
    );
    return data.find(({ name }) => name === PORTAL_NAME)?.id;
  });

export const trialDays = ({ TRIAL_DAYS }: Env): number => Number(TRIAL_DAYS || 0);

/** The caller's plan as it was last written down. Throws 404. */
export async function planState(ctx: Ctx, env: Env): Promise<PlanState> {
  const { customer, ...row } = await readState(ctx);
  const is_subscribed = isSubscribed(customer?.subscription_id ?? null, row.status);
  return {
    ...row,
    is_subscribed,
    ends_at: customer?.ends_at ?? null,
    grace_ends_at: graceEnd(customer?.past_due_since ?? null),
    plan_otherwise: customer?.plan_otherwise ?? row.plan_tier,
    can_try: trialDays(env) > 0 && !is_subscribed && !customer?.had_trial,
  };
}

const moneyOf = (price: Price | undefined): Money | null =>
  price ? { amount: price.amount, currency: price.currency } : null;

/** The plans that there are, and which of them the caller has. Throws 503 when Stripe cannot be asked. */
export async function listPlans(ctx: Ctx, env: Env): Promise<Plans> {
  const [current, found] = [await planState(ctx, env), await findPrices(env)];
  const limits = planLimits(env.PLAN_LIMITS);
  const offer = (plan_tier: "free" | PaidPlan) => ({
    plan_tier,
    limits: Object.fromEntries(
      LIMITED.map((name) => [name, limits[plan_tier][name] ?? null]),
    ) as Plans["plans"][number]["limits"],
  });
  const priced = PAID_PLANS.map((plan) => {
    const [month, year] = INTERVALS.map((interval) => moneyOf(found[lookupKeyOf({ plan, interval })]));
    return { ...offer(plan), month: month ?? null, year: year ?? null };
  });
  const free = { ...offer("free"), month: null, year: null };
  return { current, trial_days: trialDays(env), plans: [free, ...priced] };
}
