import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { syncPlanRoute } from "../../../src/features/billing/routes.ts";
import { person, signIn } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";
import { move } from "../../kit/shard-migration.ts";
import { openHomes, personIn } from "../../kit/shards.ts";
import type { Event, Subscription } from "../../kit/stripe/account.ts";
import { checkout, customerOf, deliver, pay, sessionIn, statusOf } from "../../kit/stripe/subscriber.ts";
import { happen, lookAt, payFor } from "../../kit/stripe/till.ts";

// Stripe promises neither the order of its messages nor that one comes once, or in time. After the hourly look at what has
// changed, an account has what it has paid for, wherever it is by then.

const RUNS = env.NIGHTLY ? 100 : 8;
const LIVE = ["trialing", "active", "past_due", "unpaid", "paused"];

/** The plan that these subscriptions give, computed differently than by the service. */
function expected(all: Subscription[]) {
  const byAge = all.toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
  const begun = byAge.filter(({ status }) => status !== "incomplete_expired");
  const ended = begun.findLast(({ status }) => status === "canceled");
  const counts = begun.find(({ status }) => LIVE.includes(status)) ?? ended ?? begun.at(-1);
  if (!counts)
    return { plan_tier: "free", status: "active", billing_interval: null, current_period_end: null };
  const [{ price, current_period_end } = {}] = counts.items.data;
  const bought = price?.metadata.lookup_key?.split("_") ?? [];
  const isPaid = ["trialing", "active", "past_due"].includes(counts.status);
  const isLeft =
    counts.status === "canceled" && counts.cancellation_details.reason === "cancellation_requested";
  return {
    plan_tier: isPaid || isLeft ? bought[0] : "free",
    status: counts.status,
    billing_interval: bought[1] === "yearly" ? "year" : "month",
    current_period_end: new Date((current_period_end ?? 0) * 1000).toISOString(),
  };
}

type Act =
  | { act: "pay"; plan: "pro" | "team"; interval: "month" | "year" }
  | { act: "cancelLater" | "endNow" | "settle" | "come back" }
  | { act: "status"; status: string }
  | { act: "reprice"; lookup_key: string }
  | { act: "hear"; which: number[] }
  | { act: "move"; to: number };

const act = fc.oneof(
  fc.record({
    act: fc.constant("pay" as const),
    plan: fc.constantFrom("pro" as const, "team" as const),
    interval: fc.constantFrom("month" as const, "year" as const),
  }),
  fc.record({
    act: fc.constantFrom("cancelLater" as const, "endNow" as const, "settle" as const, "come back" as const),
  }),
  fc.record({
    act: fc.constant("status" as const),
    status: fc.constantFrom("past_due", "unpaid", "paused", "active", "trialing"),
  }),
  fc.record({
    act: fc.constant("reprice" as const),
    lookup_key: fc.constantFrom("pro_yearly", "team_monthly", "team_yearly"),
  }),
  fc.record({ act: fc.constant("hear" as const), which: fc.array(fc.nat(30), { maxLength: 6 }) }),
  fc.record({ act: fc.constant("move" as const), to: fc.constantFrom(1, 2, 3) }),
);

let people = 0;

/** A person who does all this, signed in again in the shard where the account then is. */
async function live(acts: Act[]) {
  const email = `someone${++people}@example.com`;
  await personIn((people % 3) + 1, email);
  const there = () => signIn(email);
  const customer = async () => customerOf(await there()).catch(() => undefined);
  const newest = async (id: string) =>
    (await lookAt(id)).subscriptions.findLast(({ status }) => LIVE.includes(status));
  const hear = async (id: string, which: number[]) => {
    const { events } = await lookAt(id);
    const heard = which.flatMap((n) => events[n % Math.max(1, events.length)] ?? []);
    return Promise.all(heard.map((event) => deliver(event)));
  };
  const change = async (id: string, one: Act & { act: "status" | "reprice" }) => {
    const subscription = (await newest(id))?.id;
    if (!subscription) return undefined;
    return one.act === "status"
      ? happen({ do: "set", subscription, fields: { status: one.status } })
      : happen({ do: "reprice", subscription, lookup_key: one.lookup_key });
  };
  const buy = async ({ plan, interval }: Act & { act: "pay" }) => {
    // A person with a subscription is refused.
    const page = await checkout(await there(), plan, interval).catch(() => undefined);
    return page && payFor(sessionIn(page));
  };
  const doing = async (one: Act): Promise<unknown> => {
    if (one.act === "move") return move(email, one.to);
    if (one.act === "come back") return (await there()).ok(syncPlanRoute);
    if (one.act === "pay") return buy(one);
    const id = (await customer()) ?? "";
    if (one.act === "hear") return hear(id, one.which);
    return one.act === "status" || one.act === "reprice"
      ? change(id, one)
      : happen({ do: one.act, customer: id });
  };
  for (const one of acts) await doing(one);
  return { client: await there(), customer: await customer() };
}

beforeEach(async () => {
  await openHomes();
  // The first account is the admin's, which stays.
  await person({ email: "admin@example.com" });
});

test(
  "whatever happens, is heard, is heard late, twice or not at all, and wherever the account goes in between",
  { timeout: 300_000 },
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 9 }), async (acts) => {
        const { client, customer } = await live([{ act: "pay", plan: "pro", interval: "month" }, ...acts]);
        await cron();
        const { subscriptions } = await lookAt(customer ?? "");
        expect(await statusOf(client)).toMatchObject(expected(subscriptions));
        expect(subscriptions.filter(({ status }) => LIVE.includes(status)).length).toBeLessThan(2);
        // What comes even later changes nothing.
        const { events } = await lookAt(customer ?? "");
        for (const event of events.toReversed()) expect(await deliver(event)).toBe(200);
        await cron();
        expect(await statusOf(client)).toMatchObject(expected(subscriptions));
      }),
      { numRuns: RUNS, ...(env.NIGHTLY ? {} : { seed: 1 }) },
    ),
);

describe("an account that is being moved", () => {
  test("is heard of again when it has arrived: Stripe repeats what was answered 503", {
    timeout: 120_000,
  }, async () => {
    const ada = await personIn(2, "ada@example.com");
    await pay(ada);
    const [event] = (await lookAt(await customerOf(ada))).events as [Event];
    const heard: [Event, number][] = [];
    await move("ada@example.com", 3, undefined, async (call) => {
      const another = { ...event, id: `${event.id}${call}` };
      heard.push([another, await deliver(another)]);
    });
    const refused = heard.filter(([, status]) => status !== 200);
    expect(new Set(refused.map(([, status]) => status))).toEqual(new Set([503]));
    for (const [again] of refused) expect(await deliver(again)).toBe(200);
    await cron();
    expect(await statusOf(await signIn("ada@example.com"))).toMatchObject({ plan_tier: "pro" });
  });
});
