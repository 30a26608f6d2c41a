import type { Stripe } from "stripe";
import { FIRST_SHARD } from "../../contract/shard.ts";
import { STRIPE_EVENTS } from "../../contract/stripe-events.ts";
import type { Env } from "../../env.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { badRequest, unavailable } from "../../platform/core/errors.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import {
  findCustomerShard,
  readReconciledUntil,
  recordReconciledUntil,
  recordStripeEvent,
} from "../../platform/shards/customer-directory-store.ts";
import { openShard } from "../../platform/shards/router.ts";
import { requestSync } from "./customer-store.ts";
import { createStripeClient, hasStripe, withStripe } from "./stripe.ts";

// Stripe's events only trigger a sync (sync.ts), which reads from Stripe what has changed.

const isRelevant = (type: string) => (STRIPE_EVENTS as readonly string[]).includes(type);

function customerId({ type, data }: Stripe.Event): string | undefined {
  const { id, customer } = data.object as { id?: string; customer?: string | { id: string } | null };
  if (type === "customer.deleted") return id;
  return typeof customer === "string" ? customer : customer?.id;
}

/** Requests a sync of the account that an event concerns. Throws 503 while the account is being moved. */
async function handleEvent(env: Env, first: BaseCtx, event: Stripe.Event): Promise<void> {
  // With `account`, the event belongs to a connected account, not to our customers.
  const customer = event.account || !isRelevant(event.type) ? undefined : customerId(event);
  const found = customer && (await findCustomerShard(first, customer, event.id));
  if (!customer || !found || found.isSeen) return;
  const owner = await requestSync(openShard(env, found.home), customer);
  // Without a row it is not a customer yet: it is synced when it becomes one.
  await recordStripeEvent(first, event.id);
  if (owner !== undefined) wakeAccount({ shard: found.home, owner });
}

/** The event in a message. Throws 400 if the signature is invalid or older than five minutes. */
async function verifyEvent(
  env: Env,
  secret: string,
  { body, signature }: WebhookMessage,
): Promise<Stripe.Event> {
  const { webhooks } = await createStripeClient(env);
  const event = await webhooks.constructEventAsync(body, signature, secret).catch(() => undefined);
  if (!event) throw badRequest("The signature is not Stripe's, or is too old");
  return event as Stripe.Event;
}

type WebhookMessage = { body: string; signature: string };

/** Handles a webhook message of Stripe. Throws 400, and 503 while the customer's account cannot be looked up. */
export async function receiveStripeMessage(env: Env, message: WebhookMessage): Promise<void> {
  if (!env.STRIPE_WEBHOOK_SECRET)
    throw unavailable(
      "STRIPE_WEBHOOK_SECRET is not set: npm run deploy sets it, or see docs/operating.md",
      60,
    );
  const event = await verifyEvent(env, env.STRIPE_WEBHOOK_SECRET, message);
  await handleEvent(env, openShard(env, FIRST_SHARD), event);
}

const SECONDS_PER_DAY = 86_400;
/** Seconds: events may become visible a little after their timestamp. */
const OVERLAP = 600;
const MAX_EVENTS = 2000;

/** Reads Stripe's list of events, because some messages may not have arrived. */
export async function reconcileEvents(first: BaseCtx, env: Env): Promise<void> {
  if (!hasStripe(env)) return;
  const now = Math.floor(first.now.getTime() / 1000);
  const since = (await readReconciledUntil(first)) ?? now - SECONDS_PER_DAY;
  const events = await withStripe(env, (stripe) =>
    stripe.events
      .list({ types: [...STRIPE_EVENTS], created: { gte: since - OVERLAP }, limit: 100 })
      .autoPagingToArray({ limit: MAX_EVENTS }),
  );
  if (events.length === MAX_EVENTS)
    console.error(JSON.stringify({ billing: "more events than can be read" }));
  let hasFailed = false;
  for (const event of events)
    await handleEvent(env, first, event).catch((problem: unknown) => {
      console.error(JSON.stringify({ billing: "event not handled", error: String(problem) }));
      hasFailed = true;
    });
  // Otherwise the events are read again in an hour: an account may be moving between shards.
  if (!hasFailed) await recordReconciledUntil(first, now);
}
