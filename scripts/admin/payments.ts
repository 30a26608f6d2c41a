import { endAllSubscriptions } from "../../src/features/billing/cancel.ts";
import { configuredVars } from "../common/settings.ts";
import { createStripeClient } from "../common/stripe.ts";

/** Cancels a customer's subscriptions. Throws if that fails: the account must not be deleted then. */
export async function cancelSubscriptions(customer: string | undefined, email: string): Promise<void> {
  if (customer === undefined) return;
  const stripe = createStripeClient({ ...configuredVars(), ...process.env });
  if (!stripe)
    throw new Error(
      `${email} is a customer at Stripe: set STRIPE_SECRET_KEY, so that the subscription is cancelled first. Nothing was changed.`,
    );
  await endAllSubscriptions(stripe, customer).catch((problem: Error) => {
    throw new Error(`Stripe could not cancel the subscription (${problem.message}): nothing was deleted`);
  });
}
