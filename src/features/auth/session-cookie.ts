import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { followed, type Place } from "../../platform/core/moved.ts";
import { baseIn, isHome, movedFrom } from "../../platform/homes/router.ts";
import { isHttps, isOwnOrigin } from "../../platform/http/origin.ts";
import {
  type CookieCredential,
  cookieCredential,
  cookieIn,
  cookieValue,
  SESSION_SECONDS,
} from "./session.ts";
import { endCookieSession } from "./session-store.ts";

// The rules against cross-site requests that make a cookie safe to accept (RFC 10017 section 6.1).

const NAME = "commonplace";
const OPTIONS = { path: "/", httpOnly: true, sameSite: "Lax" } as const;

/** Over HTTPS the name begins with `__Host-`, so that no other host can set the cookie. */
const optionsOf = (c: Context<AppEnv>) =>
  isHttps(c) ? ({ ...OPTIONS, prefix: "host", secure: true } as const) : OPTIONS;

const shownCookie = (c: Context<AppEnv>): string | undefined =>
  isHttps(c) ? getCookie(c, NAME, "host") : getCookie(c, NAME);

export const hasSessionCookie = (c: Context<AppEnv>): boolean => shownCookie(c) !== undefined;

/** The credential in the request's session cookie; undefined without a cookie, or for a malformed one. */
export async function cookieOf(c: Context<AppEnv>): Promise<CookieCredential | undefined> {
  const value = shownCookie(c);
  const cookie = value === undefined ? undefined : await cookieCredential(value);
  return cookie && isHome(c.env, cookie.home) ? followed(cookie) : undefined;
}

export const cookieNames = (c: Context<AppEnv>, place: Place): boolean => {
  const value = shownCookie(c) ?? "";
  return value === cookieIn(value, place);
};

type OfBrowser = { home: number; owner: number; secret: string };

export function setSessionCookie(c: Context<AppEnv>, session: OfBrowser): void {
  setCookie(c, NAME, cookieValue(session), { ...optionsOf(c), maxAge: SESSION_SECONDS });
}

/** Gives the browser the cookie that it has shown for another 30 days, with the place where its account is. */
export function renewSessionCookie(c: Context<AppEnv>, place: Place): void {
  setCookie(c, NAME, cookieIn(shownCookie(c) ?? "", place), { ...optionsOf(c), maxAge: SESSION_SECONDS });
}

export function clearSessionCookie(c: Context<AppEnv>): void {
  if (hasSessionCookie(c)) deleteCookie(c, NAME, optionsOf(c));
}

async function endSession(c: Context<AppEnv>): Promise<void> {
  let cookie = await cookieOf(c);
  while (cookie && !(await endCookieSession(baseIn(c, cookie.home), cookie))) {
    const place = await movedFrom(c, cookie);
    cookie = place && { ...cookie, ...place };
  }
}

export async function signInBrowser(c: Context<AppEnv>, session: OfBrowser): Promise<void> {
  await endSession(c);
  setSessionCookie(c, session);
}

export async function signOutBrowser(c: Context<AppEnv>): Promise<void> {
  await endSession(c);
  clearSessionCookie(c);
}

/** The header in which a page of the app names the account that it works for. */
const ACCOUNT_HEADER = "X-Account";

/** The credential in the cookie, unless somebody else has signed in to the browser since the page was opened. */
export async function cookieOfPage(c: Context<AppEnv>): Promise<CookieCredential | undefined> {
  const cookie = await cookieOf(c);
  return cookie && { ...cookie, user_id: c.req.header(ACCOUNT_HEADER) };
}

/** The header that a page of another site cannot send without being allowed to by CORS. */
const PAGE_HEADER = "X-Requested-With";
const PAGE = "commonplace";

export const isFromApp = (c: Context<AppEnv>): boolean => c.req.header(PAGE_HEADER) === PAGE;

/** Whether one of our own pages sent the request: browsers say so in Sec-Fetch-Site, older ones only in Origin. */
function isFromOwnPage(c: Context<AppEnv>): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  return site === undefined ? isOwnOrigin(c, c.req.header("Origin") ?? "") : site === "same-origin";
}

/** Throws 403 unless the request comes from one of our own pages, as requests with the session cookie must. */
export function requireOwnPage(c: Context<AppEnv>): void {
  const missing = [
    !isFromOwnPage(c) && "Sec-Fetch-Site: same-origin (or the Origin of this service)",
    !isFromApp(c) && `${PAGE_HEADER}: ${PAGE}`,
  ].filter(Boolean);
  if (missing.length > 0)
    throw forbidden(
      `A request with the session cookie must come from the app: send ${missing.join(" and ")}`,
    );
}
