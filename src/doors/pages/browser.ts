import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { readSessionCookie } from "../../features/auth/session-cookie.ts";
import { type CookieUser, findCookieUser } from "../../features/auth/session-store.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { newSecret } from "../../platform/core/secret.ts";
import { isHttps, isOwnOrigin } from "../../platform/http/origin.ts";
import { enterShard, findMigrationTarget } from "../../platform/shards/router.ts";

const FORM = "commonplace-form";
const OPTIONS = { path: "/", httpOnly: true, sameSite: "Lax" } as const;

/** The user of the browser's session; undefined if none is signed in. The request then uses the user's shard. */
export async function readBrowserUser(c: Context<AppEnv>): Promise<CookieUser | undefined> {
  let cookie = await readSessionCookie(c);
  while (cookie) {
    enterShard(c, cookie.shard);
    const user = await findCookieUser(c.var.base, cookie);
    if (user) return user;
    const newLocation = await findMigrationTarget(c, cookie);
    cookie = newLocation && { ...cookie, ...newLocation };
  }
  return undefined;
}

const cookieSecret = (c: Context<AppEnv>) => (isHttps(c) ? getCookie(c, FORM, "host") : getCookie(c, FORM));

/** The secret that forms must send back. The browser gets it in a cookie with its first page. */
export function formSecret(c: Context<AppEnv>): string {
  const known = cookieSecret(c);
  if (known && /^[\w-]{43}$/.test(known)) return known;
  const secret = newSecret();
  setCookie(c, FORM, secret, isHttps(c) ? { ...OPTIONS, prefix: "host", secure: true } : OPTIONS);
  return secret;
}

const OUT_OF_DATE = "This form has expired, or cookies are disabled: try again";

/** Middleware: accepts only forms of our own pages that were rendered for this browser. Throws 403. */
export const requireOwnForms: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.method === "POST") {
    const origin = c.req.header("Origin");
    const site = c.req.header("Sec-Fetch-Site");
    const foreign = (origin && !isOwnOrigin(c, origin)) || (site && site !== "same-origin");
    const { form } = await c.req.parseBody();
    const secret = cookieSecret(c);
    if (foreign || !secret || form !== secret) throw forbidden(OUT_OF_DATE);
  }
  await next();
};
