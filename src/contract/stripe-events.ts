/** The Stripe events after which the subscription of a customer may have changed. */
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

export const STRIPE_WEBHOOK_PATH = "/api/billing/webhook";

export const STRIPE_PORTAL_NAME = "Commonplace";
