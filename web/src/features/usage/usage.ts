import { useQuery } from "@tanstack/react-query";
import { billingApi, type Usage } from "../../api/billing.ts";

export type { Usage };

// What an account uses of its plan's limits.

export type Limited = Exclude<keyof Usage, "plan_tier" | "sells_plans">;

const STALE_MS = 300_000;

/** What is used. Undefined until the first answer. */
export const useUsage = (staleTime = STALE_MS) =>
  useQuery({ queryKey: ["usage"], queryFn: billingApi.usage, staleTime });

export const NOUNS: Record<Limited, string> = {
  documents: "documents",
  records: "records",
  bytes: "storage",
  api_keys: "API keys",
  connections: "connections",
  requests_per_day: "requests today",
};

const UNITS = ["B", "kB", "MB", "GB", "TB"];
const NUMBER = new Intl.NumberFormat("en");

/** A number of things, or of bytes, in words: `1.2 MB`. */
export function amount(name: Limited, value: number): string {
  if (name !== "bytes") return NUMBER.format(value);
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${NUMBER.format(Number((value / 1000 ** step).toFixed(1)))} ${UNITS[step]}`;
}

/** What makes room. */
export const REMEDIES: Record<Limited, string> = {
  documents: "Delete some to make room",
  records: "Delete some to make room",
  bytes: "Delete what you no longer need, and empty the trash",
  api_keys: "Revoke one to make room",
  connections: "End one to make room",
  requests_per_day: "They start again at midnight UTC",
};

/** From which part of a limit on people are told. */
const NEAR = 0.8;

/** How much of a limit is used: `full` at the limit itself, and `over` it when the limit has become smaller. */
export type Level = "low" | "near" | "full" | "over";

export function levelOf(used: number, limit: number): Level {
  if (used > limit) return "over";
  if (used === limit) return "full";
  return used >= NEAR * limit ? "near" : "low";
}

export type Measure = { used: number; limit: number };
export type Near = Measure & { name: Limited; level: Level };

/** The limit that is nearest to full among these, if one is near. */
export function nearest(usage: Usage | undefined, names: readonly Limited[]): Near | undefined {
  const near = names.flatMap((name): Near[] => {
    const { used, limit } = usage?.[name] ?? { used: null, limit: null };
    if (used === null || limit === null) return [];
    const level = levelOf(used, limit);
    return level === "low" ? [] : [{ name, used, limit, level }];
  });
  return near.sort((a, b) => b.used / Math.max(1, b.limit) - a.used / Math.max(1, a.limit))[0];
}
