import { and, eq, gt, isNull } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { type AppEnv, type Ctx, openDatabase, openSession } from "../core/ctx.ts";
import { unauthorized } from "../core/errors.ts";
import { sessions, users } from "../db/tables.ts";
import { signingKeys, verifyAccessToken } from "./token.ts";

/** The token of an `Authorization: Bearer …` header (RFC 6750 section 2.1). Throws 401 without one. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/**
 * Middleware of every private route: turns the access token into a Ctx, or throws 401. The session is read
 * from the primary, so that a logout anywhere ends it everywhere at once.
 */
export const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
  const token = bearerToken(c.req.header("Authorization"));
  const base = c.var.base;
  const claims = await verifyAccessToken(await signingKeys(c.env), token, base.now);
  const [user] = await openDatabase(openSession(c.env.DB))
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
  const ctx: Ctx = { ...base, user, sessionId: claims.sessionId };
  c.set("ctx", ctx);
  await next();
};
