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

/** What is paid by the year, for a month of it. */
export const monthlyOf = ({ amount, currency }: Money): string =>
  moneyOf({ amount: Math.round(amount / 12), currency });

const INTERVALS = { month: "paid monthly", year: "paid yearly" } as const;

/** What the caller has: `Pro, paid yearly`. */
export const titleOf = ({ plan_tier, billing_interval, is_subscribed, status }: PlanState): string => {
  const paid = is_subscribed && billing_interval && status !== "trialing";
  return paid ? `${PLANS[plan_tier]}, ${INTERVALS[billing_interval]}` : PLANS[plan_tier];
};

export type Said = { text: string; tone: "quiet" | "warn" | "danger" };

const KEPT = "Nothing that you have written is deleted.";
const otherwiseOf = ({ plan_otherwise }: PlanState) => `the ${PLANS[plan_otherwise]} plan`;

function saidOfFailure(state: PlanState): Said {
  const until = state.grace_ends_at;
  if (until && until > new Date().toISOString())
    return {
      text: `The last payment has failed. Everything works as before until ${dayOf(until)}: please check your card by then.`,
      tone: "danger",
    };
  const text = `A payment has failed, so the limits of ${otherwiseOf(state)} apply until it is made up for. ${KEPT}`;
  return { text, tone: "danger" };
}

function saidOfTrial(state: PlanState): Said {
  const { ends_at, trial_ends_at } = state;
  const day = dayOf(trial_ends_at ?? "");
  if (ends_at)
    return {
      text: `Your trial ends on ${dayOf(ends_at)}; then you have ${otherwiseOf(state)}. ${KEPT}`,
      tone: "warn",
    };
  const text = `Your trial ends on ${day}. With a card it goes on then, and is paid for; without one you have ${otherwiseOf(state)} again. ${KEPT}`;
  return { text, tone: "quiet" };
}

/** What becomes of the plan. */
export function saidOf(state: PlanState): Said {
  const { status, ends_at, current_period_end: end, is_subscribed, plan_tier, plan_otherwise } = state;
  if (status === "past_due" || status === "unpaid") return saidOfFailure(state);
  if (status === "trialing") return saidOfTrial(state);
  if (status === "paused")
    return {
      text: `Your subscription is paused: the limits of ${otherwiseOf(state)} apply. ${KEPT}`,
      tone: "warn",
    };
  if (is_subscribed && ends_at)
    return {
      text: `It ends on ${dayOf(ends_at)}; then you have ${otherwiseOf(state)}. ${KEPT}`,
      tone: "warn",
    };
  if (status === "canceled" && end && plan_tier !== plan_otherwise)
    return {
      text: `You have cancelled it, and it is paid for until ${dayOf(end)}. Then you have ${otherwiseOf(state)}. ${KEPT}`,
      tone: "warn",
    };
  if (is_subscribed && end) return { text: `It renews itself on ${dayOf(end)}.`, tone: "quiet" };
  return { text: "It costs nothing.", tone: "quiet" };
}

/** What its button leads to at Stripe. */
export function stepOf({ status, ends_at, is_subscribed }: PlanState): string | undefined {
  if (!is_subscribed) return undefined;
  if (status === "past_due" || status === "unpaid") return "Check the card";
  return ends_at ? "Keep the plan" : "Change or cancel";
}
