import { endAll } from "../../src/features/billing/cancel.ts";
import { configuredVars } from "../common/settings.ts";
import { stripeOf } from "../common/stripe.ts";

/** Cancels a customer's subscriptions. Throws if that fails: the account must not be deleted then. */
export async function cancelPaid(customer: string | undefined, email: string): Promise<void> {
  if (customer === undefined) return;
  const stripe = stripeOf({ ...configuredVars(), ...process.env });
  if (!stripe)
    throw new Error(
      `${email} is a customer at Stripe: set STRIPE_SECRET_KEY, so that the subscription is cancelled first. Nothing was changed.`,
    );
  await endAll(stripe, customer).catch((problem: Error) => {
    throw new Error(`Stripe could not cancel the subscription (${problem.message}): nothing was deleted`);
  });
}
