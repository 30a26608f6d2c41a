import type { Stripe } from "stripe";

// Cancellations at Stripe. Nothing happens if the subscription or page has already ended, or the customer no longer exists.

const ENDED_STATUSES = ["canceled", "incomplete_expired"];

async function ignoreEnded(act: Promise<unknown>): Promise<void> {
  await act.catch((problem: unknown) => {
    if ((problem as { type?: string }).type !== "StripeInvalidRequestError") throw problem;
  });
}

export const closeCheckoutPage = (stripe: Stripe, session: string): Promise<void> =>
  ignoreEnded(stripe.checkout.sessions.expire(session));

/** Ends a subscription immediately. `credited`: credits the unused part of its period. */
export const endSubscription = (stripe: Stripe, id: string, { credited = false } = {}): Promise<void> =>
  ignoreEnded(stripe.subscriptions.cancel(id, credited ? { prorate: true, invoice_now: true } : {}));

async function endOneByOne(stripe: Stripe, customer: string): Promise<void> {
  const open = await stripe.checkout.sessions.list({ customer, status: "open", limit: 100 });
  for (const { id } of open.data) await closeCheckoutPage(stripe, id);
  const all = await stripe.subscriptions.list({ customer, status: "all", limit: 100 });
  for (const { id, status } of all.data)
    if (!ENDED_STATUSES.includes(status)) await endSubscription(stripe, id);
}

/** Ends every subscription of a customer, and closes open checkout pages. */
export const endAllSubscriptions = (stripe: Stripe, customer: string): Promise<void> =>
  ignoreEnded(endOneByOne(stripe, customer));
