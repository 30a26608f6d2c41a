import type { Stripe } from "stripe";
import type { PlanTier, Subscription } from "../../contract/billing.ts";
import { boughtBy } from "../../contract/plan-prices.ts";

// What a customer's subscriptions at Stripe mean here. Nothing else decides it.

type Sub = Stripe.Subscription;

const MS_PER_DAY = 86_400_000;
const GRACE_MS = 14 * MS_PER_DAY;
/** How long before its end a trial's owner is told, and how often a subscription is looked at without news. */
const WARNING_MS = 3 * MS_PER_DAY;
const LOOK_MS = MS_PER_DAY;
/** Stripe is asked a little after a moment has come, when it has dealt with it. */
const AFTER_MS = 300_000;

/** Those that go on, or would with a payment. What is `incomplete` has not begun. */
const LIVE = ["trialing", "active", "past_due", "unpaid", "paused"];
const isLive = ({ status }: Sub) => LIVE.includes(status);

const age = (one: Sub, other: Sub) => one.created - other.created || (one.id < other.id ? -1 : 1);

export type Choice = {
  /** The subscription that counts; undefined for none. */
  subscription: Sub | undefined;
  /** Live ones besides: somebody has paid in two tabs. */
  surplus: Sub[];
};

/** Of several live subscriptions the oldest counts; without any, the latest that has ended or not begun. */
export function chosenOf(all: Sub[]): Choice {
  const [live, ...surplus] = all.filter(isLive).sort(age);
  if (live) return { subscription: live, surplus };
  const past = all.filter(({ status }) => status !== "incomplete_expired").sort(age);
  const ended = past.filter(({ status }) => status === "canceled");
  return { subscription: ended.at(-1) ?? past.at(-1), surplus: [] };
}

const timeOf = (seconds: number | null | undefined) =>
  typeof seconds === "number" ? new Date(seconds * 1000).toISOString() : null;

/** A price that was replaced has lost its name, so its metadata has it too. */
const boughtIn = ({ items }: Sub) => {
  for (const { price } of items.data) {
    const bought = boughtBy(price.lookup_key) ?? boughtBy(price.metadata.lookup_key);
    if (bought) return bought;
  }
  return undefined;
};

/** Since 2025-03-31 it is the items that have a period. */
const periodEnd = ({ items }: Sub) =>
  items.data.reduce<number | null>((latest, item) => Math.max(latest ?? 0, item.current_period_end), null);

/** When it ends, if that is known: flexible billing sets `cancel_at` alone. */
const endOf = (sub: Sub) => sub.cancel_at ?? (sub.cancel_at_period_end ? periodEnd(sub) : null);

const invoiceTime = ({ latest_invoice }: Sub) =>
  typeof latest_invoice === "object" ? latest_invoice?.created : undefined;

/** Whoever did not pay, or took the money back, has not paid for the rest of the period. */
const isPaidFor = ({ cancellation_details }: Sub) =>
  !["payment_failed", "payment_disputed"].includes(cancellation_details?.reason ?? "");

type Known = { plan_otherwise: PlanTier; past_due_since: string | null };

export const graceEnd = (past_due_since: string | null): string | null =>
  past_due_since && new Date(Date.parse(past_due_since) + GRACE_MS).toISOString();

/** Until when a subscription that has been cancelled or not paid still gives its plan; undefined if it does not. */
function lastMoment(sub: Sub, past_due_since: string | null): string | null | undefined {
  if (sub.status === "past_due") return graceEnd(past_due_since);
  if (sub.status === "canceled" && isPaidFor(sub)) return timeOf(periodEnd(sub));
  return undefined;
}

function givesPlan(sub: Sub, past_due_since: string | null, now: Date): boolean {
  if (sub.status === "trialing" || sub.status === "active") return true;
  const until = lastMoment(sub, past_due_since);
  return until ? until > now.toISOString() : false;
}

/** What a subscription makes of an account's rows `subscriptions` and `customers`. */
export type Subscribed = Pick<
  Subscription,
  "plan_tier" | "status" | "billing_interval" | "trial_ends_at" | "current_period_end" | "canceled_at"
> & {
  subscription_id: string | null;
  ends_at: string | null;
  past_due_since: string | null;
  sync_at: string | null;
};

const NOTHING = {
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

const inMs = (at: Date | string, ms: number) => new Date(new Date(at).getTime() + ms).toISOString();

/** When Stripe is asked again without having said anything: at the next moment that changes something, or in a day. */
function nextLook(
  sub: Sub,
  { trial_ends_at, ...row }: Omit<Subscribed, "sync_at">,
  now: Date,
): string | null {
  const isOver = sub.status === "canceled" || sub.status === "incomplete_expired";
  const moments = [
    lastMoment(sub, row.past_due_since),
    ...(isOver ? [] : [trial_ends_at, row.ends_at, row.current_period_end]),
  ].flatMap((moment) => (moment ? [inMs(moment, AFTER_MS)] : []));
  if (trial_ends_at && !isOver) moments.push(inMs(trial_ends_at, -WARNING_MS));
  if (!isOver) moments.push(inMs(now, LOOK_MS));
  const [next = null] = moments.filter((moment) => moment > now.toISOString()).sort();
  return next;
}

/** The rows for a subscription. A price that is none of ours gives no plan, and is logged by whoever calls this. */
export function subscribedBy(sub: Sub | undefined, known: Known, now: Date): Subscribed {
  if (!sub || sub.status === "incomplete_expired") return { plan_tier: known.plan_otherwise, ...NOTHING };
  const bought = boughtIn(sub);
  const past_due_since =
    sub.status === "past_due"
      ? (known.past_due_since ?? timeOf(invoiceTime(sub)) ?? now.toISOString())
      : null;
  const row = {
    plan_tier: bought && givesPlan(sub, past_due_since, now) ? bought.plan : known.plan_otherwise,
    status: sub.status as Subscription["status"],
    billing_interval: bought?.interval ?? null,
    trial_ends_at: timeOf(sub.trial_end),
    current_period_end: timeOf(periodEnd(sub)),
    canceled_at: timeOf(sub.canceled_at),
    subscription_id: sub.id,
    ends_at: isLive(sub) ? timeOf(endOf(sub)) : null,
    past_due_since,
  };
  return { ...row, sync_at: nextLook(sub, row, now) };
}

/** Whether a subscription is paid by a price that the service does not know. */
export const isForeign = (sub: Sub): boolean => !boughtIn(sub);

export const isSubscribed = (subscription_id: string | null, status: string): boolean =>
  subscription_id !== null && LIVE.includes(status);

/** Whether its owner is to be told now that a trial ends. */
export const isEndingSoon = ({ status, trial_ends_at }: Subscribed, now: Date): boolean =>
  status === "trialing" && trial_ends_at !== null && trial_ends_at <= inMs(now, WARNING_MS);
