import { register } from "../test/e2e/service.ts";
import { type Serving, startScript } from "./processes.ts";
import type { Meter } from "./workers/meter.ts";
import type { Filling } from "./workers/search-parts.ts";

const FILLED_AT_ONCE = 100;

/** A user of the metered service. */
export type Tenant = { url: string; owner: number; headers: Record<string, string> };

/** The service with the cost of each request in its headers, and without its limit on registration. */
export const startMetered = (stateDir: string): Promise<Serving> =>
  startScript({
    script: "bench/workers/metered.ts",
    config: "wrangler.toml",
    stateDir,
    vars: { REGISTRATION: "open", RATE_LIMIT_REGISTER: "1000/1" },
  });

/** Creates an account. */
export async function registerTenant(url: string, email: string): Promise<Tenant> {
  const token = await register(url, { email, password: "a password for the bench" });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const me = await fetch(`${url}/api/auth/me`, { headers });
  const { id } = (await me.json()) as { id: string };
  const owner = (await (await fetch(`${url}/part/owner?q=${id}`)).json()) as number;
  return { url, owner, headers };
}

/** Gives a tenant documents without HTTP, but through the service's own indexing. Returns their ids in order. */
export async function fill(
  { url, owner }: Tenant,
  documents: Filling["documents"],
  plain = false,
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < documents.length; start += FILLED_AT_ONCE) {
    const filling: Filling = { owner, documents: documents.slice(start, start + FILLED_AT_ONCE), plain };
    const answer = await fetch(`${url}/part/fill`, { method: "POST", body: JSON.stringify(filling) });
    if (!answer.ok) throw new Error(`fill: ${answer.status} ${await answer.text()}`);
    ids.push(...((await answer.json()) as string[]));
  }
  return ids;
}

/** Sends a request and returns what it cost in D1. Throws unless it succeeds. */
export async function costOf({ url, headers }: Tenant, path: string, init: RequestInit = {}): Promise<Meter> {
  const answer = await fetch(`${url}${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return JSON.parse(answer.headers.get("X-Cost") ?? "null") as Meter;
}
