import { waitUntil } from "cloudflare:workers";
import type { PlanTier } from "../../contract/billing.ts";
import { planLimits } from "../../contract/plan-limits.ts";
import { quotaExceededText } from "../../contract/quota.ts";
import { globalAccountId } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { AccountLocation } from "../../platform/core/account-location.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { AppError } from "../../platform/core/errors.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import { addToDailyCount } from "../../platform/rate-limit/limit.ts";
import { openShard } from "../../platform/shards/router.ts";
import { findPlanTier } from "./store.ts";

// Daily request counts. Each isolate counts and reports to the account's Durable Object, more often as the limit comes
// closer: a row per request would cost more than most requests. A limit can be exceeded by about 1 %.

/** `countedAs`: see `requestCountKey`. */
export type RequestCaller = AccountLocation & { countedAs: string; now: Date };

type DayCount = {
  day: string;
  plan: PlanTier | undefined;
  read_at: number;
  /** Requests of the account, including what this isolate has reported. */
  known: number;
  /** Requests not reported yet. */
  pending: number;
  isReported: boolean;
  /** Identifies the report in progress. Not a promise, because a request must not await another request's I/O. */
  reporting: object | undefined;
};

const MAX_REMEMBERED = 5000;
const counts = createRecentMap<string, DayCount>(MAX_REMEMBERED);
/** Accounts by credential key, only of credentials that the database has confirmed. */
const accounts = createRecentMap<string, AccountLocation>(MAX_REMEMBERED);

/** How long a plan is cached: for an account over its limit, and for others. */
const REFUSED_PLAN_MS = 60_000;
const PLAN_MS = 600_000;
/** Reported when pending requests exceed this fraction (1/100) of what is left. */
const REPORT_FRACTION = 100;

const DAY_MS = 86_400_000;
const dayOf = (now: Date) => now.toISOString().slice(0, 10);
const secondsLeft = (now: Date) => Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);

const used = ({ known, pending }: DayCount) => known + pending;

/** Requests per day; undefined for no limit, and while the plan is not known. */
const limitOf = (env: Env, { plan }: DayCount): number | undefined =>
  plan && planLimits(env.PLAN_LIMITS)[plan].requests_per_day;

function isFull(env: Env, count: DayCount): boolean {
  const limit = limitOf(env, count);
  return limit !== undefined && used(count) >= limit;
}

async function readPlan(
  env: Env,
  { shard, owner }: AccountLocation,
  count: DayCount,
  now: Date,
): Promise<void> {
  count.plan = await findPlanTier(openShard(env, shard), owner);
  count.read_at = now.getTime();
}

const isPlanOld = (read_at: number, now: Date) => now.getTime() - read_at >= PLAN_MS;

export const isPlanUnknown = ({ now, ...account }: AccountLocation & { now: Date }): boolean =>
  isPlanOld(counts.get(globalAccountId(account))?.read_at ?? 0, now);

async function report(env: Env, account: AccountLocation, count: DayCount, now: Date): Promise<void> {
  if (isPlanOld(count.read_at, now)) await readPlan(env, account, count, now);
  const { pending } = count;
  count.pending = 0;
  count.known += pending;
  if (limitOf(env, count) !== undefined)
    count.known = await addToDailyCount(env, globalAccountId(account), count.day, pending);
  count.isReported = true;
}

/** How long a request waits for a report in progress, and how often it checks. */
const REPORT_WAIT_MS = 500;
const POLL_MS = 5;

/** Waits for a report in progress. A report whose request was cancelled never ends, so it is abandoned. */
async function waitForReport(count: DayCount): Promise<void> {
  const { reporting } = count;
  if (!reporting) return;
  for (let waited = 0; count.reporting === reporting && waited < REPORT_WAIT_MS; waited += POLL_MS)
    await scheduler.wait(POLL_MS);
  if (count.reporting === reporting) count.reporting = undefined;
}

/** Throws 429 for an account that has used up today's requests. */
export async function requireRequestsLeft(
  env: Env,
  { countedAs, now }: Pick<RequestCaller, "countedAs" | "now">,
): Promise<void> {
  const account = accounts.get(countedAs);
  const count = account && counts.get(globalAccountId(account));
  if (!account || count?.day !== dayOf(now)) return;
  await waitForReport(count);
  if (!isFull(env, count)) return;
  if (now.getTime() - count.read_at >= REFUSED_PLAN_MS) await readPlan(env, account, count, now);
  const limit = limitOf(env, count);
  if (limit === undefined || used(count) < limit) return;
  const full = {
    plan: String(count.plan),
    name: "requests_per_day",
    limit,
    used: used(count),
    more: 1,
    isSold: Boolean(env.STRIPE_SECRET_KEY),
  } as const;
  throw new AppError(429, quotaExceededText(full), {
    "Retry-After": String(secondsLeft(now)),
    RateLimit: `"day";r=0;t=${secondsLeft(now)}`,
  });
}

function isReportDue(env: Env, count: DayCount, now: Date): boolean {
  if (!count.isReported || isPlanOld(count.read_at, now)) return true;
  const limit = limitOf(env, count);
  return limit !== undefined && count.pending >= (limit - count.known) / REPORT_FRACTION;
}

function todaysCount(name: string, day: string): DayCount {
  const last = counts.get(name);
  const { plan, read_at = 0 } = last ?? {};
  const unused = { known: 0, pending: 0, isReported: false, reporting: undefined };
  const count: DayCount = last?.day === day ? last : { day, plan, read_at, ...unused };
  counts.set(name, count);
  return count;
}

/** `plan`: the plan, if the request has read it. */
export function countRequests(
  env: Env,
  { countedAs, shard, owner, now }: RequestCaller,
  { requests = 1, plan }: { requests?: number; plan?: PlanTier | undefined },
): void {
  const account: AccountLocation = { shard, owner };
  accounts.set(countedAs, account);
  const count = todaysCount(globalAccountId(account), dayOf(now));
  count.pending += requests;
  if (plan) Object.assign(count, { plan, read_at: now.getTime() });
  const isPlanKnown = !isPlanOld(count.read_at, now);
  if (count.reporting || !isPlanKnown || isDiskFull() || !isReportDue(env, count, now)) return;
  const reporting = {};
  count.reporting = reporting;
  const ended = report(env, account, count, now)
    .catch((problem: unknown) =>
      console.error(JSON.stringify({ requests: "not reported", home: shard, error: String(problem) })),
    )
    .finally(() => {
      if (count.reporting === reporting) count.reporting = undefined;
    });
  waitUntil(ended);
}

/** RateLimit headers of the daily limit, once it is known (draft-ietf-httpapi-ratelimit-headers-10). */
export function rateLimitHeaders(
  env: Env,
  { now, ...account }: AccountLocation & { now: Date },
): Record<string, string> {
  const count = counts.get(globalAccountId(account));
  const limit = count && limitOf(env, count);
  if (!count || limit === undefined || count.day !== dayOf(now)) return {};
  const policy = { "RateLimit-Policy": `"day";q=${limit};w=${DAY_MS / 1000}` };
  if (!count.isReported) return policy;
  return { ...policy, RateLimit: `"day";r=${Math.max(0, limit - used(count))};t=${secondsLeft(now)}` };
}

export async function requestsToday(
  env: Env,
  { now, ...account }: AccountLocation & { now: Date },
): Promise<number> {
  const name = globalAccountId(account);
  const count = counts.get(name);
  const pending = count?.day === dayOf(now) ? count.pending : 0;
  return pending + (await addToDailyCount(env, name, dayOf(now), 0));
}
