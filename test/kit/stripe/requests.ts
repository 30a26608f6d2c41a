import type { Stripe } from "stripe";

// What Stripe takes in the requests that this service sends, as JSON Schema: which values an enum has, how long a text may be,
// what a list holds. It is written after Stripe's own OpenAPI description (latest/openapi.spec3.yaml of stripe/openapi at
// commit 18fa2cc768024b47789dc6fa243acd48478acac2, API version 2026-09-30.endive; MIT licence, Copyright (c) 2011- Stripe,
// Inc.). The library pins the version after that, 2026-10-28.endive (stripe 23.1.0, OPENAPI_VERSION v2596): the names, and
// which of them Stripe needs, are held against the library's types by the compiler.
//
// Only what the service sends is here. Everything else is refused, also in objects within objects, where Stripe refuses what
// the description leaves open: look up another parameter there before adding it. The empty text that unsets a
// value is left out, as the service never sends it. What the description has only in words is a limit here too (pages of 100,
// ten lookup keys, twenty types of events), and so is what https://docs.stripe.com/api/metadata says.

type Schema = Record<string, unknown>;
type Needed<Params> = { [Name in keyof Params as undefined extends Params[Name] ? never : Name]: Schema };
type Others<Params> = { [Name in keyof Params as undefined extends Params[Name] ? Name : never]?: Schema };

/** What an object of parameters holds under a name. */
type In<Params, Name extends keyof Params> = Exclude<Params[Name], undefined>;

const object = <Params>(needed: Needed<Params>, others: Others<Params> = {} as Others<Params>): Schema => ({
  type: "object",
  properties: { ...needed, ...others },
  required: Object.keys(needed),
  additionalProperties: false,
});

const list = (items: Schema, maxItems?: number): Schema => ({
  type: "array",
  items,
  ...(maxItems !== undefined && { maxItems }),
});

const text = (maxLength?: number): Schema => ({
  type: "string",
  minLength: 1,
  ...(maxLength !== undefined && { maxLength }),
});

const oneOf = (...values: string[]): Schema => ({ type: "string", enum: values });

const id = text(5000);
const url = text();
const integer = { type: "integer" };
const boolean = { type: "boolean" };
const currency = { type: "string", pattern: "^[a-z]{3}$" };
const limit = { type: "integer", minimum: 1, maximum: 100 };
const metadata = {
  type: "object",
  additionalProperties: { type: "string", maxLength: 500 },
  propertyNames: { maxLength: 40 },
  maxProperties: 50,
};

type Checkout = Stripe.Checkout.SessionCreateParams;
type Trial = In<In<Checkout, "subscription_data">, "trial_settings">;

const checkout = object<Checkout>(
  {},
  {
    automatic_tax: object<In<Checkout, "automatic_tax">>({ enabled: boolean }),
    cancel_url: url,
    customer: id,
    customer_update: object<In<Checkout, "customer_update">>(
      {},
      { address: oneOf("auto", "never"), name: oneOf("auto", "never") },
    ),
    line_items: list(object<In<Checkout, "line_items">[number]>({}, { price: id, quantity: integer })),
    metadata,
    mode: oneOf("payment", "setup", "subscription"),
    payment_method_collection: oneOf("always", "if_required"),
    subscription_data: object<In<Checkout, "subscription_data">>(
      {},
      {
        trial_period_days: integer,
        trial_settings: object<Trial>({
          end_behavior: object<In<Trial, "end_behavior">>({
            missing_payment_method: oneOf("cancel", "create_invoice", "pause"),
          }),
        }),
      },
    ),
    success_url: url,
    tax_id_collection: object<In<Checkout, "tax_id_collection">>({ enabled: boolean }),
  },
);

type Created = Stripe.BillingPortal.ConfigurationCreateParams;
type Changed = Stripe.BillingPortal.ConfigurationUpdateParams;
type CreatedFeatures = In<Created, "features">;
type ChangedFeatures = In<Changed, "features">;
type Product = Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate.Product;

const allowed_updates = list(oneOf("address", "email", "name", "phone", "shipping", "tax_id"));
const mode = oneOf("at_period_end", "immediately");
const default_allowed_updates = list(oneOf("price", "promotion_code", "quantity"));
const products = list(object<Product>({ prices: list(id), product: id }));
const proration_behavior = oneOf("always_invoice", "create_prorations", "none");

/** What a feature is switched on by is needed only when the configuration is made. */
const createdFeatures = object<CreatedFeatures>(
  {},
  {
    customer_update: object<In<CreatedFeatures, "customer_update">>(
      { enabled: boolean },
      { allowed_updates },
    ),
    invoice_history: object<In<CreatedFeatures, "invoice_history">>({ enabled: boolean }),
    payment_method_update: object<In<CreatedFeatures, "payment_method_update">>({ enabled: boolean }),
    subscription_cancel: object<In<CreatedFeatures, "subscription_cancel">>({ enabled: boolean }, { mode }),
    subscription_update: object<In<CreatedFeatures, "subscription_update">>(
      { enabled: boolean },
      { default_allowed_updates, products, proration_behavior },
    ),
  },
);

const changedFeatures = object<ChangedFeatures>(
  {},
  {
    customer_update: object<In<ChangedFeatures, "customer_update">>(
      {},
      { enabled: boolean, allowed_updates },
    ),
    invoice_history: object<In<ChangedFeatures, "invoice_history">>({ enabled: boolean }),
    payment_method_update: object<In<ChangedFeatures, "payment_method_update">>({ enabled: boolean }),
    subscription_cancel: object<In<ChangedFeatures, "subscription_cancel">>({}, { enabled: boolean, mode }),
    subscription_update: object<In<ChangedFeatures, "subscription_update">>(
      {},
      { enabled: boolean, default_allowed_updates, products, proration_behavior },
    ),
  },
);

const price = object<Stripe.PriceCreateParams>(
  { currency },
  {
    lookup_key: text(200),
    metadata,
    product: id,
    recurring: object<Stripe.PriceCreateParams.Recurring>({
      interval: oneOf("day", "month", "week", "year"),
    }),
    tax_behavior: oneOf("exclusive", "inclusive", "unspecified"),
    transfer_lookup_key: boolean,
    unit_amount: integer,
  },
);

const subscriptionStatus = oneOf(
  ...["active", "all", "canceled", "ended", "incomplete", "incomplete_expired", "past_due", "paused"],
  ...["trialing", "unpaid"],
);

/** Those of the events' names, and of the versions, that the service sends. */
const enabledEvents = list(
  oneOf(
    ...["checkout.session.completed", "customer.deleted", "customer.subscription.created"],
    ...["customer.subscription.deleted", "customer.subscription.paused", "customer.subscription.resumed"],
    ...["customer.subscription.trial_will_end", "customer.subscription.updated", "invoice.paid"],
    "invoice.payment_failed",
  ),
);
const apiVersion = oneOf("2026-10-28.endive");

/** By method and path. The parameters of a GET and of a DELETE are in the address, those of a POST are its body. */
export const REQUESTS = {
  "POST customers": object<Stripe.CustomerCreateParams>({}, { email: text(512), metadata }),
  "GET customers/:id": object<Stripe.CustomerRetrieveParams>({}),
  "GET subscriptions": object<Stripe.SubscriptionListParams>(
    {},
    { customer: id, expand: list(text(5000)), limit, status: subscriptionStatus },
  ),
  "DELETE subscriptions/:id": object<Stripe.SubscriptionCancelParams>(
    {},
    { invoice_now: boolean, prorate: boolean },
  ),
  "POST checkout/sessions": checkout,
  "GET checkout/sessions": object<Stripe.Checkout.SessionListParams>(
    {},
    { customer: id, limit, status: oneOf("complete", "expired", "open") },
  ),
  "POST checkout/sessions/:id/expire": object<Stripe.Checkout.SessionExpireParams>({}),
  "POST billing_portal/sessions": object<Stripe.BillingPortal.SessionCreateParams>(
    {},
    { configuration: id, customer: id, return_url: url },
  ),
  "GET billing_portal/configurations": object<Stripe.BillingPortal.ConfigurationListParams>(
    {},
    { active: boolean, limit },
  ),
  "POST billing_portal/configurations": object<Created>({ features: createdFeatures }, { name: text(256) }),
  "POST billing_portal/configurations/:id": object<Changed>({}, { features: changedFeatures }),
  "GET prices": object<Stripe.PriceListParams>({}, { active: boolean, limit, lookup_keys: list(id, 10) }),
  "POST prices": price,
  "POST prices/:id": object<Stripe.PriceUpdateParams>({}, { active: boolean }),
  "GET products": object<Stripe.ProductListParams>({}, { ids: list(id), limit }),
  "POST products": object<Stripe.ProductCreateParams>({ name: text(5000) }, { id }),
  "POST products/:id": object<Stripe.ProductUpdateParams>({}, { active: boolean }),
  "GET events": object<Stripe.EventListParams>(
    {},
    {
      created: object<Stripe.RangeQueryParam>({}, { gte: integer }),
      limit,
      starting_after: id,
      types: list(id, 20),
    },
  ),
  "GET webhook_endpoints": object<Stripe.WebhookEndpointListParams>({}, { limit }),
  "POST webhook_endpoints": object<Stripe.WebhookEndpointCreateParams>(
    { enabled_events: enabledEvents, url },
    { api_version: apiVersion, description: text(5000) },
  ),
  "DELETE webhook_endpoints/:id": object<Stripe.WebhookEndpointDeleteParams>({}),
} satisfies Record<string, Schema>;

export type RequestName = keyof typeof REQUESTS;
