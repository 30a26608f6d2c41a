import type { Money, PlanState, Plans } from "../../api/plans.ts";
import { PLAN_NAMES } from "../usage/measures.tsx";

export type BillingInterval = "month" | "year";
export type PlanOffer = Plans["plans"][number];
export type PlanTier = PlanOffer["plan_tier"];

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "long" });
export const formatPlanDay = (instant: string): string => DAY.format(new Date(instant));

/** A price: `€5`, `$4.50`. */
export function formatMoney({ amount, currency }: Money): string {
  const format = { style: "currency", currency } as const;
  const digits = new Intl.NumberFormat("en", format).resolvedOptions().maximumFractionDigits ?? 2;
  const value = amount / 10 ** digits;
  return new Intl.NumberFormat("en", {
    ...format,
    ...(Number.isInteger(value) && { maximumFractionDigits: 0 }),
  }).format(value);
}

/** A yearly price per month. */
export const monthlyPrice = ({ amount, currency }: Money): string =>
  formatMoney({ amount: Math.round(amount / 12), currency });

const INTERVALS = { month: "paid monthly", year: "paid yearly" } as const;

/** The current plan: `Pro, paid yearly`. */
export const planTitle = ({ plan_tier, billing_interval, is_subscribed, status }: PlanState): string => {
  const paid = is_subscribed && billing_interval && status !== "trialing";
  return paid ? `${PLAN_NAMES[plan_tier]}, ${INTERVALS[billing_interval]}` : PLAN_NAMES[plan_tier];
};

export type PlanStatusText = { text: string; tone: "quiet" | "warn" | "danger" };

const KEPT = "Nothing you’ve written is deleted.";
const fallbackPlan = ({ plan_otherwise }: PlanState) => `the ${PLAN_NAMES[plan_otherwise]} plan`;

/** A plan that ends. */
const warning = (end: string, state: PlanState): PlanStatusText => ({
  text: `${end} After that you’re on ${fallbackPlan(state)}. ${KEPT}`,
  tone: "warn",
});

function failureStatus(state: PlanState): PlanStatusText {
  const until = state.grace_ends_at;
  const text =
    until && until > new Date().toISOString()
      ? `Your last payment failed. Everything keeps working until ${formatPlanDay(until)}. Please update your card by then.`
      : `A payment failed, so the limits of ${fallbackPlan(state)} apply until it is paid. ${KEPT}`;
  return { text, tone: "danger" };
}

function trialStatus(state: PlanState): PlanStatusText {
  const { ends_at, trial_ends_at } = state;
  if (ends_at) return warning(`Your trial ends on ${formatPlanDay(ends_at)}.`, state);
  const day = formatPlanDay(trial_ends_at ?? "");
  const text = `Your trial ends on ${day}. With a card on file, the paid plan starts then; without one, you’re back on ${fallbackPlan(state)}. ${KEPT}`;
  return { text, tone: "quiet" };
}

export function planStatusText(state: PlanState): PlanStatusText {
  const { status, ends_at, current_period_end: end, is_subscribed, plan_tier, plan_otherwise } = state;
  if (status === "past_due" || status === "unpaid") return failureStatus(state);
  if (status === "trialing") return trialStatus(state);
  if (status === "paused")
    return {
      text: `Your subscription is paused, so the limits of ${fallbackPlan(state)} apply. ${KEPT}`,
      tone: "warn",
    };
  if (is_subscribed && ends_at) return warning(`Ends on ${formatPlanDay(ends_at)}.`, state);
  if (status === "canceled" && end && plan_tier !== plan_otherwise)
    return warning(`Cancelled, and paid until ${formatPlanDay(end)}.`, state);
  if (is_subscribed && end) return { text: `Renews on ${formatPlanDay(end)}.`, tone: "quiet" };
  return { text: "Free of charge.", tone: "quiet" };
}

/** The name of the button that opens Stripe. */
export function portalActionName({ status, ends_at, is_subscribed }: PlanState): string | undefined {
  if (!is_subscribed) return undefined;
  if (status === "past_due" || status === "unpaid") return "Update card";
  return ends_at ? "Keep plan" : "Change or cancel";
}
