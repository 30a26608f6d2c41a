import type { Context } from "hono";
import { withSteadyKv } from "../../platform/bindings/kv.ts";
import { askObject } from "../../platform/bindings/objects.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { limitByAddress, limitBySubject, takeAttempt } from "../../platform/rate-limit/limit.ts";
import { mcpUrlOf, noteOtherAddress } from "./address.ts";
import { askProvider } from "./provider.ts";
import { plainRegistration } from "./registration.ts";
import { formOf, grantIn, namesAddress, oauthError, turnOf, withPlainResource } from "./token-request.ts";

async function answer(c: Context<AppEnv>, request = c.req.raw): Promise<Response> {
  const url = new URL(c.req.url);
  noteOtherAddress(c.env.MCP_URL, url);
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, url);
  if (!mcpUrl) throw notFound();
  return askProvider(mcpUrl, request, { env: c.env, context: c.executionCtx as ExecutionContext });
}

/** Strangers must not choose what the service fetches: metadata only for an existing grant. Throws 429. */
async function refuseFetch(c: Context<AppEnv>, form: FormData): Promise<Response | undefined> {
  if (!namesAddress(form, c.req.header("Authorization") ?? null)) return undefined;
  const grant = grantIn(form);
  if (!grant || (await withSteadyKv(c.env).OAUTH_KV.get(grant)) === null) {
    return oauthError("invalid_grant", "No such code or token");
  }
  await takeAttempt(c.env, "RATE_LIMIT_CLIENT_METADATA", grant);
  return undefined;
}

/** Issues and revokes tokens. Codes and refresh tokens are exchanged in Durable Objects, so that each works once. */
async function answerToken(c: Context<AppEnv>): Promise<Response> {
  c.req.raw = await withPlainResource(c.req.raw);
  const form = await formOf(c.req.raw);
  if (!form || !mcpUrlOf(c.env.MCP_URL, new URL(c.req.url))) return answer(c);
  const refusal = await refuseFetch(c, form);
  if (refusal) return refusal;
  const turn = turnOf(form);
  if (turn === undefined) return answer(c);
  const name = await hashSecret(turn);
  return askObject("any", () => c.env.CODE_TRADES.getByName(name).fetch(c.req.raw));
}

/** Where client addresses are not trusted, clients are told apart by the metadata they register. */
async function answerRegistration(c: Context<AppEnv>): Promise<Response> {
  const body = await c.req.raw.clone().text();
  await limitBySubject(c, "RATE_LIMIT_CLIENT_REGISTRATION", body);
  return answer(c, new Request(c.req.raw, { body: plainRegistration(body) }));
}

const RESOURCE = "/.well-known/oauth-protected-resource";
const OF_SLASH = `${RESOURCE}/mcp/`;

/**
 * Metadata names the address from which its own is made (RFC 9728 section 3.3), so the one with a slash has its own. What MCP
 * asks for where it knows no better is at the root.
 */
async function answerResource(c: Context<AppEnv>): Promise<Response> {
  const { path } = c.req;
  if (path !== RESOURCE && path !== OF_SLASH) return answer(c);
  const { headers } = c.req.raw;
  const found = await answer(c, new Request(new URL(`${RESOURCE}/mcp`, c.req.url), { headers }));
  if (path === RESOURCE || !found.ok) return found;
  const metadata = (await found.json()) as { resource: string };
  return Response.json({ ...metadata, resource: `${metadata.resource}/` }, found);
}

export const oauthRoutes = createRouter()
  .post("/register", limitByAddress("RATE_LIMIT_CLIENT_REGISTRATION"), answerRegistration)
  .options("/register", (c) => answer(c))
  .on(["POST", "OPTIONS"], "/token", answerToken);

const READING = ["GET", "OPTIONS"];

/** The metadata by which clients find these endpoints (RFC 8414, RFC 9728). */
export const wellKnownRoutes = createRouter()
  .on(READING, "/oauth-authorization-server/*", (c) => answer(c))
  .on(READING, "/oauth-authorization-server", (c) => answer(c))
  .options("/oauth-protected-resource/*", (c) => answer(c))
  .get("/oauth-protected-resource/*", answerResource);
