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

// What an account has paid for is asked of Stripe, by one function; no event and no page tells it.

/** More than anybody has. */
const MOST = 100;

/** The customer's subscriptions; undefined for a customer that Stripe does not have any longer. */
async function listSubscriptions(
  stripe: Stripe,
  customer: string,
): Promise<Stripe.Subscription[] | undefined> {
  try {
    const { data } = await stripe.subscriptions.list({
      customer,
      status: "all",
      limit: MOST,
      expand: ["data.latest_invoice"],
    });
    if (data.length > 0) return data;
    const known = await stripe.customers.retrieve(customer);
    return known.deleted ? undefined : data;
  } catch (problem) {
    if (isMissing(problem)) return undefined;
    throw problem;
  }
}

const log = (ctx: Ctx, what: object) => console.warn(JSON.stringify({ billing: what, home: ctx.home }));

async function chooseAndCancel(ctx: Ctx, stripe: Stripe, all: Stripe.Subscription[]) {
  const { subscription, surplus } = chosenOf(all);
  for (const { id } of surplus) {
    log(ctx, { kept: subscription?.id, cancelled: id, because: "there were two" });
    await endSubscription(stripe, id, { credited: true });
  }
  if (subscription && isForeign(subscription)) log(ctx, { foreign: subscription.id });
  return subscription;
}

/** How often one request asks again because something has changed meanwhile. */
const MOST_TRIES = 3;

/** Asks Stripe what the caller has paid for, and writes it down. Throws 503 when Stripe cannot be asked. */
export async function syncCustomer(ctx: Ctx, env: Env): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) if (await syncOnce(ctx, env)) return;
}

/** False if what was asked is out of date. */
async function syncOnce(ctx: Ctx, env: Env): Promise<boolean> {
  const asked = await store.beginSync(ctx);
  if (!asked) return true;
  const answer = await asking(env, async (stripe) => {
    const all = await listSubscriptions(stripe, asked.customer_id);
    return all && { all, subscription: await chooseAndCancel(ctx, stripe, all) };
  });
  const subscribed = subscribedBy(answer?.subscription, asked, ctx.now);
  if (!answer) {
    log(ctx, { gone: asked.customer_id });
    await noteGone(openHome(env, FIRST_HOME), asked.customer_id);
    await store.forgetCustomer(ctx, asked, subscribed);
    return true;
  }
  const hadTrial = answer.all.some(({ trial_start }) => trial_start !== null);
  if (!(await store.endSync(ctx, asked, { subscribed, hadTrial }))) return false;
  await tell(ctx, env, subscribed);
  return true;
}

type Told = { key: string; mail: (about: Zoned) => ReturnType<typeof trialMail>; until: string };

function toTell(subscribed: Subscribed, now: Date): Told | undefined {
  const { trial_ends_at, past_due_since } = subscribed;
  const grace = graceEnd(past_due_since);
  if (grace) return { key: `failed ${past_due_since}`, mail: failedMail, until: grace };
  if (trial_ends_at && isEndingSoon(subscribed, now))
    return { key: `trial ${trial_ends_at}`, mail: trialMail, until: trial_ends_at };
  return undefined;
}

/** Mails the owner, once, that a trial ends or that a payment has failed. */
async function tell(ctx: Ctx, env: Env, subscribed: Subscribed): Promise<void> {
  const told = hasMailServer(env) ? toTell(subscribed, ctx.now) : undefined;
  if (!told) return;
  const { email: to, email_verified_at, timezone } = await ctx.user();
  if (email_verified_at === null || !(await store.claimMail(ctx, told.key))) return;
  const page = publicOrigin(env) + pathOf("plan");
  const mail = told.mail({ to, plan: subscribed.plan_tier, until: told.until, page, timezone });
  await sendMail(env, mail).catch(async (problem: unknown) => {
    // Only what is known to be unsent is sent again: rather none than two.
    if (problem instanceof Unsent) await store.releaseMail(ctx);
    throw problem;
  });
}

const NEVER = sql`NULL`;
const NOBODY = sql`SELECT NULL AS owner WHERE false`;

export const syncMoment = (owner: SQL, env: Env): SQL => (hasStripe(env) ? store.syncMoment(owner) : NEVER);
export const ownersToSync = (base: BaseCtx, env: Env): SQL =>
  hasStripe(env) ? store.ownersToSync(base) : NOBODY;
