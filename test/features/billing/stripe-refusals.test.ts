import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";

// The stand-in for Stripe refuses what Stripe would, so that a wrong parameter of this service fails its tests. Asked by
// Stripe's own library, whose types are passed over here on purpose.

const stripe = new Stripe("sk_test_priced_for_refusals", {
  httpClient: Stripe.createFetchHttpClient(),
  maxNetworkRetries: 0,
});

const PRICE = { currency: "eur", product: "commonplace_pro", recurring: { interval: "month" } };
const ENDPOINT = { url: "https://commonplace.test/api/billing/webhook", enabled_events: ["invoice.paid"] };
const UPDATE = { customer_update: { allowed_updates: ["email"] } };
const CANCEL = { enabled: true, mode: "at_once" };
const PRODUCTS = { subscription_update: { enabled: true, products: [{ product: "commonplace_pro" }] } };

const prices = (more: object) => stripe.prices.create({ ...PRICE, ...more } as Stripe.PriceCreateParams);
const checkouts = (more: object) => stripe.checkout.sessions.create({ mode: "subscription", ...more });
const endpoints = (more: object) =>
  stripe.webhookEndpoints.create({ ...ENDPOINT, ...more } as Stripe.WebhookEndpointCreateParams);
const portals = (features: object) => stripe.billingPortal.configurations.create({ features });

/** What Stripe's library throws. */
async function refusalOf(asked: Promise<unknown>) {
  const problem: unknown = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(problem).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
  const { statusCode, rawType, code, param, message } = problem as Stripe.errors.StripeError;
  expect({ statusCode, rawType }, message).toEqual({ statusCode: 400, rawType: "invalid_request_error" });
  return { code, param, message };
}

describe("a request is refused", () => {
  test.each([
    ["of a body", () => prices({ lookup_kee: "pro" }), "lookup_kee"],
    ["within an object", () => prices({ recurring: { interval: "month", every: 1 } }), "recurring[every]"],
    ["within a list", () => checkouts({ line_items: [{ prices: "p" }] }), "line_items[0][prices]"],
    ["of a list's address", () => stripe.prices.list({ activ: true } as object), "activ"],
    ["within an address", () => stripe.events.list({ created: { since: 1 } } as object), "created[since]"],
    ["of a DELETE", () => stripe.subscriptions.cancel("sub_1", { pro_rate: true } as object), "pro_rate"],
    ["where there is none", () => stripe.checkout.sessions.expire("cs_1", { now: true } as object), "now"],
  ])("that has a parameter Stripe does not know: %s", async (_, ask, param) => {
    const message = `Received unknown parameter: ${param}`;
    expect(await refusalOf(ask())).toEqual({ code: "parameter_unknown", param, message });
  });

  test.each([
    ["of a body", () => prices({ currency: undefined }), "currency"],
    ["of two", () => endpoints({ url: undefined }), "url"],
    ["within objects", () => portals(UPDATE), "features[customer_update][enabled]"],
    ["within a list", () => portals(PRODUCTS), "features[subscription_update][products][0][prices]"],
  ])("that lacks a parameter: %s", async (_, ask, param) => {
    const message = `Missing required param: ${param}.`;
    expect(await refusalOf(ask())).toEqual({ code: "parameter_missing", param, message });
  });

  test.each([
    ["a behaviour", () => prices({ tax_behavior: "included" }), "tax_behavior"],
    ["an interval", () => prices({ recurring: { interval: "monthly" } }), "recurring[interval]"],
    ["a mode", () => checkouts({ mode: "trial" }), "mode"],
    ["a status", () => stripe.checkout.sessions.list({ status: "closed" } as object), "status"],
    ["an event", () => endpoints({ enabled_events: ["invoice.payed"] }), "enabled_events[0]"],
    ["a version", () => endpoints({ api_version: "2026-10-27.endive" }), "api_version"],
    [
      "a way to cancel",
      () => portals({ subscription_cancel: CANCEL }),
      "features[subscription_cancel][mode]",
    ],
  ])("that has a value Stripe does not know: %s", async (_, ask, param) => {
    const message = `Invalid ${param}: must be equal to one of the allowed values`;
    expect(await refusalOf(ask())).toEqual({ code: undefined, param, message });
  });

  test.each([
    ["lookup_key", 200, (text: string) => prices({ lookup_key: text })],
    ["email", 512, (text: string) => stripe.customers.create({ email: text })],
    ["metadata[a]", 500, (text: string) => stripe.customers.create({ metadata: { a: text } })],
  ])("that has a text which is too long: %s of more than %i", async (param, most, ask) => {
    const message = `Invalid ${param}: must NOT have more than ${most} characters`;
    expect(await refusalOf(ask("é".repeat(most + 1)))).toEqual({ code: undefined, param, message });
    expect(await ask("é".repeat(most))).toMatchObject({ id: expect.any(String) });
  });

  test.each([
    ["an empty text", () => prices({ product: "" }), "parameter_invalid_empty", "product"],
    ["a fraction", () => prices({ unit_amount: 4.5 }), "parameter_invalid_integer", "unit_amount"],
    ["a word", () => prices({ unit_amount: "five" }), "parameter_invalid_integer", "unit_amount"],
    ["a word for yes", () => prices({ transfer_lookup_key: "yes" }), undefined, "transfer_lookup_key"],
    ["a text for a list", () => stripe.products.list({ ids: "pro" } as object), undefined, "ids"],
    ["a list for a text", () => stripe.customers.create({ email: ["a"] } as object), undefined, "email"],
    ["a text for an object", () => prices({ recurring: "month" }), undefined, "recurring"],
    ["a page of too many", () => stripe.events.list({ limit: 101 }), undefined, "limit"],
    ["a currency in capitals", () => prices({ currency: "EUR" }), undefined, "currency"],
  ])("that has %s", async (_, ask, code, param) => {
    expect(await refusalOf(ask())).toMatchObject({ code, param });
  });
});

test("numbers, yes and no, lists and objects arrive in a form as what they are", async () => {
  const id = `prod_${crypto.randomUUID()}`;
  expect(await stripe.products.create({ id, name: "A & b = [c]" })).toMatchObject({ name: "A & b = [c]" });
  expect(await stripe.products.update(id, { active: false })).toMatchObject({ active: false });
  const recurring = { interval: "year" } as const;
  const given = { product: id, unit_amount: 4200, recurring, metadata: { "a b": "c&d", n: "1" } };
  const price = await prices(given);
  expect(price).toMatchObject(given);
  expect(await stripe.prices.update(price.id, { active: false })).toMatchObject({ active: false });
});
