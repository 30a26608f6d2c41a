import type { Stripe } from "stripe";
import type { PlanTier, Subscription } from "../../contract/billing.ts";
import { planForLookupKey } from "../../contract/plan-prices.ts";

// Maps a customer's subscriptions at Stripe to the account's plan. Nothing else decides the plan.

type Sub = Stripe.Subscription;

const MS_PER_DAY = 86_400_000;
const GRACE_MS = 14 * MS_PER_DAY;
/** How long before its end the owner of a trial is emailed. */
const WARNING_MS = 3 * MS_PER_DAY;
const SYNC_EVERY_MS = MS_PER_DAY;
/** Syncs run a little after each relevant time, when Stripe has processed it. */
const SYNC_DELAY_MS = 300_000;

/** Subscriptions that continue, or would after a payment. An `incomplete` one has not started. */
const LIVE_STATUSES = ["trialing", "active", "past_due", "unpaid", "paused"];
const isLive = ({ status }: Sub) => LIVE_STATUSES.includes(status);

const compareAge = (one: Sub, other: Sub) => one.created - other.created || (one.id < other.id ? -1 : 1);

export type ChosenSubscription = {
  /** The subscription that counts; undefined if there is none. */
  subscription: Sub | undefined;
  /** Further live ones, after paying in two tabs. */
  surplus: Sub[];
};

/** The oldest live subscription counts; without one, the latest that has ended, or else not started. */
export function chooseSubscription(all: Sub[]): ChosenSubscription {
  const [live, ...surplus] = all.filter(isLive).sort(compareAge);
  if (live) return { subscription: live, surplus };
  const past = all.filter(({ status }) => status !== "incomplete_expired").sort(compareAge);
  const ended = past.filter(({ status }) => status === "canceled");
  return { subscription: ended.at(-1) ?? past.at(-1), surplus: [] };
}

const isoTime = (seconds: number | null | undefined) =>
  typeof seconds === "number" ? new Date(seconds * 1000).toISOString() : null;

/** A price that was replaced has lost its lookup key, so its metadata has a copy. */
const purchasedPlan = ({ items }: Sub) => {
  for (const { price } of items.data) {
    const bought = planForLookupKey(price.lookup_key) ?? planForLookupKey(price.metadata.lookup_key);
    if (bought) return bought;
  }
  return undefined;
};

/** Since API version 2025-03-31, periods belong to the items. */
const periodEnd = ({ items }: Sub) =>
  items.data.reduce<number | null>((latest, item) => Math.max(latest ?? 0, item.current_period_end), null);

/** When it ends, if that is known: flexible billing sets only `cancel_at`. */
const endTime = (sub: Sub) => sub.cancel_at ?? (sub.cancel_at_period_end ? periodEnd(sub) : null);

const invoiceTime = ({ latest_invoice }: Sub) =>
  typeof latest_invoice === "object" ? latest_invoice?.created : undefined;

/** False if the subscription was cancelled because a payment failed or was disputed. */
const isPaidFor = ({ cancellation_details }: Sub) =>
  !["payment_failed", "payment_disputed"].includes(cancellation_details?.reason ?? "");

type CustomerState = { plan_otherwise: PlanTier; past_due_since: string | null };

export const graceEnd = (past_due_since: string | null): string | null =>
  past_due_since && new Date(Date.parse(past_due_since) + GRACE_MS).toISOString();

/** Until when a cancelled or unpaid subscription still gives its plan; undefined if it does not. */
function planEnd(sub: Sub, past_due_since: string | null): string | null | undefined {
  if (sub.status === "past_due") return graceEnd(past_due_since);
  if (sub.status === "canceled" && isPaidFor(sub)) return isoTime(periodEnd(sub));
  return undefined;
}

function givesPlan(sub: Sub, past_due_since: string | null, now: Date): boolean {
  if (sub.status === "trialing" || sub.status === "active") return true;
  const until = planEnd(sub, past_due_since);
  return until ? until > now.toISOString() : false;
}

/** The values for an account's rows in `subscriptions` and `customers`. */
export type SubscriptionValues = Pick<
  Subscription,
  "plan_tier" | "status" | "billing_interval" | "trial_ends_at" | "current_period_end" | "canceled_at"
> & {
  subscription_id: string | null;
  ends_at: string | null;
  past_due_since: string | null;
  sync_at: string | null;
};

const UNSUBSCRIBED = {
  status: "active",
  billing_interval: null,
  trial_ends_at: null,
  current_period_end: null,
  canceled_at: null,
  subscription_id: null,
  ends_at: null,
  past_due_since: null,
  sync_at: null,
} as const;

const addMs = (at: Date | string, ms: number) => new Date(new Date(at).getTime() + ms).toISOString();

/** When to sync again without an event: at the next time that changes something, or in a day. */
function nextSync(
  sub: Sub,
  { trial_ends_at, ...row }: Omit<SubscriptionValues, "sync_at">,
  now: Date,
): string | null {
  const isOver = sub.status === "canceled" || sub.status === "incomplete_expired";
  const moments = [
    planEnd(sub, row.past_due_since),
    ...(isOver ? [] : [trial_ends_at, row.ends_at, row.current_period_end]),
  ].flatMap((moment) => (moment ? [addMs(moment, SYNC_DELAY_MS)] : []));
  if (trial_ends_at && !isOver) moments.push(addMs(trial_ends_at, -WARNING_MS));
  if (!isOver) moments.push(addMs(now, SYNC_EVERY_MS));
  const [next = null] = moments.filter((moment) => moment > now.toISOString()).sort();
  return next;
}

/** The values for a subscription. An unknown price gives no plan; callers log it (`hasUnknownPrice`). */
export function subscriptionValues(
  sub: Sub | undefined,
  known: CustomerState,
  now: Date,
): SubscriptionValues {
  if (!sub || sub.status === "incomplete_expired")
    return { plan_tier: known.plan_otherwise, ...UNSUBSCRIBED };
  const bought = purchasedPlan(sub);
  const past_due_since =
    sub.status === "past_due"
      ? (known.past_due_since ?? isoTime(invoiceTime(sub)) ?? now.toISOString())
      : null;
  const row = {
    plan_tier: bought && givesPlan(sub, past_due_since, now) ? bought.plan : known.plan_otherwise,
    status: sub.status as Subscription["status"],
    billing_interval: bought?.interval ?? null,
    trial_ends_at: isoTime(sub.trial_end),
    current_period_end: isoTime(periodEnd(sub)),
    canceled_at: isoTime(sub.canceled_at),
    subscription_id: sub.id,
    ends_at: isLive(sub) ? isoTime(endTime(sub)) : null,
    past_due_since,
  };
  return { ...row, sync_at: nextSync(sub, row, now) };
}

export const hasUnknownPrice = (sub: Sub): boolean => !purchasedPlan(sub);

export const isSubscribed = (subscription_id: string | null, status: string): boolean =>
  subscription_id !== null && LIVE_STATUSES.includes(status);

export const isTrialEndingSoon = ({ status, trial_ends_at }: SubscriptionValues, now: Date): boolean =>
  status === "trialing" && trial_ends_at !== null && trial_ends_at <= addMs(now, WARNING_MS);
