import type { Context } from "hono";
import { withSteadyKv } from "../../platform/bindings/kv.ts";
import { askObject } from "../../platform/bindings/objects.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { limitByAddress, limitBySubject, takeAttempt } from "../../platform/rate-limit/limit.ts";
import { mcpUrlOf } from "./address.ts";
import { askProvider } from "./provider.ts";
import { formOf, grantIn, namesAddress, oauthError } from "./token-request.ts";

async function answer(c: Context<AppEnv>): Promise<Response> {
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl) throw notFound();
  return askProvider(mcpUrl, c.req.raw, { env: c.env, context: c.executionCtx as ExecutionContext });
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

/** Issues and revokes tokens. A code is exchanged in a Durable Object of its own, so that it works only once. */
async function answerToken(c: Context<AppEnv>): Promise<Response> {
  const form = await formOf(c.req.raw);
  const code = form?.get("code");
  if (!form || !mcpUrlOf(c.env.MCP_URL, new URL(c.req.url))) return answer(c);
  const refusal = await refuseFetch(c, form);
  if (refusal) return refusal;
  if (typeof code !== "string" || !grantIn(form)) return answer(c);
  const name = await hashSecret(code);
  return askObject("any", () => c.env.CODE_TRADES.getByName(name).fetch(c.req.raw));
}

/** Where client addresses are not trusted, clients are told apart by the metadata they register. */
async function answerRegistration(c: Context<AppEnv>): Promise<Response> {
  await limitBySubject(c, "RATE_LIMIT_CLIENT_REGISTRATION", await c.req.raw.clone().text());
  return answer(c);
}

export const oauthRoutes = createRouter()
  .post("/register", limitByAddress("RATE_LIMIT_CLIENT_REGISTRATION"), answerRegistration)
  .options("/register", answer)
  .on(["POST", "OPTIONS"], "/token", answerToken);

const READING = ["GET", "OPTIONS"];

/** The metadata by which clients find these endpoints (RFC 8414, RFC 9728). */
export const wellKnownRoutes = createRouter()
  .on(READING, "/oauth-authorization-server/*", answer)
  .on(READING, "/oauth-authorization-server", answer)
  .on(READING, "/oauth-protected-resource/*", answer)
  .on(READING, "/oauth-protected-resource", answer);
