import { Stripe } from "stripe";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import * as billing from "../../../src/features/billing/routes.ts";
import { type Client, person, visitor } from "../client.ts";
import { databaseOfClient } from "../hooks.ts";
import type { Event } from "./account.ts";
import { customerOfUser, happen, lookAt, payFor } from "./till.ts";

// A paying account, and Stripe's messages about it.

export const SECRET = "whsec_that_only_the_tests_know";

type Signed = { secret?: string; at?: Date };

/** What Stripe sends of an event, signed with its own library. */
export async function messageOf(event: object, { secret = SECRET, at = new Date() }: Signed = {}) {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(at.getTime() / 1000);
  const { webhooks } = new Stripe("sk_test_x");
  const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
  return { method: "POST", body: payload, headers: { "Stripe-Signature": signature } };
}

/** Stripe delivers an event; returns the status of the answer. */
export async function deliver(event: Event, signed: Signed = {}): Promise<number> {
  const answer = await visitor().fetch("/api/billing/webhook", await messageOf(event, signed));
  await answer.body?.cancel();
  return answer.status;
}

export const checkout = async (client: Client, plan = "pro", interval = "month") =>
  (await client.ok(billing.startCheckoutRoute, { json: { plan, interval } })).url;

export const sessionIn = (url: string) => url.split("/").at(-1) ?? "";

export const statusOf = (client: Client) => client.ok(billing.getSubscriptionRoute);
export const stateOf = (client: Client) => client.ok(billing.syncPlanRoute);
export const plansOf = (client: Client) => client.ok(billing.listPlansRoute);

export const customerOf = async (client: Client) => customerOfUser((await client.ok(getMeRoute)).id);

/** The newest of several customers; the others were deleted at Stripe. */
export async function newestCustomerOf(client: Client): Promise<string> {
  const { id: user } = await client.ok(getMeRoute);
  return (await happen<{ id: string }[]>({ do: "find", user })).at(-1)?.id ?? "";
}

/** What the status says of an account that has never paid. */
export const AS_REGISTERED = {
  ...{ plan_tier: "free", status: "active", billing_interval: null, trial_ends_at: null },
  ...{ current_period_end: null, canceled_at: null },
};

export const eventsAbout = async (client: Client) => (await lookAt(await customerOf(client))).events;

/** Confirms a person's address, so that mails go there. */
export const confirmAddress = async (client: Client, email: string): Promise<void> => {
  const now = new Date().toISOString();
  await databaseOfClient(client)
    .prepare("UPDATE users SET email_verified_at = ? WHERE email = ?")
    .bind(now, email)
    .run();
};

type How = { plan?: string; interval?: string; card?: "works" | "fails" | "none"; daysAgo?: number };

/** Pays for a plan on Stripe's page, and does not come back. */
export async function pay(client: Client, { plan, interval, ...how }: How = {}): Promise<void> {
  await payFor(sessionIn(await checkout(client, plan, interval)), how);
}

/** An account with a paid plan, already synchronized. */
export async function subscriber(
  email: string,
  how: How = {},
): Promise<{ client: Client; customer: string }> {
  const client = await person({ email });
  await confirmAddress(client, email);
  await pay(client, how);
  await stateOf(client);
  return { client, customer: await customerOf(client) };
}
