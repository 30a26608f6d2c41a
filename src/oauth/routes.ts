import type { Context } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { createRouter } from "../core/openapi.ts";
import { hashSecret } from "../core/secret.ts";
import { limitByAddress, limitBySubject, takeAttempt } from "../rate-limit/limit.ts";
import { mcpUrlOf } from "./address.ts";
import { oauthProvider } from "./provider.ts";
import { formOf, grantIn, namesAddress, oauthError } from "./token-request.ts";

/** The library answers; on a host that serves no MCP there is nothing to ask for. */
async function answer(c: Context<AppEnv>): Promise<Response> {
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl) throw notFound();
  return oauthProvider(mcpUrl).fetch(c.req.raw, c.env, c.executionCtx as ExecutionContext);
}

/**
 * A client whose metadata would be fetched must name a grant that exists: a stranger cannot choose what we ask for.
 * Answers the refusal. Throws 429.
 */
async function refuseFetch(c: Context<AppEnv>, form: FormData): Promise<Response | undefined> {
  if (!namesAddress(form, c.req.header("Authorization") ?? null)) return undefined;
  const grant = grantIn(form);
  if (!grant || (await c.env.OAUTH_KV.get(grant)) === null) {
    return oauthError("invalid_grant", "No such code or token");
  }
  await takeAttempt(c.env, "RATE_LIMIT_CLIENT_METADATA", grant);
  return undefined;
}

/** Tokens and their revocation. A code is traded in its own object, so that it is traded once. */
async function answerToken(c: Context<AppEnv>): Promise<Response> {
  const form = await formOf(c.req.raw);
  const code = form?.get("code");
  if (!form || !mcpUrlOf(c.env.MCP_URL, new URL(c.req.url))) return answer(c);
  const refusal = await refuseFetch(c, form);
  if (refusal) return refusal;
  if (typeof code !== "string" || !grantIn(form)) return answer(c);
  return c.env.CODE_TRADES.getByName(await hashSecret(code)).fetch(c.req.raw);
}

/** Where no address can be believed, what a client says of itself tells it from others. */
async function answerRegistration(c: Context<AppEnv>): Promise<Response> {
  await limitBySubject(c, "RATE_LIMIT_CLIENT_REGISTRATION", await c.req.raw.clone().text());
  return answer(c);
}

/** The OAuth 2.1 server's own endpoints: tokens and their revocation, and the registration of clients. */
export const oauthRoutes = createRouter()
  .post("/register", limitByAddress("RATE_LIMIT_CLIENT_REGISTRATION"), answerRegistration)
  .options("/register", answer)
  .on(["POST", "OPTIONS"], "/token", answerToken);

const READING = ["GET", "OPTIONS"];

/** Where clients find the two above (RFC 8414, RFC 9728). */
export const wellKnownRoutes = createRouter()
  .on(READING, "/oauth-authorization-server/*", answer)
  .on(READING, "/oauth-authorization-server", answer)
  .on(READING, "/oauth-protected-resource/*", answer)
  .on(READING, "/oauth-protected-resource", answer);
