import { type SQL, sql } from "drizzle-orm";
import type { Stripe } from "stripe";
import { FIRST_HOME } from "../../contract/home.ts";
import { pathOf } from "../../contract/paths.ts";
import type { Env } from "../../env.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { Unsent } from "../../platform/core/errors.ts";
import { noteGone } from "../../platform/homes/customer-book-store.ts";
import { openHome } from "../../platform/homes/router.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { hasMailServer, sendMail } from "../../platform/mail/send.ts";
import { endSubscription } from "./cancel.ts";
import * as store from "./customer-store.ts";
import { failedMail, trialMail, type Zoned } from "./mails.ts";
import { asking, hasStripe, isMissing } from "./stripe.ts";
import { chosenOf, graceEnd, isEndingSoon, isForeign, type Subscribed, subscribedBy } from "./subscribed.ts";

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
    if (isMissing(problem)) return undefined;
    throw problem;
  }
}

const log = (ctx: Ctx, details: object) => console.warn(JSON.stringify({ billing: details, home: ctx.home }));

async function chooseAndCancel(ctx: Ctx, stripe: Stripe, all: Stripe.Subscription[]) {
  const { subscription, surplus } = chosenOf(all);
  for (const { id } of surplus) {
    log(ctx, { kept: subscription?.id, cancelled: id, because: "there were two" });
    await endSubscription(stripe, id, { credited: true });
  }
  if (subscription && isForeign(subscription)) log(ctx, { foreign: subscription.id });
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
  const customer = await store.beginSync(ctx);
  if (!customer) return true;
  const answer = await asking(env, async (stripe) => {
    const all = await listSubscriptions(stripe, customer.customer_id);
    return all && { all, subscription: await chooseAndCancel(ctx, stripe, all) };
  });
  const subscribed = subscribedBy(answer?.subscription, customer, ctx.now);
  if (!answer) {
    log(ctx, { gone: customer.customer_id });
    await noteGone(openHome(env, FIRST_HOME), customer.customer_id);
    await store.forgetCustomer(ctx, customer, subscribed);
    return true;
  }
  const hadTrial = answer.all.some(({ trial_start }) => trial_start !== null);
  if (!(await store.endSync(ctx, customer, { subscribed, hadTrial }))) return false;
  await sendPlanNotice(ctx, env, subscribed);
  return true;
}

/** An email to send. `key`: identifies it, so that it is sent once. */
type PlanNotice = { key: string; email: (content: Zoned) => ReturnType<typeof trialMail>; until: string };

function dueNotice(subscribed: Subscribed, now: Date): PlanNotice | undefined {
  const { trial_ends_at, past_due_since } = subscribed;
  const grace = graceEnd(past_due_since);
  if (grace) return { key: `failed ${past_due_since}`, email: failedMail, until: grace };
  if (trial_ends_at && isEndingSoon(subscribed, now))
    return { key: `trial ${trial_ends_at}`, email: trialMail, until: trial_ends_at };
  return undefined;
}

/** Emails the owner, once, that a trial is ending or a payment failed. */
async function sendPlanNotice(ctx: Ctx, env: Env, subscribed: Subscribed): Promise<void> {
  const notice = hasMailServer(env) ? dueNotice(subscribed, ctx.now) : undefined;
  if (!notice) return;
  const { email: to, email_verified_at, timezone } = await ctx.user();
  if (email_verified_at === null || !(await store.claimMail(ctx, notice.key))) return;
  const page = publicOrigin(env) + pathOf("plan");
  const email = notice.email({ to, plan: subscribed.plan_tier, until: notice.until, page, timezone });
  await sendMail(env, email).catch(async (problem: unknown) => {
    // Retried only if it is known to be unsent: better no email than two.
    if (problem instanceof Unsent) await store.releaseMail(ctx);
    throw problem;
  });
}

const NEVER = sql`NULL`;
const NO_OWNERS = sql`SELECT NULL AS owner WHERE false`;

export const syncMoment = (owner: SQL, env: Env): SQL => (hasStripe(env) ? store.syncMoment(owner) : NEVER);
export const ownersToSync = (base: BaseCtx, env: Env): SQL =>
  hasStripe(env) ? store.ownersToSync(base) : NO_OWNERS;
