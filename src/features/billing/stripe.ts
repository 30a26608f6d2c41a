import type { Stripe } from "stripe";
import type { Env } from "../../env.ts";
import { AppError, unavailable } from "../../platform/core/errors.ts";
import { fetchFrom } from "../../platform/http/outbound.ts";

// Stripe's own library, which an isolate loads when somebody wants to pay.

export const hasStripe = ({ STRIPE_SECRET_KEY }: Env): boolean => Boolean(STRIPE_SECRET_KEY);

const TIMEOUT_MS = 10_000;
const API = "https://api.stripe.com";

export async function openStripe({ STRIPE_SECRET_KEY = "", STRIPE_API_URL }: Env): Promise<Stripe> {
  const { Stripe } = await import("stripe");
  const { hostname, port, protocol } = new URL(STRIPE_API_URL || API);
  return new Stripe(STRIPE_SECRET_KEY, {
    httpClient: Stripe.createFetchHttpClient(fetchFrom(STRIPE_API_URL ? "any" : "public")),
    host: hostname,
    port: port || (protocol === "https:" ? "443" : "80"),
    protocol: protocol === "https:" ? "https" : "http",
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });
}

type Failure = { type?: string; code?: string; statusCode?: number };

/** What Stripe may do better a little later: it did not answer, is overwhelmed, or has an error of its own. */
const isPassing = ({ type, statusCode = 0 }: Failure) =>
  type === "StripeConnectionError" || type === "StripeAPIError" || statusCode === 409 || statusCode === 429;

const isOurs = ({ type }: Failure) =>
  type === "StripeAuthenticationError" || type === "StripePermissionError";

export const isMissing = (problem: unknown): boolean =>
  (problem as Failure | undefined)?.code === "resource_missing";

const RETRY_SECONDS = 30;

/** The error for people. Throws what is a mistake of this program. */
function errorOf(problem: unknown): AppError {
  const failure = problem as Failure;
  if (problem instanceof AppError || !(isPassing(failure) || isOurs(failure))) throw problem;
  console.error(JSON.stringify({ stripe: failure.type, status: failure.statusCode ?? null }));
  return isPassing(failure)
    ? unavailable("Stripe, which takes the payments, does not answer: try again in a minute", RETRY_SECONDS)
    : unavailable(
        "Stripe refuses this service: its operator has to look at STRIPE_SECRET_KEY",
        RETRY_SECONDS,
      );
}

/** Asks Stripe. Throws 503 when it cannot be asked, and any other error as it is. */
export async function asking<Answer>(env: Env, ask: (stripe: Stripe) => Promise<Answer>): Promise<Answer> {
  const stripe = await openStripe(env);
  return ask(stripe).catch((problem: unknown) => {
    throw errorOf(problem);
  });
}
