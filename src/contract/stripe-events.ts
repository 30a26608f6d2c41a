/** What Stripe tells us of: after any of these, a customer's subscription may be another one. */
export const STRIPE_EVENTS = [
  "checkout.session.completed",
  "customer.deleted",
  "customer.subscription.created",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "customer.subscription.trial_will_end",
  "customer.subscription.updated",
  "invoice.paid",
  "invoice.payment_failed",
] as const;

/** Where it tells us. */
export const STRIPE_WEBHOOK_PATH = "/api/billing/webhook";

/** What Stripe's portal lets people do is a configuration of this name there. */
export const PORTAL_NAME = "Commonplace";
