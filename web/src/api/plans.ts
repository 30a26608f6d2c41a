import type * as billing from "../../../src/contract/billing.ts";
import { get, post } from "./client.ts";

// Plans and payments. Separate from billing.ts, which is loaded wherever something can be created.

export type { Money, PlanState, Plans } from "../../../src/contract/billing.ts";

export const plansApi = {
  list: () => get<billing.Plans>("/api/billing/plans"),
  checkout: (wanted: billing.CheckoutRequest) => post<billing.BillingPage>("/api/billing/checkout", wanted),
  portal: () => post<billing.BillingPage>("/api/billing/portal", undefined),
  sync: () => post<billing.PlanState>("/api/billing/sync", undefined),
};
