import type { Context } from "hono";
import { hasSessionCookie } from "../../features/auth/session-cookie.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { readDestination, signInAddress } from "./destination.ts";

/**
 * The way to the sign-in for a browser that opens the app and brings no session; undefined for everybody else. Whether
 * the session is still valid is seen by the app's first request.
 */
export function toSignIn(c: Context<AppEnv>): Response | undefined {
  if (c.req.method !== "GET" || c.req.header("Sec-Fetch-Mode") !== "navigate") return undefined;
  const { pathname, search } = new URL(c.req.url);
  const to = readDestination(`${pathname}${search}`);
  if (!to || hasSessionCookie(c)) return undefined;
  return c.redirect(signInAddress(to), 303);
}
