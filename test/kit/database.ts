import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { BASE, Client } from "./client.ts";
import { type Meter, meterDatabase } from "./meter.ts";

/** Sends a client's request to the app with other bindings. */
async function send(bindings: Env, { tokens, address }: Client, path: string, init: RequestInit) {
  const headers = new Headers(init.headers);
  if (tokens && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${tokens.access_token}`);
  headers.set("CF-Connecting-IP", address);
  const context = createExecutionContext();
  const answer = await app.fetch(new Request(new URL(path, BASE), { ...init, headers }), bindings, context);
  await waitOnExecutionContext(context);
  return answer;
}

/** The same person, whose requests meet other bindings and settings than the deployment's own. */
export class ConfiguredClient extends Client {
  readonly settings: Partial<Env>;

  constructor(client: Client, settings: Partial<Env>) {
    super(client.tokens, client.address);
    this.settings = settings;
  }

  override fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return send({ ...env, ...this.settings }, this, path, init);
  }
}

/** A person whose requests go to a database other than the deployment's own. */
export class ClientOf extends ConfiguredClient {
  constructor(client: Client, db: D1Database) {
    super(client, { DB: db });
  }
}

/** The same person, with other limits of the plan that everybody has here. */
export const withLimits = (client: Client, free: Record<string, number | null>) =>
  new ConfiguredClient(client, { PLAN_LIMITS: JSON.stringify({ free }) });

/** The same person, and what their requests cost in D1. */
export function meteredClient(client: Client) {
  const meter: Meter = { calls: 0, rowsRead: 0, rowsWritten: 0 };
  const database = meterDatabase(env.DB, meter);
  return { client: new ClientOf(client, database), database, meter };
}

type Batch = D1DatabaseSession["batch"];

/** A session whose batches go through this function. */
export const sessionWith = (session: D1DatabaseSession, batch: Batch) =>
  ({
    prepare: (query: string) => session.prepare(query),
    getBookmark: () => session.getBookmark(),
    batch,
  }) as D1DatabaseSession;
