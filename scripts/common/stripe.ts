import { Stripe } from "stripe";

type Environment = Record<string, string | undefined>;

/** A client of Stripe's API; undefined without a key. STRIPE_API_URL is for tests. */
export function createStripeClient({
  STRIPE_SECRET_KEY: key,
  STRIPE_API_URL: url,
}: Environment): Stripe | undefined {
  if (!key) return undefined;
  if (!url) return new Stripe(key, { telemetry: false });
  const { hostname: host, port, protocol } = new URL(url);
  const isTls = protocol === "https:";
  return new Stripe(key, {
    host,
    port: port || (isTls ? "443" : "80"),
    protocol: isTls ? "https" : "http",
    telemetry: false,
  });
}

/** Whether a key moves real money. */
export const stripeMode = (key: string): string => (/^(sk|rk)_live_/.test(key) ? "live mode" : "test mode");
