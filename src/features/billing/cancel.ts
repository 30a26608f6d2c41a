import type { Stripe } from "stripe";

// What ends something at Stripe. It may have ended already, or the customer may be gone: then there is nothing to do.

const OVER = ["canceled", "incomplete_expired"];

async function unlessOver(act: Promise<unknown>): Promise<void> {
  await act.catch((problem: unknown) => {
    if ((problem as { type?: string }).type !== "StripeInvalidRequestError") throw problem;
  });
}

export const closePage = (stripe: Stripe, session: string): Promise<void> =>
  unlessOver(stripe.checkout.sessions.expire(session));

/** Ends a subscription at once; `credited` gives back what was paid for the rest of its period. */
export const endSubscription = (stripe: Stripe, id: string, { credited = false } = {}): Promise<void> =>
  unlessOver(stripe.subscriptions.cancel(id, credited ? { prorate: true, invoice_now: true } : {}));

async function endEach(stripe: Stripe, customer: string): Promise<void> {
  const open = await stripe.checkout.sessions.list({ customer, status: "open", limit: 100 });
  for (const { id } of open.data) await closePage(stripe, id);
  const all = await stripe.subscriptions.list({ customer, status: "all", limit: 100 });
  for (const { id, status } of all.data) if (!OVER.includes(status)) await endSubscription(stripe, id);
}

/** Ends every subscription of a customer, and closes the pages where another could begin. */
export const endAll = (stripe: Stripe, customer: string): Promise<void> =>
  unlessOver(endEach(stripe, customer));
