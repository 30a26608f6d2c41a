import type { Stripe } from "stripe";
import type { Env } from "../../env.ts";
import { AppError, unavailable } from "../../platform/core/errors.ts";
import { fetchWithPolicy } from "../../platform/http/outbound.ts";

// Stripe's library, loaded by an isolate when first used.

export const hasStripe = ({ STRIPE_SECRET_KEY }: Env): boolean => Boolean(STRIPE_SECRET_KEY);

const TIMEOUT_MS = 10_000;
const API = "https://api.stripe.com";

export async function createStripeClient({ STRIPE_SECRET_KEY = "", STRIPE_API_URL }: Env): Promise<Stripe> {
  const { Stripe } = await import("stripe");
  const { hostname, port, protocol } = new URL(STRIPE_API_URL || API);
  return new Stripe(STRIPE_SECRET_KEY, {
    httpClient: Stripe.createFetchHttpClient(fetchWithPolicy(STRIPE_API_URL ? "any" : "public")),
    host: hostname,
    port: port || (protocol === "https:" ? "443" : "80"),
    protocol: protocol === "https:" ? "https" : "http",
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });
}

type StripeError = { type?: string; code?: string; statusCode?: number };

/** Stripe did not answer, is overloaded, or has an internal error. */
const isTransientError = ({ type, statusCode = 0 }: StripeError) =>
  type === "StripeConnectionError" || type === "StripeAPIError" || statusCode === 409 || statusCode === 429;

const isConfigurationError = ({ type }: StripeError) =>
  type === "StripeAuthenticationError" || type === "StripePermissionError";

export const isMissingResource = (problem: unknown): boolean =>
  (problem as StripeError | undefined)?.code === "resource_missing";

const RETRY_SECONDS = 30;

/** The error for the caller. Rethrows all others. */
function toAppError(problem: unknown): AppError {
  const failure = problem as StripeError;
  if (problem instanceof AppError || !(isTransientError(failure) || isConfigurationError(failure)))
    throw problem;
  console.error(JSON.stringify({ stripe: failure.type, status: failure.statusCode ?? null }));
  return isTransientError(failure)
    ? unavailable("Stripe, our payment provider, isn't responding: try again in a minute", RETRY_SECONDS)
    : unavailable("Stripe rejects this service: its operator must check STRIPE_SECRET_KEY", RETRY_SECONDS);
}

/** Calls Stripe. Throws 503 when it is unavailable or rejects our key, and other errors unchanged. */
export async function withStripe<Answer>(
  env: Env,
  ask: (stripe: Stripe) => Promise<Answer>,
): Promise<Answer> {
  const stripe = await createStripeClient(env);
  return ask(stripe).catch((problem: unknown) => {
    throw toAppError(problem);
  });
}
