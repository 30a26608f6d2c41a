import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { planPrices, priceLookupKey } from "../../../src/contract/plan-prices.ts";
import { deleteMeRoute } from "../../../src/features/auth/routes.ts";
import * as billing from "../../../src/features/billing/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { PASSWORD, person, signIn } from "../../kit/client.ts";
import { ConfiguredClient } from "../../kit/database.ts";
import { cron, workOfClient } from "../../kit/hooks.ts";
import { mailService, mailTo } from "../../kit/mailbox.ts";
import {
  AS_REGISTERED,
  checkout,
  customerOf,
  deliver,
  eventsAbout,
  messageOf,
  pay,
  plansOf,
  sessionIn,
  stateOf,
  statusOf,
  subscriber,
} from "../../kit/stripe/subscriber.ts";
import { happen, lookAt, payFor } from "../../kit/stripe/till.ts";

// Plans that are paid for at Stripe, whose own library talks to a stand-in (test/kit/stripe) that refuses what Stripe would.

const ADA = "ada@example.com";
const DAY_MS = 86_400_000;
const daysFromNow = (instant: string | null) => Math.round((Date.parse(instant ?? "") - Date.now()) / DAY_MS);

describe("a person who pays", () => {
  test("has the plan when they come back, and by Stripe's message when they do not", async () => {
    const [ada, bob] = [await person({ email: ADA }), await person()];
    expect(await plansOf(ada)).toMatchObject({
      current: { plan_tier: "free", is_subscribed: false, can_try: false },
      plans: [
        { plan_tier: "free", month: null },
        { plan_tier: "pro", month: { amount: 500, currency: "eur" }, year: { amount: 5000 } },
        { plan_tier: "team", month: { amount: 1500 }, limits: { documents: 100_000 } },
      ],
    });
    await pay(ada, { plan: "pro", interval: "year" });
    expect(await statusOf(ada)).toMatchObject(AS_REGISTERED);
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "pro", is_subscribed: true, ends_at: null });
    const { id, created_at, ...status } = await statusOf(ada);
    expect(status).toEqual({
      ...{ plan_tier: "pro", status: "active", billing_interval: "year", trial_ends_at: null },
      ...{ current_period_end: expect.any(String), canceled_at: null },
    });
    expect(daysFromNow(status.current_period_end)).toBe(365);

    await pay(bob, { plan: "team" });
    for (const event of await eventsAbout(bob)) expect(await deliver(event)).toBe(200);
    await workOfClient(bob);
    expect(await statusOf(bob)).toMatchObject({ plan_tier: "team", billing_interval: "month" });
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "pro" });
  });

  test("has it within the hour if neither happens", async () => {
    const ada = await person({ email: ADA });
    await pay(ada);
    await cron();
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "pro", status: "active" });
  });

  test("gets the same page in two tabs, and another one for another plan, which closes the first", async () => {
    const ada = await person({ email: ADA });
    const [one, two] = await Promise.all([checkout(ada), checkout(ada)]);
    expect(two).toBe(one);
    expect(await checkout(ada)).toBe(one);
    const team = await checkout(ada, "team");
    expect(team).not.toBe(one);
    const customer = await customerOf(ada);
    const { sessions } = await lookAt(customer);
    expect(sessions.map(({ status }) => status)).toEqual(["expired", "open"]);
    await payFor(sessionIn(team));
    const refused = await ada.refusal(billing.startCheckoutRoute, {
      json: { plan: "pro", interval: "month" },
    });
    expect(refused).toEqual({
      status: 409,
      detail: expect.stringContaining("You already have a subscription"),
    });
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "team" });
  });

  test("pays once even if both pages were paid: the older subscription stays", async () => {
    const ada = await person({ email: ADA });
    const first = sessionIn(await checkout(ada));
    const paid = await payFor(first);
    // As if another page had been open all the time.
    const customer = await customerOf(ada);
    const twin = { ...paid, id: `${paid.id}_twin`, created: paid.created + 1 };
    await happen({ do: "add", subscription: twin });
    await stateOf(ada);
    const { subscriptions } = await lookAt(customer);
    expect(subscriptions.map(({ id, status }) => [id, status])).toEqual([
      [paid.id, "active"],
      [twin.id, "canceled"],
    ]);
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "pro", status: "active" });
  });

  test("cancels in the portal, sees until when, and keeps everything afterwards", async () => {
    const { client: ada, customer } = await subscriber(ADA, { daysAgo: 20 });
    const { url } = await ada.ok(billing.openPortalRoute);
    expect(url).toContain(`/portal/${customer}`);
    await happen({ do: "cancelLater", customer });
    const cancelled = await stateOf(ada);
    expect(cancelled).toMatchObject({ plan_tier: "pro", status: "active", is_subscribed: true });
    expect(daysFromNow(cancelled.ends_at)).toBe(10);
    expect((await statusOf(ada)).canceled_at).not.toBeNull();
    await happen({ do: "endNow", customer });
    // What was paid for is used up.
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "pro", status: "canceled", is_subscribed: false });
  });
});

describe("a trial", () => {
  const trying = async (daysAgo: number, card: "works" | "none") => {
    const ada = await person({ email: ADA });
    await env.DB.prepare("UPDATE users SET email_verified_at = created_at").run();
    const there = new ConfiguredClient(ada, { TRIAL_DAYS: "14" });
    expect((await plansOf(there)).current.can_try).toBe(true);
    await payFor(sessionIn(await checkout(there)), { card, daysAgo });
    return { ada, there, customer: await customerOf(ada) };
  };

  test("needs no card, is announced by mail once, and ends without one", async () => {
    const { ada, there, customer } = await trying(14, "none");
    await happen({ do: "pass", customer, days: 2 });
    expect(await stateOf(there)).toMatchObject({ plan_tier: "pro", status: "trialing", can_try: false });
    const { text } = await mailTo(ADA, "Your trial ends soon");
    const count = await mailService.count(ADA);
    expect(text).toMatch(/plan pro .* ends on \w+day, /);
    expect(text).toContain("https://commonplace.test/settings/plan");
    await stateOf(there);
    expect(await mailService.count(ADA)).toBe(count);
    await happen({ do: "pass", customer, days: 20 });
    expect(await stateOf(there)).toMatchObject({ plan_tier: "free", status: "canceled", can_try: false });
    // There is one trial for each account.
    await checkout(there);
    const last = (await lookAt(customer)).sessions.at(-1);
    expect(last).toMatchObject({ status: "open", trial_days: 0 });
    expect(ada).toBeDefined();
  });

  test("goes on as a plan that is paid for where a card was left", async () => {
    const { there, customer } = await trying(20, "works");
    await happen({ do: "pass", customer, days: 20 });
    expect(await stateOf(there)).toMatchObject({ plan_tier: "pro", status: "active", grace_ends_at: null });
  });
});

describe("a payment that failed", () => {
  test("leaves two weeks, announced by mail, and then the smaller plan, until it is paid", async () => {
    const { client: ada, customer } = await subscriber(ADA, { daysAgo: 31 });
    await happen({ do: "card", customer, card: "fails" });
    await happen({ do: "pass", customer, days: 31 });
    const late = await stateOf(ada);
    expect(late).toMatchObject({ plan_tier: "pro", status: "past_due", is_subscribed: true });
    expect(daysFromNow(late.grace_ends_at)).toBe(13);
    expect((await mailTo(ADA, "Your payment failed")).text).toContain("Everything keeps working until");
    const count = await mailService.count(ADA);
    await stateOf(ada);
    expect(await mailService.count(ADA)).toBe(count);
    await env.DB.prepare("UPDATE customers SET past_due_since = '2026-01-01T00:00:00.000Z'").run();
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "free", status: "past_due", is_subscribed: true });
    await happen({ do: "settle", customer });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "pro", status: "active", grace_ends_at: null });
  });

  test.for([
    ["unpaid", "free"],
    ["paused", "free"],
    ["incomplete", "free"],
    ["trialing", "pro"],
    ["active", "pro"],
    ["past_due", "pro"],
    ["canceled", "pro"],
  ] as const)("as the status %s leaves the plan %s", async ([status, plan]) => {
    const { client: ada, customer } = await subscriber(ADA);
    const [{ id = "" } = {}] = (await lookAt(customer)).subscriptions;
    await happen({ do: "set", subscription: id, fields: { status } });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: plan, status });
    expect(await statusOf(ada)).toMatchObject({ plan_tier: plan, status });
  });

  test("at the very beginning leaves everything as it was", async () => {
    const ada = await person({ email: ADA });
    const [subscription, session] = [undefined, sessionIn(await checkout(ada))];
    await payFor(session, { card: "fails", daysAgo: 3 });
    expect(await stateOf(ada)).toMatchObject({
      plan_tier: "free",
      status: "incomplete",
      is_subscribed: false,
    });
    await happen({ do: "pass", customer: await customerOf(ada), days: 3 });
    await stateOf(ada);
    expect(await statusOf(ada)).toMatchObject(AS_REGISTERED);
    expect(subscription).toBeUndefined();
  });

  test("for what was not paid, or taken back, no plan is left", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    await happen({ do: "endNow", customer, reason: "payment_disputed" });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "free", status: "canceled" });
  });
});

test("a plan that becomes smaller than what is used loses nothing: writes are refused, with words", async () => {
  const { client: ada, customer } = await subscriber(ADA);
  const limits = { PLAN_LIMITS: JSON.stringify({ free: { documents: 1 }, pro: { documents: 5 } }) };
  const there = new ConfiguredClient(ada, limits);
  for (let n = 0; n < 3; n++) await there.ok(createDocumentRoute, { json: { title: `Plan ${n}` } });
  await happen({ do: "endNow", customer, reason: "payment_failed" });
  await stateOf(ada);
  const refused = await there.refusal(createDocumentRoute, { json: { title: "One more" } });
  expect(refused).toMatchObject({
    status: 403,
    detail: expect.stringContaining("3 documents, and the free plan allows 1"),
  });
  expect((await there.ok(listDocumentsRoute)).total).toBe(3);
});

describe("an account that is erased", () => {
  const json = { password: PASSWORD };

  test("is cancelled at Stripe first, and its open page closed", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    expect((await ada.call(deleteMeRoute, { json })).status).toBe(204);
    const { subscriptions } = await lookAt(customer);
    expect(subscriptions.map(({ status }) => status)).toEqual(["canceled"]);
    const bob = await person();
    const page = sessionIn(await checkout(bob));
    const customerOfBob = await customerOf(bob);
    expect((await bob.call(deleteMeRoute, { json })).status).toBe(204);
    expect((await lookAt(customerOfBob)).sessions).toMatchObject([{ id: page, status: "expired" }]);
  });

  test("stays whole while Stripe cannot be asked", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    await happen({ do: "fail", customer, faults: ["500", "500", "500"] });
    expect(await ada.refusal(deleteMeRoute, { json })).toMatchObject({ status: 503 });
    await happen({ do: "fail", customer, faults: [] });
    expect(await statusOf(await signIn(ADA))).toMatchObject({ plan_tier: "pro" });
    expect((await lookAt(customer)).subscriptions).toMatchObject([{ status: "active" }]);
  });
});

describe("a service without Stripe", () => {
  test("has the plan's status as ever, and nothing else of this", async () => {
    const ada = await person({ email: ADA });
    const there = new ConfiguredClient(ada, { STRIPE_SECRET_KEY: "" });
    const { status, text } = await there.call(billing.getSubscriptionRoute);
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text))).toEqual([
      ...["id", "plan_tier", "status", "created_at", "billing_interval", "trial_ends_at"],
      ...["current_period_end", "canceled_at"],
    ]);
    const json = { plan: "pro", interval: "month" };
    for (const route of [billing.listPlansRoute, billing.openPortalRoute, billing.syncPlanRoute])
      expect((await there.call(route)).status).toBe(404);
    expect((await there.call(billing.startCheckoutRoute, { json })).status).toBe(404);
    const sent = await there.fetch("/api/billing/webhook", await messageOf({ id: "evt_1" }));
    expect(sent.status).toBe(404);
    expect((await there.call(deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
  });
});

test("the prices of the plans are read strictly", () => {
  expect(planPrices('{"currency": "usd", "pro": {"year": 6000}}')).toMatchObject({
    currency: "usd",
    pro: { month: 500, year: 6000 },
  });
  expect(priceLookupKey({ plan: "team", interval: "year" })).toBe("team_yearly");
  for (const bad of [
    "{",
    "[]",
    '{"pru": {}}',
    '{"pro": {"month": 1.5}}',
    '{"pro": {"week": 1}}',
    '{"currency": "EUR"}',
  ])
    expect(() => planPrices(bad), bad).toThrow("PLAN_PRICES: ");
});
