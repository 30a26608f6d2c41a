import { register } from "../test/e2e/service.ts";
import type { Meter } from "./workers/meter.ts";
import type { Filling } from "./workers/metered.ts";

const FILLED_AT_ONCE = 100;

/** A user of the metered service. */
export type Tenant = { url: string; user: string; headers: Record<string, string> };

/** Makes an account. */
export async function registerTenant(url: string, email: string): Promise<Tenant> {
  const token = await register(url, { email, password: "a password for the bench" });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const me = await fetch(`${url}/api/auth/me`, { headers });
  const { id } = (await me.json()) as { id: string };
  return { url, user: id, headers };
}

/** Gives a tenant documents, past HTTP but through the service's own indexing. Answers their ids in order. */
export async function fill({ url, user }: Tenant, documents: Filling["documents"]): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < documents.length; start += FILLED_AT_ONCE) {
    const filling: Filling = { user, documents: documents.slice(start, start + FILLED_AT_ONCE) };
    const answer = await fetch(`${url}/fill`, { method: "POST", body: JSON.stringify(filling) });
    if (!answer.ok) throw new Error(`fill: ${answer.status} ${await answer.text()}`);
    ids.push(...((await answer.json()) as string[]));
  }
  return ids;
}

/** Sends a request and answers what it cost in D1. Throws unless it succeeds. */
export async function costOf({ url, headers }: Tenant, path: string, init: RequestInit = {}): Promise<Meter> {
  const answer = await fetch(`${url}${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return JSON.parse(answer.headers.get("X-Cost") ?? "null") as Meter;
}
