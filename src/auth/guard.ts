import { and, eq, gt, isNull } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { type AppEnv, type BaseCtx, type Ctx, openDatabase, openSession } from "../core/ctx.ts";
import { unauthorized } from "../core/errors.ts";
import { sessions, users } from "../db/tables.ts";
import type { Env } from "../env.ts";
import { signingKeys, verifyAccessToken } from "./token.ts";

/** The token of an `Authorization: Bearer …` header (RFC 6750 section 2.1). Throws 401 without one. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/** Who a bearer token speaks for. Throws 401. The session is read from the primary, so that a logout anywhere ends it everywhere. */
export async function ctxOfToken(env: Env, base: BaseCtx, token: string): Promise<Ctx> {
  const claims = await verifyAccessToken(await signingKeys(env), token, base.now);
  const [user] = await openDatabase(openSession(env.DB))
    .select({
      id: users.id,
      number: users.number,
      email: users.email,
      name: users.name,
      role: users.role,
      timezone: users.timezone,
      stale_after_days: users.stale_after_days,
      created_at: users.created_at,
    })
    .from(sessions)
    .innerJoin(users, eq(users.number, sessions.owner))
    .where(
      and(
        eq(sessions.id, claims.sessionId),
        eq(users.id, claims.userId),
        isNull(sessions.revoked_at),
        gt(sessions.expires_at, base.now.toISOString()),
      ),
    );
  if (!user) throw unauthorized();
  return { ...base, user, sessionId: claims.sessionId };
}

/** Middleware of every private route: turns the token into a Ctx, or throws 401. */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  const token = bearerToken(c.req.header("Authorization"));
  c.set("ctx", await ctxOfToken(c.env, c.var.base, token));
  await next();
};
