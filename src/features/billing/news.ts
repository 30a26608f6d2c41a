import type { Stripe } from "stripe";
import { FIRST_HOME } from "../../contract/home.ts";
import { STRIPE_EVENTS } from "../../contract/stripe-events.ts";
import type { Env } from "../../env.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { badRequest, unavailable } from "../../platform/core/errors.ts";
import {
  findCustomerHome,
  noteEvent,
  noteReconciled,
  readReconciled,
} from "../../platform/homes/customer-book-store.ts";
import { openHome } from "../../platform/homes/router.ts";
import { wake } from "../../platform/later/wake.ts";
import { markDue } from "./customer-store.ts";
import { asking, hasStripe, openStripe } from "./stripe.ts";

// Stripe's events say only that something has changed: the customer's account then asks what (sync.ts).

const isOfInterest = (type: string) => (STRIPE_EVENTS as readonly string[]).includes(type);

/** The customer that an event is about. */
function customerOf({ type, data }: Stripe.Event): string | undefined {
  const { id, customer } = data.object as { id?: string; customer?: string | { id: string } | null };
  if (type === "customer.deleted") return id;
  return typeof customer === "string" ? customer : customer?.id;
}

/** Lets the account that an event is about ask Stripe. Throws 503 while that is being moved. */
async function hear(env: Env, first: BaseCtx, event: Stripe.Event): Promise<void> {
  // With `account`, it is of somebody whom the operator lets use Stripe, and none of our customers.
  const customer = event.account || !isOfInterest(event.type) ? undefined : customerOf(event);
  const found = customer && (await findCustomerHome(first, customer, event.id));
  if (!customer || !found || found.isSeen) return;
  const owner = await markDue(openHome(env, found.home), customer);
  // Without a row it is not a customer yet: it is asked about when it becomes one.
  await noteEvent(first, event.id);
  if (owner !== undefined) wake({ home: found.home, owner });
}

/** The event in a message. Throws 400 for a signature that is not Stripe's, or older than five minutes. */
async function verified(env: Env, secret: string, { body, signature }: Message): Promise<Stripe.Event> {
  const { webhooks } = await openStripe(env);
  const event = await webhooks.constructEventAsync(body, signature, secret).catch(() => undefined);
  if (!event) throw badRequest("This is not signed by Stripe, or too old");
  return event as Stripe.Event;
}

type Message = { body: string; signature: string };

/** Takes a message of Stripe's. Throws 400, and 503 while the service cannot tell whose it is. */
export async function receive(env: Env, message: Message): Promise<void> {
  if (!env.STRIPE_WEBHOOK_SECRET)
    throw unavailable(
      "STRIPE_WEBHOOK_SECRET is not set: npm run deploy sets it, or see docs/operating.md",
      60,
    );
  const event = await verified(env, env.STRIPE_WEBHOOK_SECRET, message);
  await hear(env, openHome(env, FIRST_HOME), event);
}

const SECONDS_PER_DAY = 86_400;
/** Events may become visible a little after their time. */
const OVERLAP = 600;
const MOST_EVENTS = 2000;

/** Reads Stripe's list of events, of which some may not have arrived. */
export async function reconcile(first: BaseCtx, env: Env): Promise<void> {
  if (!hasStripe(env)) return;
  const now = Math.floor(first.now.getTime() / 1000);
  const since = (await readReconciled(first)) ?? now - SECONDS_PER_DAY;
  const events = await asking(env, (stripe) =>
    stripe.events
      .list({ types: [...STRIPE_EVENTS], created: { gte: since - OVERLAP }, limit: 100 })
      .autoPagingToArray({ limit: MOST_EVENTS }),
  );
  if (events.length === MOST_EVENTS)
    console.error(JSON.stringify({ billing: "more events than can be read" }));
  let hasFailed = false;
  for (const event of events)
    await hear(env, first, event).catch((problem: unknown) => {
      console.error(JSON.stringify({ billing: "event not heard", error: String(problem) }));
      hasFailed = true;
    });
  // Read again in an hour, when the account has been moved.
  if (!hasFailed) await noteReconciled(first, now);
}
