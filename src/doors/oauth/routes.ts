import type { Context, MiddlewareHandler } from "hono";
import { withRetryingKv } from "../../platform/bindings/kv.ts";
import { callObject } from "../../platform/bindings/objects.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { limitByAddress, limitBySubject, takeAttempt } from "../../platform/rate-limit/limit.ts";
import { isAllowedOrigin, logWrongAddress, mcpUrlFor } from "./address.ts";
import { callProvider } from "./provider.ts";
import { normalizeRegistration } from "./registration.ts";
import {
  exchangeKey,
  grantKeyIn,
  namesClientUrl,
  oauthError,
  readTokenForm,
  withPlainResource,
} from "./token-request.ts";

/** Response headers that clients need, apart from those that every page may read. */
const EXPOSED =
  "WWW-Authenticate, Mcp-Session-Id, Retry-After, RateLimit, RateLimit-Policy, Error-Code, X-Request-Id";

/** Lets pages read all responses, also errors; those of /mcp only if they may call it. None of these routes uses cookies. */
export const allowReadingByPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const origin = c.req.header("Origin");
  if (origin === undefined) return;
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl || (c.req.path.startsWith("/mcp") && !isAllowedOrigin(origin, mcpUrl, c.env.MCP_ORIGINS)))
    return;
  c.header("Access-Control-Allow-Origin", origin);
  c.header("Access-Control-Expose-Headers", EXPOSED);
};

async function answer(c: Context<AppEnv>, request = c.req.raw): Promise<Response> {
  const url = new URL(c.req.url);
  logWrongAddress(c.env.MCP_URL, url);
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, url);
  if (!mcpUrl) throw notFound();
  return callProvider(mcpUrl, request, { env: c.env, context: c.executionCtx as ExecutionContext });
}

/** Metadata is fetched only for existing grants, so that strangers cannot choose what the service fetches. Throws 429. */
async function refuseFetch(c: Context<AppEnv>, form: FormData): Promise<Response | undefined> {
  if (!namesClientUrl(form, c.req.header("Authorization") ?? null)) return undefined;
  const grant = grantKeyIn(form);
  if (!grant || (await withRetryingKv(c.env).OAUTH_KV.get(grant)) === null) {
    return oauthError("invalid_grant", "No such code or token");
  }
  await takeAttempt(c.env, "RATE_LIMIT_CLIENT_METADATA", grant);
  return undefined;
}

/** Issues and revokes tokens. Codes and refresh tokens are exchanged in Durable Objects, so that each works only once. */
async function answerToken(c: Context<AppEnv>): Promise<Response> {
  c.req.raw = await withPlainResource(c.req.raw);
  const form = await readTokenForm(c.req.raw);
  if (!form || !mcpUrlFor(c.env.MCP_URL, new URL(c.req.url))) return answer(c);
  const refusal = await refuseFetch(c, form);
  if (refusal) return refusal;
  const turn = exchangeKey(form);
  if (turn === undefined) return answer(c);
  const name = await hashSecret(turn);
  return callObject("any", () => c.env.CODE_TRADES.getByName(name).fetch(c.req.raw));
}

/** If client addresses are not trusted, clients are distinguished by the metadata that they register. */
async function answerRegistration(c: Context<AppEnv>): Promise<Response> {
  const body = await c.req.raw.clone().text();
  await limitBySubject(c, "RATE_LIMIT_CLIENT_REGISTRATION", body);
  return answer(c, new Request(c.req.raw, { body: normalizeRegistration(body) }));
}

const RESOURCE = "/.well-known/oauth-protected-resource";
const RESOURCE_WITH_SLASH = `${RESOURCE}/mcp/`;

/**
 * Metadata has to name the resource URL that its own URL is derived from (RFC 9728 section 3.3), so the resource with a slash
 * has its own. MCP clients request the root if they know no other URL.
 */
async function answerResource(c: Context<AppEnv>): Promise<Response> {
  const { path } = c.req;
  if (path !== RESOURCE && path !== RESOURCE_WITH_SLASH) return answer(c);
  const { headers } = c.req.raw;
  const response = await answer(c, new Request(new URL(`${RESOURCE}/mcp`, c.req.url), { headers }));
  if (path === RESOURCE || !response.ok) return response;
  const metadata = (await response.json()) as { resource: string };
  return Response.json({ ...metadata, resource: `${metadata.resource}/` }, response);
}

export const oauthRoutes = createRouter()
  .post("/register", limitByAddress("RATE_LIMIT_CLIENT_REGISTRATION"), answerRegistration)
  .options("/register", (c) => answer(c))
  .on(["POST", "OPTIONS"], "/token", answerToken);

const READ_METHODS = ["GET", "OPTIONS"];

/** Metadata for discovery by clients (RFC 8414, RFC 9728). */
export const wellKnownRoutes = createRouter()
  .on(READ_METHODS, "/oauth-authorization-server/*", (c) => answer(c))
  .on(READ_METHODS, "/oauth-authorization-server", (c) => answer(c))
  .options("/oauth-protected-resource/*", (c) => answer(c))
  .get("/oauth-protected-resource/*", answerResource);
