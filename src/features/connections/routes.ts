import type { GrantSummary } from "@cloudflare/workers-oauth-provider";
import * as schema from "../../contract/connections.ts";
import { notFound } from "../../platform/core/errors.ts";
import { createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { logSecurityEvent } from "../../platform/security-events/store.ts";
import { grantsApi, grantTime, listGrants, readGrants } from "./grants.ts";
import { readConnectionUses } from "./store.ts";

const operation = tagged("Connections");

export const listConnectionsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listConnections",
  summary: "List the MCP clients that the caller has authorized",
  description: "Newest first.",
  rules: { access: "person", daily: "unlimited" },
  request: { query: schema.ConnectionListQuery },
  responses: { 200: json(schema.ConnectionList, "A page of connections"), ...errors(401, 422) },
});

export const revokeConnectionRoute = operation({
  method: "delete",
  path: "/{connection_id}",
  operationId: "revokeConnection",
  summary: "Revoke a connection",
  description: "Its tokens become invalid; on Cloudflare this takes effect everywhere within a minute.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.ConnectionParams },
  responses: { 204: { description: "Revoked" }, ...errors(401, 404, 422) },
});

type Metadata = { client_name: string; client_domain?: string; redirect_host: string };

function present(grant: GrantSummary, lastUsedAt: string | undefined): schema.Connection {
  const { id, metadata, scope, createdAt, expiresAt } = grant;
  const { client_name, client_domain = null, redirect_host } = metadata as Metadata;
  return {
    id,
    client_name,
    client_domain,
    redirect_host,
    scopes: scope,
    created_at: grantTime(createdAt),
    last_used_at: lastUsedAt ?? null,
    expires_at: expiresAt === undefined ? null : grantTime(expiresAt),
  };
}

export const connectionRoutes = createRouter()
  .openapi(listConnectionsRoute, async (c) => {
    const uses = await readConnectionUses(c.var.ctx);
    const { rows, ...rest } = await listGrants(c.env, (await c.var.ctx.user()).id, c.req.valid("query"));
    const mcp_url = c.env.MCP_URL || new URL("/mcp", c.req.url).href;
    return c.json({ items: rows.map((grant) => present(grant, uses.get(grant.id))), ...rest, mcp_url }, 200);
  })
  .openapi(revokeConnectionRoute, async (c) => {
    const { connection_id } = c.req.valid("param");
    const userId = (await c.var.ctx.user()).id;
    const grants = await readGrants(c.env, userId);
    const grant = grants.find(({ id }) => id === connection_id);
    if (!grant) throw notFound();
    // First, because this throws while the account is being migrated to another shard.
    await logSecurityEvent(c.var.ctx, "connection_ended", (grant.metadata as Metadata).client_name);
    await grantsApi(c.env).revokeGrant(connection_id, userId);
    return c.body(null, 204);
  });
