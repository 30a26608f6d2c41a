import type { Context } from "hono";
import { hasSessionCookie } from "../../features/auth/session-cookie.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { readDestination, signInUrl } from "./destination.ts";

/** Redirects a browser without a session cookie to the sign-in; undefined for others. The app checks the session itself. */
export function redirectToSignIn(c: Context<AppEnv>): Response | undefined {
  if (c.req.method !== "GET" || c.req.header("Sec-Fetch-Mode") !== "navigate") return undefined;
  const { pathname, search } = new URL(c.req.url);
  const to = readDestination(`${pathname}${search}`);
  if (!to || hasSessionCookie(c)) return undefined;
  return c.redirect(signInUrl(to), 303);
}
