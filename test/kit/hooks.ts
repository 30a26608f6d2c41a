import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { Webhook as Verifier } from "standardwebhooks";
import { globalAccountId } from "../../src/contract/shard.ts";
import { WEBHOOK_MESSAGES } from "../../src/contract/webhook-message.ts";
import type { Env } from "../../src/env.ts";
import type { AccountObject } from "../../src/features/jobs/account.ts";
import * as routes from "../../src/features/webhooks/routes.ts";
import worker from "../../src/index.ts";
import type { Client, Parts } from "./client.ts";
import { numberOf } from "./ctx.ts";
import { type Manner, RECEIVERS, type Received } from "./receivers.ts";

/** A message as a receiver reads it. */
export type Message = { type: string; timestamp: string; data: Record<string, unknown> };

/** A receiver of messages on the internet. */
export class Receiver {
  readonly url = `https://${RECEIVERS}/${crypto.randomUUID()}`;

  async answers(manner: Manner): Promise<void> {
    await fetch(this.url, { method: "PUT", body: JSON.stringify(manner) });
  }

  /** Answers the messages that it holds back now. Later ones are held back again. */
  async answersHeld(manner: Manner): Promise<void> {
    await fetch(this.url, { method: "PATCH", body: JSON.stringify(manner) });
  }

  async received(): Promise<Received[]> {
    return (await fetch(this.url)).json();
  }

  /** The messages it received, verified by the library of Standard Webhooks and checked against their published schema. */
  async messages(secret: string): Promise<Message[]> {
    const verifier = new Verifier(secret);
    return (await this.received()).map(({ body, headers }) => {
      const message = verifier.verify(body, headers) as Message;
      WEBHOOK_MESSAGES.find(({ event }) => event === message.type)?.body.parse(message);
      return message;
    });
  }

  async types(secret: string): Promise<string[]> {
    return (await this.messages(secret)).map(({ type }) => type);
  }
}

/** A person's webhook for these events, with its receiver. */
export async function hookOf(client: Client, fields: Record<string, unknown> = {}) {
  const receiver = new Receiver();
  const events = ["document.created", "document.updated"];
  const hook = await client.ok(routes.createWebhookRoute, {
    json: { name: "Automation", url: receiver.url, events, ...fields },
  });
  const params = { webhook_id: hook.id };
  return {
    ...{ hook, receiver, params },
    read: () => client.ok(routes.getWebhookRoute, { params }),
    update: (json: object) => client.ok(routes.updateWebhookRoute, { params, json }),
    sendTest: () => client.ok(routes.testWebhookRoute, { params }),
    replay: (delivery_id = "") =>
      client.ok(routes.replayDeliveryRoute, { params: { ...params, delivery_id } }),
    deliveries: (query: Parts["query"] = {}) => client.ok(routes.listDeliveriesRoute, { params, query }),
    messages: () => receiver.messages(hook.secret),
    types: () => receiver.types(hook.secret),
  };
}

export const accountOf = ({ tokens }: Client) => {
  const { home, num: owner } = decodeJwt<{ home: number; num: number }>(tokens?.access_token ?? "");
  return { home, owner };
};

type Place = { home: number; owner: number };

const objectNamed = (name: string) =>
  ((env as unknown as Env).ACCOUNTS as DurableObjectNamespace<AccountObject>).getByName(name);

export const objectOf = (place: Place) =>
  objectNamed(globalAccountId({ shard: place.home, owner: place.owner }));

/** The Durable Object that continues a person's work after the answers. */
export const objectOfClient = (client: Client) => objectOf(accountOf(client));

/** Runs the alarm of an account's object, with other settings if given. */
export const workOf = (place: Place, settings?: Partial<Env>): Promise<void> =>
  runInDurableObject(objectOf(place), (instance: AccountObject) => {
    if (settings) Object.assign(instance, { env: settings });
    return instance.alarm();
  });

async function accounts(): Promise<Place[]> {
  const places: Place[] = [];
  for (const [index, database] of [env.DB, env.DB_2, env.DB_3].entries()) {
    const users = database.prepare("SELECT number AS owner FROM users").all<{ owner: number }>();
    // A shard that a test has not opened has no tables.
    const { results } = await users.catch(() => ({ results: [] }));
    places.push(...results.map(({ owner }) => ({ home: index + 1, owner })));
  }
  return places;
}

/** Runs the cron handler, and the alarm of each account before and after it. */
export async function cron(settings: object = {}): Promise<void> {
  const own = Object.defineProperties(
    { ...env },
    Object.getOwnPropertyDescriptors(settings),
  ) as unknown as Env;
  const everybody = await accounts();
  for (const place of everybody) await workOf(place, own);
  for (const home of [1, 2, 3])
    await runInDurableObject(
      objectNamed(`home ${home}`),
      (instance) => void Object.assign(instance, { env: own }),
    );
  await worker.scheduled(createScheduledController({ cron: "" }), own);
  for (const place of everybody) await workOf(place);
}

/** The database of a person's shard. */
export const databaseOfClient = (client: Client): D1Database =>
  [env.DB, env.DB_2, env.DB_3][accountOf(client).home - 1] ?? env.DB;

export const workOfClient = (client: Client): Promise<void> => workOf(accountOf(client));

/** Sends the messages of a person that are due. */
export async function sendNow(client: Client): Promise<void> {
  const { home, owner } = accountOf(client);
  await objectOfClient(client).wake(owner, home);
  await workOf({ home, owner });
}

/** Moves the times of a person's webhooks back by a day, so that waiting messages are due, in the same order. */
export async function letTimePass(client: Client): Promise<void> {
  const owner = await numberOf(client);
  const aDayBefore = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '-1 day')`;
  await env.DB.batch([
    env.DB.prepare(`UPDATE webhooks SET resume_at = ${aDayBefore("resume_at")} WHERE owner = ?`).bind(owner),
    env.DB.prepare(
      `UPDATE webhook_deliveries SET next_attempt_at = ${aDayBefore("next_attempt_at")}
       WHERE owner = ? AND status = 'pending'`,
    ).bind(owner),
  ]);
}
