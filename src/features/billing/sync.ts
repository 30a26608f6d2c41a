import { type SQL, sql } from "drizzle-orm";
import type { Stripe } from "stripe";
import { screenPath } from "../../contract/paths.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { NotSentError } from "../../platform/core/errors.ts";
import type { Email } from "../../platform/email/render.ts";
import { hasEmailServer, sendEmail } from "../../platform/email/send.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { markCustomerDeleted } from "../../platform/shards/customer-directory-store.ts";
import { openShard } from "../../platform/shards/router.ts";
import { endSubscription } from "./cancel.ts";
import * as store from "./customer-store.ts";
import { type PlanEmail, paymentFailedEmail, trialEndingEmail } from "./emails.ts";
import { hasStripe, isMissingResource, withStripe } from "./stripe.ts";
import {
  chooseSubscription,
  graceEnd,
  hasUnknownPrice,
  isTrialEndingSoon,
  type SubscriptionValues,
  subscriptionValues,
} from "./subscription-state.ts";

// What an account has paid for is read from Stripe by `syncCustomer` alone, never taken from an event or a page.

const MAX_SUBSCRIPTIONS = 100;

/** The customer's subscriptions; undefined if Stripe no longer has the customer. */
async function listSubscriptions(
  stripe: Stripe,
  customer: string,
): Promise<Stripe.Subscription[] | undefined> {
  try {
    const { data } = await stripe.subscriptions.list({
      customer,
      status: "all",
      limit: MAX_SUBSCRIPTIONS,
      expand: ["data.latest_invoice"],
    });
    if (data.length > 0) return data;
    const existing = await stripe.customers.retrieve(customer);
    return existing.deleted ? undefined : data;
  } catch (problem) {
    if (isMissingResource(problem)) return undefined;
    throw problem;
  }
}

const log = (ctx: Ctx, details: object) =>
  console.warn(JSON.stringify({ billing: details, home: ctx.shard }));

async function chooseAndCancel(ctx: Ctx, stripe: Stripe, all: Stripe.Subscription[]) {
  const { subscription, surplus } = chooseSubscription(all);
  for (const { id } of surplus) {
    log(ctx, { kept: subscription?.id, cancelled: id, because: "there were two" });
    await endSubscription(stripe, id, { credited: true });
  }
  if (subscription && hasUnknownPrice(subscription)) log(ctx, { foreign: subscription.id });
  return subscription;
}

/** Attempts within one request, if something changes during a sync. */
const MAX_ATTEMPTS = 3;

/** Reads from Stripe what the caller has paid for, and stores it. Throws 503 when Stripe is unavailable. */
export async function syncCustomer(ctx: Ctx, env: Env): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) if (await syncOnce(ctx, env)) return;
}

/** False if the result is outdated because another sync was started or requested. */
async function syncOnce(ctx: Ctx, env: Env): Promise<boolean> {
  const customer = await store.startSync(ctx);
  if (!customer) return true;
  const answer = await withStripe(env, async (stripe) => {
    const all = await listSubscriptions(stripe, customer.customer_id);
    return all && { all, subscription: await chooseAndCancel(ctx, stripe, all) };
  });
  const subscribed = subscriptionValues(answer?.subscription, customer, ctx.now);
  if (!answer) {
    log(ctx, { gone: customer.customer_id });
    await markCustomerDeleted(openShard(env, FIRST_SHARD), customer.customer_id);
    await store.forgetCustomer(ctx, customer, subscribed);
    return true;
  }
  const hadTrial = answer.all.some(({ trial_start }) => trial_start !== null);
  if (!(await store.storeSync(ctx, customer, { subscribed, hadTrial }))) return false;
  await sendPlanNotice(ctx, env, subscribed);
  return true;
}

/** An email to send. `key`: identifies it, so that it is sent once. */
type PlanNotice = { key: string; email: (content: PlanEmail) => Email; until: string };

function dueNotice(subscribed: SubscriptionValues, now: Date): PlanNotice | undefined {
  const { trial_ends_at, past_due_since } = subscribed;
  const grace = graceEnd(past_due_since);
  if (grace) return { key: `failed ${past_due_since}`, email: paymentFailedEmail, until: grace };
  if (trial_ends_at && isTrialEndingSoon(subscribed, now))
    return { key: `trial ${trial_ends_at}`, email: trialEndingEmail, until: trial_ends_at };
  return undefined;
}

/** Emails the owner, once, that a trial is ending or a payment failed. */
async function sendPlanNotice(ctx: Ctx, env: Env, subscribed: SubscriptionValues): Promise<void> {
  const notice = hasEmailServer(env) ? dueNotice(subscribed, ctx.now) : undefined;
  if (!notice) return;
  const { email: to, email_verified_at, timezone } = await ctx.user();
  if (email_verified_at === null || !(await store.claimEmail(ctx, notice.key))) return;
  const page = publicOrigin(env) + screenPath("plan");
  const email = notice.email({ to, plan: subscribed.plan_tier, until: notice.until, page, timezone });
  await sendEmail(env, email).catch(async (problem: unknown) => {
    // Retried only if it is known to be unsent: better no email than two.
    if (problem instanceof NotSentError) await store.releaseEmail(ctx);
    throw problem;
  });
}

export const nextSyncAt = (owner: SQL, env: Env): SQL =>
  hasStripe(env) ? store.nextSyncAt(owner) : sql`NULL`;
export const ownersDueForSync = (base: BaseCtx, env: Env): SQL =>
  hasStripe(env) ? store.ownersDueForSync(base) : sql`SELECT NULL AS owner WHERE false`;
