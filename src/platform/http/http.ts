import type { Hook } from "@hono/zod-openapi";
import type { ErrorHandler, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { TrieRouter } from "hono/router/trie-router";
import { BODY_LIMIT, MAX_BODY_BYTES, takesAnySize } from "../../core/body-limit.ts";
import type { AppEnv } from "../core/ctx.ts";
import { AppError, invalid, methodNotAllowed, payloadTooLarge } from "../core/errors.ts";
import { problemsOf } from "../../contract/problems.ts";

// Middleware for every request, and the conversion of errors to answers.

const limitToMaximum = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw payloadTooLarge(BODY_LIMIT);
  },
});

/** Limits every body except the file of an import, which is streamed and has its own limit. */
export const limitBody: MiddlewareHandler<AppEnv> = (c, next) =>
  takesAnySize(c.req.path) ? next() : limitToMaximum(c, next);

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Security headers for every answer. Pages set their own Content-Security-Policy. */
export const secureHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const defaults = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": c.var.requestId,
  };
  for (const [name, value] of Object.entries(defaults)) if (!c.res.headers.has(name)) c.header(name, value);
  if (!LOOPBACK.test(new URL(c.req.url).hostname)) {
    c.header("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  }
};

/** Paths with their own rules for other origins: MCP and its OAuth server. */
const OWN_RULES = /^\/(mcp|oauth|authorize|sign-in|open|\.well-known)(\/|$)/;

/** Allows cross-origin requests from CORS_ORIGINS, without credentials. */
export const allowOrigins: MiddlewareHandler<AppEnv> = (c, next) => {
  if (OWN_RULES.test(c.req.path)) return next();
  const allowed = c.env.CORS_ORIGINS.split(",").map((origin) => origin.trim());
  const handler = cors({
    origin: (origin) => (allowed.includes(origin) ? origin : null),
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "If-Match",
      "If-None-Match",
      "Idempotency-Key",
      "X-Client-Name",
      "X-Source-Type",
      "X-D1-Bookmark",
    ],
    exposeHeaders: [
      "WWW-Authenticate",
      "Retry-After",
      "RateLimit",
      "RateLimit-Policy",
      "ETag",
      "Location",
      "X-D1-Bookmark",
      "X-Request-Id",
    ],
    maxAge: 600,
  });
  return handler(c, next);
};

/** The methods of each path of the app, ignoring middleware. */
function methodsOf(app: Hono<AppEnv>): TrieRouter<string> {
  const router = new TrieRouter<string>();
  for (const { method, path } of app.routes) {
    if (method === "ALL") continue;
    router.add("ALL", path, method);
    if (method === "GET") router.add("ALL", path, "HEAD");
  }
  return router;
}

/** Answers 405 with `Allow` when a known path does not support the method (RFC 9110 section 15.5.6). */
export function refuseOtherMethods(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  let known: TrieRouter<string> | undefined;
  return (c, next) => {
    known ??= methodsOf(app);
    const [matches] = known.match("ALL", c.req.path);
    const methods = new Set(matches.map(([method]) => method));
    if (methods.size > 0 && !methods.has(c.req.method)) throw methodNotAllowed([...methods]);
    return next();
  };
}

/** Marks every answer as depending on the request's origin, so that caches keep them apart. */
export const varyByOrigin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.header("Vary", "Origin");
};

/** Turns a validation failure into a 422 that names the fields. */
export const refuseInvalid: Hook<unknown, AppEnv, string, unknown> = (result) => {
  if (!result.success) throw invalid(problemsOf(result.error));
};

/** A library's error as a 400; the API has no 415. */
const toAppError = (error: HTTPException) =>
  new AppError(
    400,
    error.status === 415 ? "The Content-Type must be application/json" : "The request body is not valid JSON",
  );

/** Turns every error into `{"detail": "…"}`. An unexpected one is logged, and the answer reveals nothing about it. */
export const answerError: ErrorHandler<AppEnv> = (error, c) => {
  const known = error instanceof HTTPException ? toAppError(error) : error;
  if (known instanceof AppError) return c.json({ detail: known.message }, known.status, known.headers);
  console.error(JSON.stringify({ request_id: c.var.requestId, error: String(error), stack: error.stack }));
  return c.json({ detail: "Internal server error" }, 500);
};
