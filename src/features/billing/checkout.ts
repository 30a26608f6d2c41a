import type { Stripe } from "stripe";
import { FIRST_HOME } from "../../contract/home.ts";
import { pathOf } from "../../contract/paths.ts";
import { type Bought, lookupKeyOf } from "../../contract/plan-prices.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, unavailable } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { findNoted, noteCustomer } from "../../platform/homes/customer-book-store.ts";
import { openHome } from "../../platform/homes/router.ts";
import { closePage, endAll } from "./cancel.ts";
import { addCustomer, findCustomer, readState } from "./customer-store.ts";
import { findPortal, findPrices, trialDays } from "./offers.ts";
import { asking } from "./stripe.ts";
import { isSubscribed } from "./subscribed.ts";
import { syncCustomer } from "./sync.ts";

// Stripe's pages, where people pay and change what they pay for.

/** The caller's customer at Stripe, which is made when it is first needed: always the same one, however often it is asked for. */
async function customerOf(ctx: Ctx, env: Env): Promise<string> {
  const known = await findCustomer(ctx);
  if (known) return known.customer_id;
  const first = openHome(env, FIRST_HOME);
  const { id: user_id, email } = await ctx.user();
  const { customer: noted, former = "" } = await findNoted(first, user_id);
  const made = noted ?? (await createCustomer(env, { user_id, email }, former));
  const customer = await noteCustomer(first, user_id, made);
  await addCustomer(ctx, customer);
  return customer;
}

type Person = { user_id: string; email: string };

/** Asked twice, Stripe makes one customer; after a former one it makes another. */
async function createCustomer(env: Env, { user_id, email }: Person, former: string): Promise<string> {
  const idempotencyKey = `customer-${await hashSecret(`${user_id} ${email} ${former}`)}`;
  const created = await asking(env, (stripe) =>
    stripe.customers.create({ email, metadata: { user_id } }, { idempotencyKey }),
  );
  return created.id;
}

/** As it is now at Stripe. Throws 409 for whoever has a subscription. */
async function requireNone(ctx: Ctx, env: Env): Promise<{ canTry: boolean }> {
  await syncCustomer(ctx, env);
  const { status, customer } = await readState(ctx);
  if (isSubscribed(customer?.subscription_id ?? null, status))
    throw new AppError(
      409,
      "You have a subscription already: change its plan, or cancel it, with POST /api/billing/portal",
    );
  return { canTry: !customer?.had_trial };
}

type Session = Stripe.Checkout.Session;

/** The caller's open page for the same thing, or nothing, with all others closed. And the last one that there was. */
async function openPage(stripe: Stripe, customer: string, key: string) {
  const { data } = await stripe.checkout.sessions.list({ customer, limit: 20 });
  const open = data.filter(({ status }) => status === "open");
  const same = open.find(({ metadata, url }) => metadata?.lookup_key === key && url);
  for (const { id } of open) if (id !== same?.id) await closePage(stripe, id);
  return { same, last: data[0]?.id ?? "none" };
}

function trialOf(env: Env, canTry: boolean) {
  const days = canTry ? trialDays(env) : 0;
  if (days === 0) return {};
  const end_behavior = { missing_payment_method: "cancel" } as const;
  return {
    payment_method_collection: "if_required",
    subscription_data: { trial_period_days: days, trial_settings: { end_behavior } },
  } as const;
}

type Wish = Bought & { origin: string };

/**
 * The address of a page of Stripe's where the caller pays. An open one for the same thing is given again. Throws 409 for
 * whoever has a subscription, 503 when Stripe cannot be asked or lacks the price.
 */
export async function startCheckout(ctx: Ctx, env: Env, { origin, ...bought }: Wish): Promise<string> {
  const { canTry } = await requireNone(ctx, env);
  const customer = await customerOf(ctx, env);
  const key = lookupKeyOf(bought);
  const price = (await findPrices(env))[key];
  if (!price)
    throw unavailable(`Stripe has no price ${key}: the operator of this service has to create it`, 3600);
  const page = `${origin}${pathOf("plan")}`;
  const session = await asking(env, async (stripe): Promise<Session> => {
    const { same, last } = await openPage(stripe, customer, key);
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
        ...trialOf(env, canTry),
      },
      // Two tabs at once get the same page.
      {
        idempotencyKey: `checkout-${customer}-${last}-${key}-${await hashSecret(`${page} ${price.id} ${canTry}`)}`,
      },
    );
  });
  return session.url ?? page;
}

/** The address of the page of Stripe's where the caller changes or ends what they pay for. Throws 503. */
export async function openPortal(ctx: Ctx, env: Env, origin: string): Promise<string> {
  // Stripe may no longer have the customer that is known here.
  await syncCustomer(ctx, env);
  const customer = await customerOf(ctx, env);
  const configuration = await findPortal(env);
  const session = await asking(env, (stripe) =>
    stripe.billingPortal.sessions.create({
      customer,
      return_url: `${origin}${pathOf("plan")}?changed`,
      ...(configuration && { configuration }),
    }),
  );
  return session.url;
}

/** Ends what the caller pays for, before the account is erased. Throws 503, and then nothing may be erased. */
export async function cancelAll(ctx: Ctx, env: Env): Promise<void> {
  const customer = await findCustomer(ctx);
  if (!customer) return;
  await asking(env, (stripe) => endAll(stripe, customer.customer_id));
}
