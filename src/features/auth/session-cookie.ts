import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type AccountLocation, withCurrentLocation } from "../../platform/core/account-location.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { isHttps, isOwnOrigin } from "../../platform/http/origin.ts";
import { baseCtxIn, findMigrationTarget, isShard } from "../../platform/shards/router.ts";
import {
  type CookieCredential,
  cookieValue,
  parseSessionCookie,
  relocateCookie,
  SESSION_SECONDS,
} from "./session.ts";
import { endCookieSession } from "./session-store.ts";

// The session cookie, and the protection against cross-site requests that it needs (RFC 10017 section 6.1).

const COOKIE_NAME = "commonplace";
const BASE_OPTIONS = { path: "/", httpOnly: true, sameSite: "Lax" } as const;

/** Over HTTPS the name has the prefix `__Host-`, so that no other host can set the cookie. */
const cookieOptions = (c: Context<AppEnv>) =>
  isHttps(c) ? ({ ...BASE_OPTIONS, prefix: "host", secure: true } as const) : BASE_OPTIONS;

const rawCookie = (c: Context<AppEnv>): string | undefined =>
  isHttps(c) ? getCookie(c, COOKIE_NAME, "host") : getCookie(c, COOKIE_NAME);

export const hasSessionCookie = (c: Context<AppEnv>): boolean => rawCookie(c) !== undefined;

/** The credential in the request's session cookie; undefined if the cookie is missing or malformed. */
export async function readSessionCookie(c: Context<AppEnv>): Promise<CookieCredential | undefined> {
  const value = rawCookie(c);
  const cookie = value === undefined ? undefined : await parseSessionCookie(value);
  return cookie && isShard(c.env, cookie.shard) ? withCurrentLocation(cookie) : undefined;
}

/** Whether the cookie names the account's current shard. */
export const isCookieCurrent = (c: Context<AppEnv>, place: AccountLocation): boolean => {
  const value = rawCookie(c) ?? "";
  return value === relocateCookie(value, place);
};

const writeCookie = (c: Context<AppEnv>, value: string): void =>
  setCookie(c, COOKIE_NAME, value, { ...cookieOptions(c), maxAge: SESSION_SECONDS });

type BrowserSession = AccountLocation & { secret: string };

export const setSessionCookie = (c: Context<AppEnv>, session: BrowserSession): void =>
  writeCookie(c, cookieValue(session));

/** Renews the browser's cookie for 30 days, with the account's current shard. */
export const renewSessionCookie = (c: Context<AppEnv>, place: AccountLocation): void =>
  writeCookie(c, relocateCookie(rawCookie(c) ?? "", place));

export function clearSessionCookie(c: Context<AppEnv>): void {
  if (hasSessionCookie(c)) deleteCookie(c, COOKIE_NAME, cookieOptions(c));
}

async function endSession(c: Context<AppEnv>): Promise<void> {
  let cookie = await readSessionCookie(c);
  while (cookie && !(await endCookieSession(baseCtxIn(c, cookie.shard), cookie))) {
    const place = await findMigrationTarget(c, cookie);
    cookie = place && { ...cookie, ...place };
  }
}

export async function signInBrowser(c: Context<AppEnv>, session: BrowserSession): Promise<void> {
  await endSession(c);
  setSessionCookie(c, session);
}

export async function signOutBrowser(c: Context<AppEnv>): Promise<void> {
  await endSession(c);
  clearSessionCookie(c);
}

/** The header in which a page of the app names its account. */
const ACCOUNT_HEADER = "X-Account";

/** The credential in the cookie, with the account of the page: another account may have signed in since it was opened. */
export async function readPageCookie(c: Context<AppEnv>): Promise<CookieCredential | undefined> {
  const cookie = await readSessionCookie(c);
  return cookie && { ...cookie, user_id: c.req.header(ACCOUNT_HEADER) };
}

/** A header that pages of other sites cannot send, because CORS does not allow them to. */
const PAGE_HEADER = "X-Requested-With";
const PAGE_HEADER_VALUE = "commonplace";

export const isFromApp = (c: Context<AppEnv>): boolean => c.req.header(PAGE_HEADER) === PAGE_HEADER_VALUE;

/** Whether one of our own pages sent the request, by Sec-Fetch-Site, or by Origin in older browsers. */
function isFromOwnPage(c: Context<AppEnv>): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  return site === undefined ? isOwnOrigin(c, c.req.header("Origin") ?? "") : site === "same-origin";
}

/** Throws 403 unless the request comes from one of our own pages. Required with the session cookie. */
export function requireOwnPage(c: Context<AppEnv>): void {
  const missing = [
    !isFromOwnPage(c) && "Sec-Fetch-Site: same-origin (or the Origin of this service)",
    !isFromApp(c) && `${PAGE_HEADER}: ${PAGE_HEADER_VALUE}`,
  ].filter(Boolean);
  if (missing.length > 0)
    throw forbidden(
      `A request with the session cookie must come from the app: send ${missing.join(" and ")}`,
    );
}
