import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { findUser } from "../auth/store.ts";
import { ACCESS_SECONDS, signingKeys, signWebToken, verifyWebToken, type WebClaims } from "../auth/token.ts";
import type { AppEnv, CtxUser } from "../core/ctx.ts";
import { AppError, forbidden } from "../core/errors.ts";
import { newSecret } from "../core/secret.ts";

// The cookies of a browser: who is signed in, and the secret that protects our forms from cross-site requests.

const SIGNED_IN = "commonplace-user";
const FORM = "commonplace-form";
const COOKIE = { prefix: "host", path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

/** The user signed in on the pages, with the account's epoch; undefined when nobody is. */
export async function userOfBrowser(c: Context<AppEnv>): Promise<(CtxUser & { epoch: number }) | undefined> {
  const token = getCookie(c, SIGNED_IN, "host");
  if (!token) return undefined;
  const claims = await verifyWebToken(await signingKeys(c.env), token, c.var.base.now).catch((problem) => {
    if (problem instanceof AppError) return undefined;
    throw problem;
  });
  const user = claims && (await findUser(c.var.base, claims));
  return user && { ...user, epoch: claims.epoch };
}

/** Signs this browser in as the user for 15 minutes. */
export async function signInBrowser(c: Context<AppEnv>, claims: WebClaims): Promise<void> {
  const token = await signWebToken(await signingKeys(c.env), claims, c.var.base.now);
  setCookie(c, SIGNED_IN, token, { ...COOKIE, maxAge: ACCESS_SECONDS });
}

export function signOutBrowser(c: Context<AppEnv>): void {
  deleteCookie(c, SIGNED_IN, COOKIE);
}

/** The secret that our forms must send back; a browser gets it with its first page. */
export function formSecret(c: Context<AppEnv>): string {
  const known = getCookie(c, FORM, "host");
  if (known && /^[\w-]{43}$/.test(known)) return known;
  const secret = newSecret();
  setCookie(c, FORM, secret, COOKIE);
  return secret;
}

const OUT_OF_DATE = "This form has expired, or cookies are disabled: go back, reload the page and try again";

/** Middleware that accepts only forms that we gave to this browser, sent from our own pages. Throws 403. */
export const onlyOwnForms: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.method === "POST") {
    const origin = c.req.header("Origin");
    const site = c.req.header("Sec-Fetch-Site");
    const foreign = (origin && origin !== new URL(c.req.url).origin) || (site && site !== "same-origin");
    const { form } = await c.req.parseBody();
    const secret = getCookie(c, FORM, "host");
    if (foreign || !secret || form !== secret) throw forbidden(OUT_OF_DATE);
  }
  await next();
};
