import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as billing from "../../../src/features/billing/routes.ts";
import { person, visitor } from "../../kit/client.ts";
import { ConfiguredClient } from "../../kit/database.ts";
import { workOfClient } from "../../kit/hooks.ts";
import {
  AS_REGISTERED,
  deliver,
  eventsAbout,
  messageOf,
  newestCustomerOf,
  pay,
  plansOf,
  stateOf,
  statusOf,
  subscriber,
} from "../../kit/stripe/subscriber.ts";
import { happen, lookAt } from "../../kit/stripe/till.ts";

// What comes from Stripe, and from others who say that they are Stripe; and a Stripe that is not as it should be.

const ADA = "ada@example.com";

describe("Stripe's messages", () => {
  const event = {
    id: "evt_1",
    type: "customer.subscription.updated",
    data: { object: { customer: "cus_1" } },
  };

  test.for([
    ["a forged signature", { secret: "whsec_other" }],
    ["an old one", { at: new Date(Date.now() - 301_000) }],
  ] as const)("with %s are refused", async ([, signed]) => {
    expect(await deliver(event as never, signed)).toBe(400);
  });

  test("without a signature, with another body, or none at all are refused", async () => {
    const message = await messageOf(event);
    const send = async (init: object) => (await visitor().fetch("/api/billing/webhook", init)).status;
    expect(await send({ ...message, headers: {} })).toBe(400);
    expect(await send({ ...message, headers: { "Stripe-Signature": "t=1,v1=x" } })).toBe(400);
    expect(await send({ ...message, body: message.body.replace("cus_1", "cus_2") })).toBe(400);
    expect(await send({ ...message, body: "" })).toBe(400);
    expect(await send({ ...message, body: "x".repeat(1024 * 1024 + 1) })).toBe(413);
    expect(await send(message)).toBe(200);
    expect((await visitor().fetch("/api/billing/webhook")).status).toBe(405);
  });

  test("about nobody here, of another account, or of no interest change nothing", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    const before = await statusOf(ada);
    const asked = async () => (await happen<string[]>({ do: "log", customer })).length;
    const count = await asked();
    const [real] = await eventsAbout(ada);
    if (!real) throw new Error("Nothing has happened");
    expect(await deliver({ ...real, id: "evt_a", account: "acct_other" } as never)).toBe(200);
    expect(await deliver({ ...real, id: "evt_b", type: "charge.refunded" })).toBe(200);
    expect(await deliver({ ...event, id: "evt_c" } as never)).toBe(200);
    await workOfClient(ada);
    expect(await asked()).toBe(count);
    expect(await statusOf(ada)).toEqual(before);
  });

  test("are heard once, however often they come", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    const [real] = await eventsAbout(ada);
    if (!real) throw new Error("Nothing has happened");
    expect(await deliver(real)).toBe(200);
    await workOfClient(ada);
    const asked = async () => (await happen<string[]>({ do: "log", customer })).length;
    const count = await asked();
    for (let n = 0; n < 3; n++) expect(await deliver(real)).toBe(200);
    await workOfClient(ada);
    expect(await asked()).toBe(count);
  });

  test("come again when the secret is not set yet", async () => {
    const there = new ConfiguredClient(visitor(), { STRIPE_WEBHOOK_SECRET: "" });
    const answer = await there.fetch("/api/billing/webhook", await messageOf(event));
    expect([answer.status, Number(answer.headers.get("Retry-After"))]).toEqual([503, 60]);
  });
});

describe("Stripe", () => {
  test.for(["500", "429"])("that answers %s is asked again later, and nothing is lost", async (fault) => {
    const { client: ada, customer } = await subscriber(ADA);
    await happen({ do: "cancelLater", customer });
    await happen({ do: "fail", customer, faults: [fault, fault, fault] });
    const refused = await ada.refusal(billing.syncPlanRoute);
    expect(refused).toEqual({ status: 503, detail: expect.stringContaining("Stripe") });
    await happen({ do: "fail", customer, faults: [] });
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "pro" });
    expect((await stateOf(ada)).ends_at).not.toBeNull();
  });

  // It takes as long as two attempts are waited for.
  test.runIf(env.NIGHTLY)("that does not answer at all is given up", { timeout: 90_000 }, async () => {
    const { client: ada, customer } = await subscriber(ADA);
    await happen({ do: "fail", customer, faults: ["hang", "hang"] });
    expect(await ada.refusal(billing.syncPlanRoute)).toMatchObject({ status: 503 });
    expect(await statusOf(ada)).toMatchObject({ plan_tier: "pro" });
  });

  test("that refuses the key is a matter of the operator", async () => {
    const ada = await person({ email: ADA });
    const there = new ConfiguredClient(ada, { STRIPE_SECRET_KEY: "sk_test_revoked" });
    const json = { plan: "pro", interval: "month" };
    expect(await there.refusal(billing.startCheckoutRoute, { json })).toMatchObject({
      status: 503,
      detail: expect.stringContaining("STRIPE_SECRET_KEY"),
    });
  });

  test("without our prices sells nothing, and says what is missing", async () => {
    const ada = await person({ email: ADA });
    const there = new ConfiguredClient(ada, { STRIPE_SECRET_KEY: "sk_test_empty" });
    expect((await plansOf(there)).plans.map(({ month }) => month)).toEqual([null, null, null]);
    const json = { plan: "pro", interval: "month" };
    expect((await there.refusal(billing.startCheckoutRoute, { json })).detail).toContain("pro_monthly");
  });

  test("that no longer has the customer leaves the plan without one, and a new page is possible", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    await happen({ do: "remove", customer });
    const { url } = await ada.ok(billing.openPortalRoute);
    expect(url).not.toContain(customer);
    expect(await statusOf(ada)).toMatchObject(AS_REGISTERED);
    await pay(ada, { plan: "team" });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "team" });
    await happen({ do: "remove", customer: await newestCustomerOf(ada) });
    await pay(ada, { plan: "pro" });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "pro" });
  });

  test("with a price that is none of ours gives no plan, and one that was replaced still does", async () => {
    const { client: ada, customer } = await subscriber(ADA);
    const [{ id = "" } = {}] = (await lookAt(customer)).subscriptions;
    await happen({ do: "reprice", subscription: id, lookup_key: null });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "free", status: "active", is_subscribed: true });
    await happen({ do: "reprice", subscription: id, lookup_key: "team_yearly" });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "team", billing_interval: "year" });
    await happen({ do: "reprice", subscription: id, lookup_key: "pro_yearly", isReplaced: true });
    expect(await stateOf(ada)).toMatchObject({ plan_tier: "pro", billing_interval: "year" });
  });
});
