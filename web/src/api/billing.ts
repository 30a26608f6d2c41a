import type * as billing from "../../../src/contract/billing.ts";
import { get } from "./client.ts";

export type Usage = billing.Usage;

export const billingApi = {
  usage: () => get<Usage>("/api/billing/usage"),
};
