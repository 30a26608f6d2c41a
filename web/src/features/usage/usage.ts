import { useQuery } from "@tanstack/react-query";
import { billingApi, type Usage } from "../../api/billing.ts";

export type { Usage };

// The usage of an account, against the limits of its plan.

export type LimitName = Exclude<keyof Usage, "plan_tier" | "sells_plans">;

const STALE_MS = 300_000;

/** The usage; undefined until the first answer. */
export const useUsage = (staleTime = STALE_MS) =>
  useQuery({ queryKey: ["usage"], queryFn: billingApi.usage, staleTime });

export const LIMIT_NOUNS: Record<LimitName, string> = {
  documents: "documents",
  records: "records",
  bytes: "storage",
  api_keys: "API keys",
  connections: "connections",
  requests_per_day: "requests today",
};

const UNITS = ["B", "kB", "MB", "GB", "TB"];
const NUMBER = new Intl.NumberFormat("en");

/** Formats a number of things, or of bytes: `1.2 MB`. */
export function formatAmount(name: LimitName, value: number): string {
  if (name !== "bytes") return NUMBER.format(value);
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${NUMBER.format(Number((value / 1000 ** step).toFixed(1)))} ${UNITS[step]}`;
}

export const LIMIT_REMEDIES: Record<LimitName, string> = {
  documents: "Delete some to make room",
  records: "Delete some to make room",
  bytes: "Delete what you no longer need, and empty the trash",
  api_keys: "Revoke one to make room",
  connections: "Disconnect one to make room",
  requests_per_day: "The count resets at midnight UTC",
};

/** The share of a limit from which a warning is shown. */
const NEAR = 0.8;

/** How much of a limit is used. `full`: exactly the limit; `over`: more, because the limit was lowered. */
type UsageLevel = "low" | "near" | "full" | "over";

export function usageLevel(used: number, limit: number): UsageLevel {
  if (used > limit) return "over";
  if (used === limit) return "full";
  return used >= NEAR * limit ? "near" : "low";
}

export type NearestLimit = { name: LimitName; used: number; limit: number; level: UsageLevel };

/** The fullest of these limits, if any is near. */
export function findNearestLimit(
  usage: Usage | undefined,
  names: readonly LimitName[],
): NearestLimit | undefined {
  const near = names.flatMap((name): NearestLimit[] => {
    const { used, limit } = usage?.[name] ?? { used: null, limit: null };
    if (used === null || limit === null) return [];
    const level = usageLevel(used, limit);
    return level === "low" ? [] : [{ name, used, limit, level }];
  });
  return near.sort((a, b) => b.used / Math.max(1, b.limit) - a.used / Math.max(1, a.limit))[0];
}
