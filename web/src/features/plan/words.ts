import type { Money, PlanState, Plans } from "../../api/plans.ts";
import { PLANS } from "../usage/measures.tsx";

export type Interval = "month" | "year";
export type Offer = Plans["plans"][number];
export type Tier = Offer["plan_tier"];

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "long" });
export const dayOf = (instant: string): string => DAY.format(new Date(instant));

/** A price: `€5`, `$4.50`. */
export function moneyOf({ amount, currency }: Money): string {
  const format = { style: "currency", currency } as const;
  const digits = new Intl.NumberFormat("en", format).resolvedOptions().maximumFractionDigits ?? 2;
  const value = amount / 10 ** digits;
  return new Intl.NumberFormat("en", {
    ...format,
    ...(Number.isInteger(value) && { maximumFractionDigits: 0 }),
  }).format(value);
}

/** A yearly price per month. */
export const monthlyOf = ({ amount, currency }: Money): string =>
  moneyOf({ amount: Math.round(amount / 12), currency });

const INTERVALS = { month: "paid monthly", year: "paid yearly" } as const;

/** The current plan: `Pro, paid yearly`. */
export const titleOf = ({ plan_tier, billing_interval, is_subscribed, status }: PlanState): string => {
  const paid = is_subscribed && billing_interval && status !== "trialing";
  return paid ? `${PLANS[plan_tier]}, ${INTERVALS[billing_interval]}` : PLANS[plan_tier];
};

export type Said = { text: string; tone: "quiet" | "warn" | "danger" };

const KEPT = "Nothing you’ve written is deleted.";
const fallbackPlan = ({ plan_otherwise }: PlanState) => `the ${PLANS[plan_otherwise]} plan`;

function failureStatus(state: PlanState): Said {
  const until = state.grace_ends_at;
  if (until && until > new Date().toISOString())
    return {
      text: `Your last payment failed. Everything keeps working until ${dayOf(until)}. Please update your card by then.`,
      tone: "danger",
    };
  const text = `A payment failed, so the limits of ${fallbackPlan(state)} apply until it is paid. ${KEPT}`;
  return { text, tone: "danger" };
}

function trialStatus(state: PlanState): Said {
  const { ends_at, trial_ends_at } = state;
  const day = dayOf(trial_ends_at ?? "");
  if (ends_at)
    return {
      text: `Your trial ends on ${dayOf(ends_at)}. After that you’re on ${fallbackPlan(state)}. ${KEPT}`,
      tone: "warn",
    };
  const text = `Your trial ends on ${day}. With a card on file, the paid plan starts then; without one, you’re back on ${fallbackPlan(state)}. ${KEPT}`;
  return { text, tone: "quiet" };
}

/** The status of the plan in a sentence. */
export function saidOf(state: PlanState): Said {
  const { status, ends_at, current_period_end: end, is_subscribed, plan_tier, plan_otherwise } = state;
  if (status === "past_due" || status === "unpaid") return failureStatus(state);
  if (status === "trialing") return trialStatus(state);
  if (status === "paused")
    return {
      text: `Your subscription is paused, so the limits of ${fallbackPlan(state)} apply. ${KEPT}`,
      tone: "warn",
    };
  if (is_subscribed && ends_at)
    return {
      text: `Ends on ${dayOf(ends_at)}. After that you’re on ${fallbackPlan(state)}. ${KEPT}`,
      tone: "warn",
    };
  if (status === "canceled" && end && plan_tier !== plan_otherwise)
    return {
      text: `Cancelled, and paid until ${dayOf(end)}. After that you’re on ${fallbackPlan(state)}. ${KEPT}`,
      tone: "warn",
    };
  if (is_subscribed && end) return { text: `Renews on ${dayOf(end)}.`, tone: "quiet" };
  return { text: "Free of charge.", tone: "quiet" };
}

/** The name of the button that opens Stripe. */
export function stepOf({ status, ends_at, is_subscribed }: PlanState): string | undefined {
  if (!is_subscribed) return undefined;
  if (status === "past_due" || status === "unpaid") return "Update card";
  return ends_at ? "Keep plan" : "Change or cancel";
}
