import type * as billing from "../../../src/contract/billing.ts";
import { get, post } from "./client.ts";

// Plans and payments. Separate from billing.ts, which is loaded wherever something can be created.

export type Plans = billing.Plans;
export type PlanState = billing.PlanState;
export type Money = billing.Money;

/** A page at Stripe. */
type Page = billing.BillingPage;

export const plansApi = {
  list: () => get<Plans>("/api/billing/plans"),
  checkout: (wanted: billing.CheckoutRequest) => post<Page>("/api/billing/checkout", wanted),
  portal: () => post<Page>("/api/billing/portal", undefined),
  sync: () => post<PlanState>("/api/billing/sync", undefined),
};
