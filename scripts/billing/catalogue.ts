import type { Stripe } from "stripe";
import {
  boughtBy,
  INTERVALS,
  type Interval,
  LOOKUP_KEYS,
  lookupKeyOf,
  PAID_PLANS,
  type PaidPlan,
  type PlanPrices,
} from "../../src/contract/plan-prices.ts";
import { PORTAL_NAME } from "../../src/contract/stripe-events.ts";

// The plans at Stripe: products, prices, and what customers may change in its portal.

/** A change at Stripe: its description, and how to make it. */
export type Step = { text: string; run: () => Promise<unknown> };

type Found = {
  products: Map<string, Stripe.Product>;
  prices: Map<string, Stripe.Price>;
  portal: Stripe.BillingPortal.Configuration | undefined;
};

const productId = (plan: PaidPlan) => `commonplace_${plan}`;
const productName = (plan: PaidPlan) => `Commonplace ${plan}`;

async function find(stripe: Stripe): Promise<Found> {
  const ids = PAID_PLANS.map(productId);
  const [products, prices, portals] = await Promise.all([
    stripe.products.list({ ids, limit: 100 }),
    stripe.prices.list({ lookup_keys: LOOKUP_KEYS, active: true, limit: 100 }),
    stripe.billingPortal.configurations.list({ active: true, limit: 100 }),
  ]);
  return {
    products: new Map(products.data.map((product) => [product.id, product])),
    prices: new Map(prices.data.map((price) => [price.lookup_key ?? "", price])),
    portal: portals.data.find(({ name }) => name === PORTAL_NAME),
  };
}

const moneyOf = (amount: number, currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(
    // Some currencies have no smaller unit.
    amount /
      10 **
        (new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
          .maximumFractionDigits ?? 2),
  );

const PER: Record<Interval, string> = { month: "a month", year: "a year" };

function productSteps(stripe: Stripe, { products }: Found): Step[] {
  return PAID_PLANS.flatMap((plan): Step[] => {
    const [id, name] = [productId(plan), productName(plan)];
    const product = products.get(id);
    if (!product)
      return [{ text: `create the product ${name}`, run: () => stripe.products.create({ id, name }) }];
    if (product.active) return [];
    return [
      { text: `activate the product ${name}`, run: () => stripe.products.update(id, { active: true }) },
    ];
  });
}

function priceSteps(stripe: Stripe, { prices }: Found, wanted: PlanPrices): Step[] {
  return LOOKUP_KEYS.flatMap((lookup_key): Step[] => {
    const bought = boughtBy(lookup_key);
    if (!bought) return [];
    const { plan, interval } = bought;
    const [unit_amount, { currency }] = [wanted[plan][interval], wanted];
    const old = prices.get(lookup_key);
    if (old?.unit_amount === unit_amount && old.currency === currency) return [];
    const create = () =>
      stripe.prices.create({
        product: productId(plan),
        currency,
        unit_amount,
        lookup_key,
        transfer_lookup_key: true,
        recurring: { interval },
        tax_behavior: "inclusive",
        // Identifies the price after its lookup key has been transferred to a newer one.
        metadata: { lookup_key },
      });
    const price = `${moneyOf(unit_amount, currency)} ${PER[interval]}`;
    if (!old) return [{ text: `create the price ${lookup_key}: ${price}`, run: create }];
    const before = `${moneyOf(old.unit_amount ?? 0, old.currency)} ${PER[interval]}`;
    const text = `replace the price ${lookup_key}: ${before} becomes ${price}; current subscribers keep the old price`;
    const replace = async () => {
      await create();
      await stripe.prices.update(old.id, { active: false });
    };
    return [{ text, run: replace }];
  });
}

/** What customers may do in the portal, with the prices that exist now. */
async function featuresOf(stripe: Stripe) {
  const { prices } = await find(stripe);
  const products = PAID_PLANS.map((plan) => ({
    product: productId(plan),
    prices: INTERVALS.flatMap((interval) => prices.get(lookupKeyOf({ plan, interval }))?.id ?? []),
  }));
  return {
    customer_update: { enabled: true, allowed_updates: ["email", "name", "address", "tax_id"] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: "at_period_end" },
    subscription_update: {
      enabled: true,
      default_allowed_updates: ["price"],
      proration_behavior: "create_prorations",
      products,
    },
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams["features"];
}

function portalSteps(stripe: Stripe, { portal }: Found, hasOthers: boolean): Step[] {
  const name = PORTAL_NAME;
  if (!portal) {
    const run = async () =>
      stripe.billingPortal.configurations.create({ name, features: await featuresOf(stripe) });
    return [{ text: "let customers change and cancel their plan in Stripe's portal", run }];
  }
  if (!hasOthers) return [];
  const { id } = portal;
  const run = async () =>
    stripe.billingPortal.configurations.update(id, { features: await featuresOf(stripe) });
  return [{ text: "offer these prices in Stripe's portal", run }];
}

/** The changes that Stripe needs, in the order in which to make them. */
export async function differences(stripe: Stripe, wanted: PlanPrices): Promise<Step[]> {
  const found = await find(stripe);
  const steps = [...productSteps(stripe, found), ...priceSteps(stripe, found, wanted)];
  return [...steps, ...portalSteps(stripe, found, steps.length > 0)];
}
