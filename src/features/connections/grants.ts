import { type GrantSummary, getOAuthApi, type OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { ConnectionId } from "../../contract/connections.ts";
import { Timestamp } from "../../contract/fields.ts";
import type { Env } from "../../env.ts";
import { withRetryingKv } from "../../platform/bindings/kv.ts";
import {
  cutPage,
  type Keyset,
  type KeysetPage,
  type KeysetPosition,
  readKeysetPosition,
} from "../../platform/db/keyset.ts";

const notFoundHandler = { fetch: () => new Response(null, { status: 404 }) };

/** The OAuth library's API for grants. It uses no URLs, so those here are placeholders. */
export const grantsApi = (env: Env): OAuthHelpers =>
  getOAuthApi<Env>(
    {
      apiRoute: "/mcp",
      apiHandler: notFoundHandler,
      defaultHandler: notFoundHandler,
      authorizeEndpoint: "/authorize",
      tokenEndpoint: "/oauth/token",
      resourceMetadata: { resource: "https://localhost/mcp" },
    },
    withRetryingKv(env),
  );

const MAX_GRANTS = 1000;

/** Grants have Unix times in seconds. */
export const grantTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

const isAfter = ([time, id]: KeysetPosition, [otherTime, otherId]: KeysetPosition): boolean =>
  time === otherTime ? id < otherId : String(time) < String(otherTime);

const positionOf = ({ id, createdAt }: GrantSummary): KeysetPosition => [grantTime(createdAt), id];

export async function readGrants(env: Env, userId: string): Promise<GrantSummary[]> {
  const { items } = await grantsApi(env).listUserGrants(userId, { limit: MAX_GRANTS });
  return items.sort((a, b) => (isAfter(positionOf(a), positionOf(b)) ? 1 : -1));
}

const KEYSET: Keyset = { name: "connections", direction: "desc", key: Timestamp, id: ConnectionId };

/** A page of the user's grants, newest first. Throws 422 for a cursor of another list. */
export async function listGrants(
  env: Env,
  userId: string,
  query: KeysetPage,
): Promise<{ rows: GrantSummary[]; total: number; next_cursor?: string }> {
  const last = readKeysetPosition(KEYSET, query);
  const grants = await readGrants(env, userId);
  const rows = last ? grants.filter((grant) => isAfter(positionOf(grant), last)) : grants.slice(query.offset);
  const page = cutPage(KEYSET, query, { rows, keyOf: ({ createdAt }) => grantTime(createdAt) });
  return { ...page, total: grants.length };
}

/** Revoking a grant takes about four of the thousand operations that a request may make. */
const GRANTS_PER_REQUEST = 100;

/** Returns whether there may be more grants. Do not loop on it: KV lists deleted grants for up to a minute. */
export async function revokeSomeGrants(env: Env, userId: string): Promise<boolean> {
  const { items, cursor } = await grantsApi(env).listUserGrants(userId, { limit: GRANTS_PER_REQUEST });
  for (const { id } of items) await grantsApi(env).revokeGrant(id, userId);
  return cursor !== undefined;
}

/** The number of MCP clients that a user has connected, except one that is being connected again and replaces its grant. */
export async function countConnections(env: Env, userId: string, except?: string): Promise<number> {
  const grants = await readGrants(env, userId);
  return grants.filter(({ clientId }) => clientId !== except).length;
}

const PURGE_CURSOR = "purge-cursor";

/** Deletes expired grants and tokens, a limited number per run, continuing where the last run stopped. */
export async function purgeGrants(env: Env): Promise<void> {
  const { OAUTH_KV } = withRetryingKv(env);
  const cursor = (await OAUTH_KV.get(PURGE_CURSOR)) ?? undefined;
  const { cursor: next } = await grantsApi(env).purgeExpiredData({
    batchSize: 50,
    ...(cursor && { cursor }),
  });
  await (next ? OAUTH_KV.put(PURGE_CURSOR, next) : OAUTH_KV.delete(PURGE_CURSOR));
}
