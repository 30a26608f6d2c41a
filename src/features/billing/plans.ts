import type { Money, PlanState, Plans } from "../../contract/billing.ts";
import { planLimits } from "../../contract/plan-limits.ts";
import {
  BILLING_INTERVALS,
  PAID_PLANS,
  type PaidPlan,
  PRICE_LOOKUP_KEYS,
  priceLookupKey,
} from "../../contract/plan-prices.ts";
import { LIMITED_RESOURCES } from "../../contract/quota.ts";
import { STRIPE_PORTAL_NAME } from "../../contract/stripe-events.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { createRecentMap, type RecentMap } from "../../platform/core/recent-map.ts";
import { readSubscriptionAndCustomer } from "./customer-store.ts";
import { withStripe } from "./stripe.ts";
import { graceEnd, isSubscribed } from "./subscription-state.ts";

// Plans and prices, read from Stripe: what the app shows is what is charged.

const CACHE_MS = 300_000;

type Price = Money & { id: string };
type Prices = Partial<Record<string, Price>>;
type Cached<Value> = { at: number; value: Value };

/** Cached by Stripe key and URL, because in tests one isolate serves several configurations. */
const prices = createRecentMap<string, Cached<Prices>>(10);
const portals = createRecentMap<string, Cached<string | undefined>>(10);

async function readCached<Value>(
  cache: RecentMap<string, Cached<Value>>,
  { STRIPE_SECRET_KEY = "", STRIPE_API_URL = "" }: Env,
  read: () => Promise<Value>,
): Promise<Value> {
  const key = `${STRIPE_SECRET_KEY} ${STRIPE_API_URL}`;
  const found = cache.get(key);
  if (found && Date.now() - found.at < CACHE_MS) return found.value;
  const value = await read();
  cache.set(key, { at: Date.now(), value });
  return value;
}

/** Prices by lookup key. Throws 503 when Stripe is unavailable. */
export const findPrices = (env: Env): Promise<Prices> =>
  readCached(prices, env, async () => {
    const { data } = await withStripe(env, (stripe) =>
      stripe.prices.list({ lookup_keys: PRICE_LOOKUP_KEYS, active: true, limit: 100 }),
    );
    return Object.fromEntries(
      data.flatMap(({ id, lookup_key, unit_amount, currency }) =>
        lookup_key && unit_amount !== null ? [[lookup_key, { id, amount: unit_amount, currency }]] : [],
      ),
    );
  });

/** Id of the portal configuration created by `npm run billing -- prices`; undefined for Stripe's default. */
export const findPortalConfiguration = (env: Env): Promise<string | undefined> =>
  readCached(portals, env, async () => {
    const { data } = await withStripe(env, (stripe) =>
      stripe.billingPortal.configurations.list({ active: true, limit: 100 }),
    );
    return data.find(({ name }) => name === STRIPE_PORTAL_NAME)?.id;
  });

export const trialDays = ({ TRIAL_DAYS }: Env): number => Number(TRIAL_DAYS || 0);

/** The caller's plan, as last synced. Throws 404. */
export async function getPlanState(ctx: Ctx, env: Env): Promise<PlanState> {
  const { customer, ...row } = await readSubscriptionAndCustomer(ctx);
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

const priceAmount = (price: Price | undefined): Money | null =>
  price ? { amount: price.amount, currency: price.currency } : null;

/** All plans, and the caller's. Throws 503 when Stripe is unavailable. */
export async function listPlans(ctx: Ctx, env: Env): Promise<Plans> {
  const [current, found] = [await getPlanState(ctx, env), await findPrices(env)];
  const limits = planLimits(env.PLAN_LIMITS);
  const offer = (plan_tier: "free" | PaidPlan) => ({
    plan_tier,
    limits: Object.fromEntries(
      LIMITED_RESOURCES.map((name) => [name, limits[plan_tier][name] ?? null]),
    ) as Plans["plans"][number]["limits"],
  });
  const priced = PAID_PLANS.map((plan) => {
    const [month, year] = BILLING_INTERVALS.map((interval) =>
      priceAmount(found[priceLookupKey({ plan, interval })]),
    );
    return { ...offer(plan), month: month ?? null, year: year ?? null };
  });
  const free = { ...offer("free"), month: null, year: null };
  return { current, trial_days: trialDays(env), plans: [free, ...priced] };
}
