import type { Context } from "hono";
import { APP_PATHS } from "../../contract/paths.ts";
import { hasSessionCookie } from "../../features/auth/session-cookie.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";

// The destination after a sign-in. Only our own pages are allowed, so that a link to the form cannot redirect elsewhere.

const OWN_PAGES = new RegExp(`^/(authorize\\?.*|(docs|open/(doc|memory)/.+|${APP_PATHS})([?#].*)?)$`);

const ORIGIN = "https://commonplace.invalid";

/** Whether a path is in the form to which browsers normalize it, so that they cannot interpret it as another host. */
const isNormal = (to: string) =>
  to.startsWith("/") && URL.canParse(to, ORIGIN) && new URL(to, ORIGIN).href === ORIGIN + to;

export const readDestination = (to: string | undefined): string | undefined =>
  to && OWN_PAGES.test(to) && isNormal(to) ? to : undefined;

/** The sign-in form that continues to a page. `isExpired`: the session has expired. */
export const signInUrl = (to: string, isExpired = false): string =>
  `/sign-in?to=${encodeURIComponent(to)}${isExpired ? "&expired=1" : ""}`;

/** Redirects a browser without a session cookie to the sign-in; undefined for others. The app checks the session itself. */
export function redirectToSignIn(c: Context<AppEnv>): Response | undefined {
  if (c.req.method !== "GET" || c.req.header("Sec-Fetch-Mode") !== "navigate") return undefined;
  const { pathname, search } = new URL(c.req.url);
  const to = readDestination(`${pathname}${search}`);
  if (!to || hasSessionCookie(c)) return undefined;
  return c.redirect(signInUrl(to), 303);
}
