import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { findUser } from "../auth/store.ts";
import { ACCESS_SECONDS, signingKeys, signWebToken, verifyWebToken, type WebClaims } from "../auth/token.ts";
import type { AppEnv, CtxUser } from "../core/ctx.ts";
import { AppError, forbidden } from "../core/errors.ts";
import { newSecret } from "../core/secret.ts";

// What a browser carries from page to page: who signed in, and the secret that proves a form to be ours.

const SIGNED_IN = "commonplace-user";
const FORM = "commonplace-form";
const COOKIE = { prefix: "host", path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

/** Who is signed in on the pages, and in which epoch of the account; undefined when nobody is. */
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

/** Lets this browser go from page to page as the user, for a quarter of an hour. */
export async function signInBrowser(c: Context<AppEnv>, claims: WebClaims): Promise<void> {
  const token = await signWebToken(await signingKeys(c.env), claims, c.var.base.now);
  setCookie(c, SIGNED_IN, token, { ...COOKIE, maxAge: ACCESS_SECONDS });
}

export function signOutBrowser(c: Context<AppEnv>): void {
  deleteCookie(c, SIGNED_IN, COOKIE);
}

/** The secret that a form of ours repeats; the browser is given it with the first page. */
export function formSecret(c: Context<AppEnv>): string {
  const known = getCookie(c, FORM, "host");
  if (known && /^[\w-]{43}$/.test(known)) return known;
  const secret = newSecret();
  setCookie(c, FORM, secret, COOKIE);
  return secret;
}

const OUT_OF_DATE = "This form is out of date, or cookies are off: go back, reload the page and try again";

/** Middleware: only a form that this browser was given by us may be sent, and only from our own pages. Throws 403. */
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
