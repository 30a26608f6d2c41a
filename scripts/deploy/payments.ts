import type { Stripe } from "stripe";
import { STRIPE_EVENTS, STRIPE_WEBHOOK_PATH } from "../../src/contract/stripe-events.ts";
import { createStripeClient } from "../common/stripe.ts";

// The webhook endpoint for Stripe's events, and its signing secret, which Stripe shows only once.

/** A deployment with a Stripe key that Stripe does not send events to yet. */
export type MissingPayments = {
  key: string;
  url: string;
  stripe: Stripe;
  existingEndpoints: Stripe.WebhookEndpoint[];
};

type DeployedWorker = { address: string | undefined; secrets: string[] };

function isUpToDate(
  stripe: Stripe,
  { status, api_version, enabled_events }: Stripe.WebhookEndpoint,
): boolean {
  const events = [...enabled_events].sort().join();
  return (
    status === "enabled" &&
    api_version === stripe.getApiField("version") &&
    events === [...STRIPE_EVENTS].sort().join()
  );
}

/**
 * What is missing at Stripe. Undefined without STRIPE_SECRET_KEY, or if an endpoint is up to date and the Worker has its
 * secret. Throws if the deployment's address is unknown.
 */
export async function findMissingPayments(
  environment: NodeJS.ProcessEnv,
  { address, secrets }: DeployedWorker,
): Promise<MissingPayments | undefined> {
  const stripe = createStripeClient(environment);
  const { STRIPE_SECRET_KEY: key } = environment;
  if (!stripe || !key) return undefined;
  if (!address) throw new Error("The address of the deployment is unknown: set API_URL for Stripe");
  const url = `${address}${STRIPE_WEBHOOK_PATH}`;
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
  const old = data.filter((endpoint) => endpoint.url === url);
  const isSetUp =
    old.some((endpoint) => isUpToDate(stripe, endpoint)) && secrets.includes("STRIPE_WEBHOOK_SECRET");
  return isSetUp ? undefined : { key, url, stripe, existingEndpoints: old };
}

export const describePaymentStep = ({ url, existingEndpoints }: MissingPayments): string =>
  `${existingEndpoints.length > 0 ? "replace" : "create"} the webhook at Stripe for ${url}, and store its secret`;

/** Creates an endpoint, pinned to the library's API version. Returns the Worker's secrets. */
export async function createWebhookEndpoint({
  stripe,
  key,
  url,
}: MissingPayments): Promise<Record<string, string>> {
  const api_version = stripe.getApiField("version") as Stripe.WebhookEndpointCreateParams["api_version"];
  const { secret } = await stripe.webhookEndpoints.create({
    url,
    api_version,
    enabled_events: [...STRIPE_EVENTS],
    description: "Commonplace",
  });
  return { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret ?? "" };
}

/** Deletes the replaced endpoints. Call it once the Worker has the new secret. */
export async function deleteReplacedEndpoints({ stripe, existingEndpoints }: MissingPayments): Promise<void> {
  for (const { id } of existingEndpoints) await stripe.webhookEndpoints.del(id);
}
