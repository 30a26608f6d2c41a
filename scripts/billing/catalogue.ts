import type { Stripe } from "stripe";
import {
  BILLING_INTERVALS,
  type BillingInterval,
  PAID_PLANS,
  type PaidPlan,
  type PlanPrices,
  PRICE_LOOKUP_KEYS,
  planForLookupKey,
  priceLookupKey,
} from "../../src/contract/plan-prices.ts";
import { STRIPE_PORTAL_NAME } from "../../src/contract/stripe-events.ts";

// The plans at Stripe: products, prices, and what customers may change in its portal.

/** A change at Stripe: its description, and how to make it. */
export type CatalogueChange = { text: string; run: () => Promise<unknown> };

type StripeState = {
  products: Map<string, Stripe.Product>;
  prices: Map<string, Stripe.Price>;
  portal: Stripe.BillingPortal.Configuration | undefined;
};

const productId = (plan: PaidPlan) => `commonplace_${plan}`;
const productName = (plan: PaidPlan) => `Commonplace ${plan}`;

async function readStripeState(stripe: Stripe): Promise<StripeState> {
  const ids = PAID_PLANS.map(productId);
  const [products, prices, portals] = await Promise.all([
    stripe.products.list({ ids, limit: 100 }),
    stripe.prices.list({ lookup_keys: PRICE_LOOKUP_KEYS, active: true, limit: 100 }),
    stripe.billingPortal.configurations.list({ active: true, limit: 100 }),
  ]);
  return {
    products: new Map(products.data.map((product) => [product.id, product])),
    prices: new Map(prices.data.map((price) => [price.lookup_key ?? "", price])),
    portal: portals.data.find(({ name }) => name === STRIPE_PORTAL_NAME),
  };
}

function formatMoney(amount: number, currency: string): string {
  const money = new Intl.NumberFormat("en", { style: "currency", currency });
  // Some currencies have no smaller unit.
  return money.format(amount / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 2));
}

const PER_INTERVAL: Record<BillingInterval, string> = { month: "a month", year: "a year" };

function productSteps(stripe: Stripe, { products }: StripeState): CatalogueChange[] {
  return PAID_PLANS.flatMap((plan): CatalogueChange[] => {
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

function priceSteps(stripe: Stripe, { prices }: StripeState, planPrices: PlanPrices): CatalogueChange[] {
  return PRICE_LOOKUP_KEYS.flatMap((lookup_key): CatalogueChange[] => {
    const choice = planForLookupKey(lookup_key);
    if (!choice) return [];
    const { plan, interval } = choice;
    const [unit_amount, { currency }] = [planPrices[plan][interval], planPrices];
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
    const price = `${formatMoney(unit_amount, currency)} ${PER_INTERVAL[interval]}`;
    if (!old) return [{ text: `create the price ${lookup_key}: ${price}`, run: create }];
    const before = `${formatMoney(old.unit_amount ?? 0, old.currency)} ${PER_INTERVAL[interval]}`;
    const text = `replace the price ${lookup_key}: ${before} becomes ${price}; current subscribers keep the old price`;
    const replace = async () => {
      await create();
      await stripe.prices.update(old.id, { active: false });
    };
    return [{ text, run: replace }];
  });
}

async function portalFeatures(stripe: Stripe) {
  const { prices } = await readStripeState(stripe);
  const products = PAID_PLANS.map((plan) => ({
    product: productId(plan),
    prices: BILLING_INTERVALS.flatMap((interval) => prices.get(priceLookupKey({ plan, interval }))?.id ?? []),
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

function portalSteps(stripe: Stripe, { portal }: StripeState, hasOthers: boolean): CatalogueChange[] {
  const name = STRIPE_PORTAL_NAME;
  if (!portal) {
    const run = async () =>
      stripe.billingPortal.configurations.create({ name, features: await portalFeatures(stripe) });
    return [{ text: "let customers change and cancel their plan in Stripe's portal", run }];
  }
  if (!hasOthers) return [];
  const { id } = portal;
  const run = async () =>
    stripe.billingPortal.configurations.update(id, { features: await portalFeatures(stripe) });
  return [{ text: "offer these prices in Stripe's portal", run }];
}

/** The changes that Stripe needs, in the order in which to make them. */
export async function findCatalogueChanges(
  stripe: Stripe,
  planPrices: PlanPrices,
): Promise<CatalogueChange[]> {
  const state = await readStripeState(stripe);
  const steps = [...productSteps(stripe, state), ...priceSteps(stripe, state, planPrices)];
  return [...steps, ...portalSteps(stripe, state, steps.length > 0)];
}
