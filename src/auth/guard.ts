import type { Context, MiddlewareHandler } from "hono";
import { isApiKey, keyCredential } from "../api-keys/store.ts";
import type { AppEnv, BaseCtx } from "../core/ctx.ts";
import { forbidden, unauthorized } from "../core/errors.ts";
import type { Access } from "../core/tool.ts";
import type { Env } from "../env.ts";
import { type Credential, openCtx, ownerOfUser } from "./caller-store.ts";
import { neededScopes } from "./scopes.ts";
import { signingKeys, verifyAccessToken } from "./token.ts";

/** The token of an `Authorization: Bearer …` header (RFC 6750 section 2.1). Throws 401 without one. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/**
 * What a bearer token shows: an access token whose signature holds, or an API key. Whether its session or the key still
 * lives is asked by the request's first call. Throws 401 for every other string.
 *
 * @param needs the scopes that a key must have
 */
export async function credentialOf(
  env: Env,
  base: BaseCtx,
  token: string,
  needs: readonly Access[],
): Promise<Credential> {
  if (isApiKey(token)) return keyCredential(base, token, needs);
  const { userId, sessionId, owner } = await verifyAccessToken(await signingKeys(env), token, base.now);
  return {
    kind: "session",
    owner: owner ?? (await ownerOfUser(base, userId)),
    user_id: userId,
    session_id: sessionId,
  };
}

const mayLag = (c: Context<AppEnv>) => c.req.header("X-D1-Bookmark") !== undefined && c.req.method === "GET";

/**
 * Middleware of every private route: turns the token into a Ctx, whose first call finds out whether the caller may come
 * in. A request that asked the database nothing is asked for here. Throws 401 or 403.
 */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  const needs = neededScopes(c.req.method, new URL(c.req.url));
  const token = bearerToken(c.req.header("Authorization"));
  const credential = await credentialOf(c.env, c.var.base, token, needs ?? []);
  const ctx = openCtx(c.var.base, c.var.session, credential, { mayLag: mayLag(c) });
  if (credential.kind === "key" && !needs) {
    await ctx.admit();
    throw forbidden("An API key cannot do this: sign in");
  }
  c.set("ctx", ctx);
  await next();
  await ctx.admit();
};
