import type { Stripe } from "stripe";
import { screenPath } from "../../contract/paths.ts";
import { type PaidPlanChoice, priceLookupKey } from "../../contract/plan-prices.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, unavailable } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { findStoredCustomer, storeCustomer } from "../../platform/shards/customer-directory-store.ts";
import { openShard } from "../../platform/shards/router.ts";
import { closeCheckoutPage, endAllSubscriptions } from "./cancel.ts";
import { addCustomer, findCustomer, readSubscriptionAndCustomer } from "./customer-store.ts";
import { findPortalConfiguration, findPrices, trialDays } from "./plans.ts";
import { withStripe } from "./stripe.ts";
import { isSubscribed } from "./subscription-state.ts";
import { syncCustomer } from "./sync.ts";

// Stripe's pages, where people pay and manage their subscription.

/** The caller's customer id at Stripe. Created when first needed; repeated and parallel calls get the same one. */
async function ensureCustomer(ctx: Ctx, env: Env): Promise<string> {
  const known = await findCustomer(ctx);
  if (known) return known.customer_id;
  const first = openShard(env, FIRST_SHARD);
  const { id: user_id, email } = await ctx.user();
  const { customer: registered, former = "" } = await findStoredCustomer(first, user_id);
  const created = registered ?? (await createCustomer(env, { user_id, email }, former));
  const customer = await storeCustomer(first, user_id, created);
  await addCustomer(ctx, customer);
  return customer;
}

type NewCustomer = { user_id: string; email: string };

/** Idempotent: repeated calls create one customer. `former`: a deleted customer, after which a new one is created. */
async function createCustomer(env: Env, { user_id, email }: NewCustomer, former: string): Promise<string> {
  const idempotencyKey = `customer-${await hashSecret(`${user_id} ${email} ${former}`)}`;
  const created = await withStripe(env, (stripe) =>
    stripe.customers.create({ email, metadata: { user_id } }, { idempotencyKey }),
  );
  return created.id;
}

/** Checks Stripe's current state. Throws 409 if the caller has a subscription. */
async function requireNoSubscription(ctx: Ctx, env: Env): Promise<{ isTrialAvailable: boolean }> {
  await syncCustomer(ctx, env);
  const { status, customer } = await readSubscriptionAndCustomer(ctx);
  if (isSubscribed(customer?.subscription_id ?? null, status))
    throw new AppError(
      409,
      "You already have a subscription: change its plan, or cancel it, with POST /api/billing/portal",
    );
  return { isTrialAvailable: !customer?.had_trial };
}

type Session = Stripe.Checkout.Session;

/** `same`: the customer's open page for the same plan, with all others closed. `last`: the id of the latest page. */
async function findOpenPage(stripe: Stripe, customer: string, key: string) {
  const { data } = await stripe.checkout.sessions.list({ customer, limit: 20 });
  const open = data.filter(({ status }) => status === "open");
  const same = open.find(({ metadata, url }) => metadata?.lookup_key === key && url);
  for (const { id } of open) if (id !== same?.id) await closeCheckoutPage(stripe, id);
  return { same, last: data[0]?.id ?? "none" };
}

function trialOptions(env: Env, isTrialAvailable: boolean) {
  const days = isTrialAvailable ? trialDays(env) : 0;
  if (days === 0) return {};
  const end_behavior = { missing_payment_method: "cancel" } as const;
  return {
    payment_method_collection: "if_required",
    subscription_data: { trial_period_days: days, trial_settings: { end_behavior } },
  } as const;
}

type CheckoutRequest = PaidPlanChoice & { origin: string };

/** The URL of Stripe's checkout page; an open one for the same plan is reused. Throws 409 with a subscription, 503. */
export async function startCheckout(
  ctx: Ctx,
  env: Env,
  { origin, ...bought }: CheckoutRequest,
): Promise<string> {
  const { isTrialAvailable } = await requireNoSubscription(ctx, env);
  const customer = await ensureCustomer(ctx, env);
  const key = priceLookupKey(bought);
  const price = (await findPrices(env))[key];
  if (!price)
    throw unavailable(`Stripe has no price ${key}: the operator of this service must create it`, 3600);
  const page = `${origin}${screenPath("plan")}`;
  const session = await withStripe(env, async (stripe): Promise<Session> => {
    const { same, last } = await findOpenPage(stripe, customer, key);
    if (same) return same;
    return stripe.checkout.sessions.create(
      {
        mode: "subscription",
        customer,
        line_items: [{ price: price.id, quantity: 1 }],
        metadata: { lookup_key: key },
        success_url: `${page}?paid={CHECKOUT_SESSION_ID}`,
        cancel_url: page,
        automatic_tax: { enabled: true },
        tax_id_collection: { enabled: true },
        customer_update: { address: "auto", name: "auto" },
        ...trialOptions(env, isTrialAvailable),
      },
      // Two tabs get the same page.
      {
        idempotencyKey: `checkout-${customer}-${last}-${key}-${await hashSecret(`${page} ${price.id} ${isTrialAvailable}`)}`,
      },
    );
  });
  return session.url ?? page;
}

/** The URL of Stripe's portal, where the caller changes or cancels the subscription. Throws 503. */
export async function openPortal(ctx: Ctx, env: Env, origin: string): Promise<string> {
  // Stripe may no longer have the customer.
  await syncCustomer(ctx, env);
  const customer = await ensureCustomer(ctx, env);
  const configuration = await findPortalConfiguration(env);
  const session = await withStripe(env, (stripe) =>
    stripe.billingPortal.sessions.create({
      customer,
      return_url: `${origin}${screenPath("plan")}?changed`,
      ...(configuration && { configuration }),
    }),
  );
  return session.url;
}

/** Cancels the caller's subscriptions before the account is erased. If it throws 503, nothing may be erased. */
export async function cancelAllSubscriptions(ctx: Ctx, env: Env): Promise<void> {
  const customer = await findCustomer(ctx);
  if (!customer) return;
  await withStripe(env, (stripe) => endAllSubscriptions(stripe, customer.customer_id));
}
