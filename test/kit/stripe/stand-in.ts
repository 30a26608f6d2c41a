import { readFileSync } from "node:fs";
import { PRICE_LOOKUP_KEYS } from "../../../src/contract/plan-prices.ts";
import { Account, type Price, type Session } from "./account.ts";
import { type Command, carryOut } from "./people.ts";
import { type Form, formOf, type RequestName, refusalOf } from "./requests.ts";

// Stands for Stripe's API, for Stripe's own library: it keeps what it is told, and refuses what Stripe would refuse.

type Asked = { account: Account; form: Form; id: string; origin: string };
type Act = (asked: Asked) => object;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const missing = (what: string, id: string) =>
  new Refusal(404, "resource_missing", `No such ${what}: '${id}'`);

function found<Row>(rows: Map<string, Row>, what: string, id: unknown): Row {
  const row = rows.get(String(id));
  if (!row) throw missing(what, String(id));
  return row;
}

const customerOf = ({ account }: Asked, id: unknown) => {
  const customer = found(account.customers, "customer", id);
  if (customer.deleted) throw missing("customer", customer.id);
  return customer;
};

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
const metadataOf = (form: Form) => (form.metadata ?? {}) as Record<string, string>;

/** A page of a list, the newest first. */
function listOf<Row extends { id: string }>(rows: Row[], form: Form, url: string) {
  const newest = [...rows].reverse();
  const from = newest.findIndex(({ id }) => id === form.starting_after) + 1;
  const limit = Number(form.limit ?? 10);
  const data = newest.slice(from, from + limit);
  return { object: "list", url, data, has_more: newest.length > from + limit };
}

function createSession(asked: Asked): Session {
  const { account, form, origin } = asked;
  const customer = customerOf(asked, form.customer);
  const [line] = form.line_items as Form[];
  const price = found(account.prices, "price", line?.price);
  if (!price.active) throw new Refusal(400, "price_inactive", "The price specified is inactive.");
  const { subscription_data: data } = form as { subscription_data?: Form };
  const id = account.id("cs");
  const session: Session = {
    ...{ id, object: "checkout.session", customer: customer.id, status: "open", created: account.now() },
    ...{ url: `${origin}/pay/${id}`, metadata: metadataOf(form), price: price.id },
    trial_days: Number(data?.trial_period_days ?? 0),
    success_url: String(form.success_url).replace("{CHECKOUT_SESSION_ID}", id),
    cancel_url: String(form.cancel_url),
  };
  account.sessions.set(id, session);
  return session;
}

function createPrice({ account, form }: Asked): Price {
  found(account.products, "product", form.product);
  const lookup_key = textOf(form.lookup_key);
  const holder = [...account.prices.values()].find((price) => lookup_key && price.lookup_key === lookup_key);
  if (holder && form.transfer_lookup_key !== true)
    throw new Refusal(400, "resource_already_exists", `A price (${holder.id}) already uses that lookup key.`);
  if (holder) holder.lookup_key = null;
  return account.addPrice({
    ...{ product: String(form.product), currency: String(form.currency), lookup_key },
    ...{ unit_amount: Number(form.unit_amount), metadata: metadataOf(form) },
    recurring: { interval: ((form.recurring as Form | undefined)?.interval ?? "month") as "month" | "year" },
    tax_behavior: textOf(form.tax_behavior) ?? "unspecified",
  });
}

function updatePrice({ account, form, id }: Asked): Price {
  const price = found(account.prices, "price", id);
  if (typeof form.active === "boolean") price.active = form.active;
  return price;
}

const kept =
  (rows: (account: Account) => Map<string, { id: string }>, prefix: string, more: object = {}) =>
  ({ account, form, id }: Asked) => {
    const row = id
      ? found(rows(account), prefix, id)
      : { ...more, id: textOf(form.id) ?? account.id(prefix) };
    if (!id && rows(account).has(row.id))
      throw new Refusal(400, "resource_already_exists", `${prefix} already exists.`);
    rows(account).set(row.id, Object.assign(row, form));
    return row;
  };

const OPERATIONS: Record<RequestName, Act> = {
  "POST customers": ({ account, form }) => {
    const customer = {
      id: account.id("cus"),
      object: "customer" as const,
      email: textOf(form.email),
      metadata: metadataOf(form),
    };
    account.customers.set(customer.id, customer);
    return customer;
  },
  "GET customers/:id": ({ account, id }) => found(account.customers, "customer", id),
  "GET subscriptions": (asked) => {
    const { account, form } = asked;
    const all = account.ofCustomer(customerOf(asked, form.customer).id);
    const some = form.status === "all" ? all : all.filter(({ status }) => status !== "canceled");
    return listOf(some, form, "/v1/subscriptions");
  },
  "DELETE subscriptions/:id": ({ account, id }) => {
    const subscription = found(account.subscriptions, "subscription", id);
    if (subscription.status === "canceled") throw missing("subscription", id);
    account.end(subscription, "cancellation_requested");
    return subscription;
  },
  "POST checkout/sessions": createSession,
  "GET checkout/sessions": (asked) => {
    const { account, form } = asked;
    const { id } = customerOf(asked, form.customer);
    const own = [...account.sessions.values()].filter(({ customer }) => customer === id);
    const some = own.filter(({ status }) => form.status === undefined || form.status === status);
    return listOf(some, form, "/v1/checkout/sessions");
  },
  "POST checkout/sessions/:id/expire": ({ account, id }) => {
    const session = found(account.sessions, "checkout.session", id);
    if (session.status !== "open") throw new Refusal(400, "resource_missing", "This session is not open.");
    return Object.assign(session, { status: "expired", url: null });
  },
  "POST billing_portal/sessions": (asked) => {
    const { account, form, origin } = asked;
    if (form.configuration) found(account.configurations, "configuration", form.configuration);
    const { id: customer } = customerOf(asked, form.customer);
    const url = `${origin}/portal/${customer}?back=${encodeURIComponent(String(form.return_url))}`;
    return { id: account.id("bps"), object: "billing_portal.session", customer, url };
  },
  "GET billing_portal/configurations": ({ account, form }) =>
    listOf([...account.configurations.values()], form, "/v1/billing_portal/configurations"),
  "POST billing_portal/configurations": kept((account) => account.configurations, "bpc", {
    object: "billing_portal.configuration",
  }),
  "POST billing_portal/configurations/:id": kept((account) => account.configurations, "bpc"),
  "GET prices": ({ account, form }) => {
    const keys = form.lookup_keys as string[] | undefined;
    const some = [...account.prices.values()].filter(
      ({ active, lookup_key }) =>
        (form.active === undefined || active === form.active) && (!keys || keys.includes(lookup_key ?? "")),
    );
    return listOf(some, form, "/v1/prices");
  },
  "POST prices": createPrice,
  "POST prices/:id": updatePrice,
  "GET products": ({ account, form }) => {
    const ids = form.ids as string[] | undefined;
    const some = [...account.products.values()].filter(({ id }) => !ids || ids.includes(id));
    return listOf(some, form, "/v1/products");
  },
  "POST products": kept((account) => account.products, "prod", { object: "product", active: true }),
  "POST products/:id": kept((account) => account.products, "prod"),
  "GET events": ({ account, form }) => {
    const { types, created } = form as { types?: string[]; created?: Form };
    const some = account.events.filter(
      (event) => (!types || types.includes(event.type)) && event.created >= Number(created?.gte ?? 0),
    );
    return listOf(some, form, "/v1/events");
  },
  "GET webhook_endpoints": ({ account, form }) =>
    listOf([...account.endpoints.values()], form, "/v1/webhook_endpoints"),
  "POST webhook_endpoints": ({ account, form }) => {
    const endpoint = { ...form, id: account.id("we"), object: "webhook_endpoint", status: "enabled" };
    account.endpoints.set(endpoint.id, endpoint);
    // The secret is shown once.
    return { ...endpoint, secret: `whsec_${endpoint.id}` };
  },
  "DELETE webhook_endpoints/:id": ({ account, id }) => {
    account.endpoints.delete(id);
    return { id, object: "webhook_endpoint", deleted: true };
  },
};

/** What a request asks for, and the id in its path; undefined for what is not served here. */
function askedFor(method: string, path: string): { name: RequestName; id: string } | undefined {
  for (const name of Object.keys(OPERATIONS) as RequestName[]) {
    const [verb, pattern = ""] = name.split(" ");
    const match = new RegExp(`^/v1/${pattern.replace(":id", "([^/]+)")}$`).exec(path);
    if (verb === method && match) return { name, id: match[1] ?? "" };
  }
  return undefined;
}

const errorOf = (status: number, error: object) => ({
  status,
  text: JSON.stringify({ error: { type: "invalid_request_error", ...error } }),
});

type Request_ = { account: Account; method: string; url: URL; body: string; origin: string };

function answerTo({ account, method, url, body, origin }: Request_): { status: number; text: string } {
  const asked = askedFor(method, url.pathname);
  if (!asked) return errorOf(404, { message: `Unrecognized request URL (${method}: ${url.pathname})` });
  const { name, id } = asked;
  const form = formOf(`${url.search.slice(1)}&${body}`);
  const refused = refusalOf(name, form);
  if (refused) return errorOf(400, refused);
  try {
    return { status: 200, text: JSON.stringify(OPERATIONS[name]({ account, form, id, origin })) };
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    const { status, code, message } = problem;
    return errorOf(status, { code, message });
  }
}

/** As Stripe: the same key gets the same answer, and another request with it none. */
function once(request: Request_, key: string | null): { status: number; text: string } {
  if (key === null || request.method !== "POST") return answerTo(request);
  const asked = `${request.url.pathname} ${request.body}`;
  const known = request.account.answers.get(key);
  if (known && known.asked !== asked)
    return errorOf(400, {
      type: "idempotency_error",
      message: "Keys can only be used with the same parameters.",
    });
  const answer = known ?? answerTo(request);
  if (!known && answer.status < 400) request.account.answers.set(key, { asked, ...answer });
  return answer;
}

/** As the library of this version pins it. */
export const API_VERSION =
  /ApiVersion = ["']([^"']+)/.exec(readFileSync("node_modules/stripe/esm/apiVersion.js", "utf8"))?.[1] ?? "";

const accounts = new Map<string, Account>();

/** The account of an API key. One whose key says so has the prices of the plans already. */
export function accountAt(key: string): Account {
  const known = accounts.get(key);
  if (known) return known;
  const account = new Account(API_VERSION);
  accounts.set(key, account);
  if (!key.includes("priced")) return account;
  for (const [n, lookup_key] of PRICE_LOOKUP_KEYS.entries()) {
    const interval = lookup_key.endsWith("yearly") ? ("year" as const) : ("month" as const);
    const product = `commonplace_${lookup_key.split("_")[0]}`;
    account.products.set(product, { id: product, object: "product", active: true });
    account.addPrice({
      ...{ product, currency: "eur", unit_amount: [500, 5000, 1500, 15_000][n] ?? 0, lookup_key },
      ...{ metadata: { lookup_key }, recurring: { interval }, tax_behavior: "inclusive" },
    });
  }
  return account;
}

const HELD_MS = 60_000;

async function fault(name: string): Promise<Response> {
  if (name === "hang") await new Promise((wake) => setTimeout(wake, HELD_MS));
  const status = name === "429" ? 429 : 500;
  const error = { type: status === 429 ? "rate_limit_error" : "api_error", message: "Try again" };
  return Response.json({ error }, { status, headers: { "Stripe-Should-Retry": "false" } });
}

/** Answers a request to Stripe's API. `origin` is where the pages are that people pay on. */
export async function stripe(
  request: Request,
  origin = "https://checkout.stripe.example",
): Promise<Response> {
  const key = /^Bearer ((?:sk|rk)_test_\w+)$/.exec(request.headers.get("Authorization") ?? "")?.[1];
  if (!key || key.includes("revoked"))
    return Response.json(
      { error: { type: "invalid_request_error", message: "Invalid API Key" } },
      { status: 401 },
    );
  const account = accountAt(key);
  const url = new URL(request.url);
  const body = await request.text();
  account.log.push(`${request.method} ${url.pathname}${url.search} ${body}`);
  const failing = [...account.faults].find(([customer]) => `${url} ${body}`.includes(customer))?.[1].shift();
  if (failing) return fault(failing);
  if (request.headers.get("Stripe-Version") !== API_VERSION)
    return Response.json({ error: { message: `Invalid Stripe API version` } }, { status: 400 });
  const { status, text } = once(
    { account, method: request.method, url, body, origin },
    request.headers.get("Idempotency-Key"),
  );
  return new Response(text, { status, headers: { "Content-Type": "application/json" } });
}

/** Lets people and time act, as a test says. */
export async function direct(request: Request): Promise<Response> {
  const { key, ...command } = (await request.json()) as Command & { key: string };
  return Response.json(carryOut(accountAt(key), command as Command) ?? null);
}
