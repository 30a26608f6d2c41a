import { expect, test } from "vitest";
import type { PlanState } from "../src/api/plans.ts";
import {
  formatMoney,
  monthlyPrice,
  planStatusText,
  planTitle,
  portalActionName,
} from "../src/features/plan/plan-text.ts";

// What is said of a plan, in each state that Stripe knows.

const NONE: PlanState = {
  ...{ plan_tier: "free", status: "active", billing_interval: null, trial_ends_at: null },
  ...{ current_period_end: null, is_subscribed: false, ends_at: null, grace_ends_at: null },
  ...{ plan_otherwise: "free", can_try: false },
};
const DAY = "2099-03-01T12:00:00.000Z";
const PRO: PlanState = {
  ...NONE,
  ...{ plan_tier: "pro", billing_interval: "month", is_subscribed: true, current_period_end: DAY },
};
const FREE_AGAIN = "the Free plan";

test.for<[string, PlanState, RegExp, string | undefined]>([
  ["nothing is paid for", NONE, /^Free of charge\.$/, undefined],
  ["it renews itself", PRO, /^Renews on March 1, 2099\.$/, "Change or cancel"],
  [
    "it was cancelled",
    { ...PRO, ends_at: DAY },
    /^Ends on March 1, 2099\. After that you’re on the Free/,
    "Keep plan",
  ],
  [
    "a trial",
    { ...PRO, status: "trialing", trial_ends_at: DAY },
    /^Your trial ends on March 1.*With a card/,
    "Change or cancel",
  ],
  [
    "a trial that was cancelled",
    { ...PRO, status: "trialing", trial_ends_at: DAY, ends_at: DAY },
    /^Your trial ends on March 1, 2099\. After that/,
    "Keep plan",
  ],
  [
    "a payment failed",
    { ...PRO, status: "past_due", grace_ends_at: DAY },
    /keeps working until March 1/,
    "Update card",
  ],
  [
    "and nothing was done about it",
    { ...PRO, plan_tier: "free", status: "past_due", grace_ends_at: "2020-01-01T00:00:00.000Z" },
    /limits of the Free plan apply/,
    "Update card",
  ],
  ["unpaid", { ...PRO, plan_tier: "free", status: "unpaid" }, /limits of the Free plan apply/, "Update card"],
  [
    "paused",
    { ...PRO, plan_tier: "free", status: "paused" },
    /^Your subscription is paused/,
    "Change or cancel",
  ],
  [
    "ended, but paid for",
    { ...PRO, status: "canceled", is_subscribed: false },
    /^Cancelled, and paid until March 1/,
    undefined,
  ],
  ["ended", { ...NONE, status: "canceled", current_period_end: DAY }, /^Free of charge/, undefined],
])("of a plan when %s", ([, state, text, step]) => {
  expect(planStatusText(state).text).toMatch(text);
  expect(portalActionName(state)).toBe(step);
  const isLost = /Free plan/.test(planStatusText(state).text);
  if (isLost) expect(planStatusText(state).text).toContain(FREE_AGAIN);
  if (isLost) expect(planStatusText(state).text).toContain("Nothing you’ve written is deleted.");
});

test("amounts are in the currency's own units", () => {
  expect(formatMoney({ amount: 500, currency: "eur" })).toBe("€5");
  expect(formatMoney({ amount: 450, currency: "usd" })).toBe("$4.50");
  expect(formatMoney({ amount: 500, currency: "jpy" })).toBe("¥500");
  expect(monthlyPrice({ amount: 5000, currency: "eur" })).toBe("€4.17");
  expect(planTitle(PRO)).toBe("Pro, paid monthly");
  expect(planTitle(NONE)).toBe("Free");
});
