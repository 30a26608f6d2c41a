import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
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

/** An object of which Stripe needs nothing. */
const options = <Params>(others: Others<Params>): Schema => object({} as Needed<Params>, others);

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

const checkout = options<Checkout>({
  automatic_tax: object<In<Checkout, "automatic_tax">>({ enabled: boolean }),
  cancel_url: url,
  customer: id,
  customer_update: options<In<Checkout, "customer_update">>({
    address: oneOf("auto", "never"),
    name: oneOf("auto", "never"),
  }),
  line_items: list(options<In<Checkout, "line_items">[number]>({ price: id, quantity: integer })),
  metadata,
  mode: oneOf("payment", "setup", "subscription"),
  payment_method_collection: oneOf("always", "if_required"),
  subscription_data: options<In<Checkout, "subscription_data">>({
    trial_period_days: integer,
    trial_settings: object<Trial>({
      end_behavior: object<In<Trial, "end_behavior">>({
        missing_payment_method: oneOf("cancel", "create_invoice", "pause"),
      }),
    }),
  }),
  success_url: url,
  tax_id_collection: object<In<Checkout, "tax_id_collection">>({ enabled: boolean }),
});

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
const createdFeatures = options<CreatedFeatures>({
  customer_update: object<In<CreatedFeatures, "customer_update">>({ enabled: boolean }, { allowed_updates }),
  invoice_history: object<In<CreatedFeatures, "invoice_history">>({ enabled: boolean }),
  payment_method_update: object<In<CreatedFeatures, "payment_method_update">>({ enabled: boolean }),
  subscription_cancel: object<In<CreatedFeatures, "subscription_cancel">>({ enabled: boolean }, { mode }),
  subscription_update: object<In<CreatedFeatures, "subscription_update">>(
    { enabled: boolean },
    { default_allowed_updates, products, proration_behavior },
  ),
});

const changedFeatures = options<ChangedFeatures>({
  customer_update: options<In<ChangedFeatures, "customer_update">>({ enabled: boolean, allowed_updates }),
  invoice_history: object<In<ChangedFeatures, "invoice_history">>({ enabled: boolean }),
  payment_method_update: object<In<ChangedFeatures, "payment_method_update">>({ enabled: boolean }),
  subscription_cancel: options<In<ChangedFeatures, "subscription_cancel">>({ enabled: boolean, mode }),
  subscription_update: options<In<ChangedFeatures, "subscription_update">>({
    enabled: boolean,
    default_allowed_updates,
    products,
    proration_behavior,
  }),
});

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
const REQUESTS = {
  "POST customers": options<Stripe.CustomerCreateParams>({ email: text(512), metadata }),
  "GET customers/:id": options<Stripe.CustomerRetrieveParams>({}),
  "GET subscriptions": options<Stripe.SubscriptionListParams>({
    customer: id,
    expand: list(text(5000)),
    limit,
    status: subscriptionStatus,
  }),
  "DELETE subscriptions/:id": options<Stripe.SubscriptionCancelParams>({
    invoice_now: boolean,
    prorate: boolean,
  }),
  "POST checkout/sessions": checkout,
  "GET checkout/sessions": options<Stripe.Checkout.SessionListParams>({
    customer: id,
    limit,
    status: oneOf("complete", "expired", "open"),
  }),
  "POST checkout/sessions/:id/expire": options<Stripe.Checkout.SessionExpireParams>({}),
  "POST billing_portal/sessions": options<Stripe.BillingPortal.SessionCreateParams>({
    configuration: id,
    customer: id,
    return_url: url,
  }),
  "GET billing_portal/configurations": options<Stripe.BillingPortal.ConfigurationListParams>({
    active: boolean,
    limit,
  }),
  "POST billing_portal/configurations": object<Created>({ features: createdFeatures }, { name: text(256) }),
  "POST billing_portal/configurations/:id": options<Changed>({ features: changedFeatures }),
  "GET prices": options<Stripe.PriceListParams>({ active: boolean, limit, lookup_keys: list(id, 10) }),
  "POST prices": price,
  "POST prices/:id": options<Stripe.PriceUpdateParams>({ active: boolean }),
  "GET products": options<Stripe.ProductListParams>({ ids: list(id), limit }),
  "POST products": object<Stripe.ProductCreateParams>({ name: text(5000) }, { id }),
  "POST products/:id": options<Stripe.ProductUpdateParams>({ active: boolean }),
  "GET events": options<Stripe.EventListParams>({
    created: options<Stripe.RangeQueryParam>({ gte: integer }),
    limit,
    starting_after: id,
    types: list(id, 20),
  }),
  "GET webhook_endpoints": options<Stripe.WebhookEndpointListParams>({ limit }),
  "POST webhook_endpoints": object<Stripe.WebhookEndpointCreateParams>(
    { enabled_events: enabledEvents, url },
    { api_version: apiVersion, description: text(5000) },
  ),
  "DELETE webhook_endpoints/:id": options<Stripe.WebhookEndpointDeleteParams>({}),
} satisfies Record<string, Schema>;

export type RequestName = keyof typeof REQUESTS;

// Reads the parameters of a request as Stripe does, and says what it would refuse of them.

export type Form = Record<string, unknown>;

const listsIn = (value: unknown): unknown => {
  if (typeof value !== "object") return value;
  const entries = Object.entries(value as Form).map(([name, inner]) => [name, listsIn(inner)] as const);
  const isNumbered = entries.length > 0 && entries.every(([name], n) => name === String(n));
  return isNumbered ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
};

/** The parameters in a form, as texts: `a[b][0]=c`. Objects whose names are 0, 1, 2 … are lists. */
export function formOf(encoded: string): Form {
  const form: Form = {};
  for (const [key, value] of new URLSearchParams(encoded)) {
    const names = key.split(/[[\]]+/).filter(Boolean);
    const last = names.pop() ?? "";
    let at = form;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Form;
    }
    at[last] = value;
  }
  return listsIn(form) as Form;
}

// In a form, numbers and booleans are texts: they become what the schema says.
const ajv = new Ajv({ coerceTypes: true });

const VALIDATORS = Object.fromEntries(
  Object.entries(REQUESTS).map(([name, schema]) => [name, ajv.compile(schema)]),
) as Record<RequestName, ValidateFunction>;

/** The name of a parameter as Stripe writes it: `a[b][0]`. */
function paramOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
  const path = [...instancePath.split("/").slice(1), additionalProperty ?? missingProperty ?? []].flat();
  const [first = "", ...rest] = path;
  return first + rest.map((name) => `[${name}]`).join("");
}

type Problem = { param: string; message: string; code?: string };

/** How Stripe says it (https://docs.stripe.com/error-codes), where it has a code for it. */
function problemOf(error: ErrorObject): Problem {
  const { keyword, message, params } = error;
  const param = paramOf(error);
  if (keyword === "additionalProperties")
    return { param, code: "parameter_unknown", message: `Received unknown parameter: ${param}` };
  if (keyword === "required")
    return { param, code: "parameter_missing", message: `Missing required param: ${param}.` };
  if (keyword === "minLength")
    return { param, code: "parameter_invalid_empty", message: `You passed an empty string for '${param}'.` };
  if (keyword === "type" && params.type === "integer")
    return { param, code: "parameter_invalid_integer", message: `Invalid integer: ${param}` };
  return { param, message: `Invalid ${param}: ${message}` };
}

/** What Stripe would refuse of a request's parameters. Numbers and booleans in `form` become such. */
export function refusalOf(request: RequestName, form: Form): Problem | undefined {
  const validate = VALIDATORS[request];
  if (validate(form)) return undefined;
  const [error] = validate.errors ?? [];
  if (!error) throw new Error(`${request} is refused without a reason`);
  return problemOf(error);
}
