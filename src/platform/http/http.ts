import type { Hook } from "@hono/zod-openapi";
import type { ErrorHandler, Hono, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { TrieRouter } from "hono/router/trie-router";
import { formatChangeId } from "../../contract/change-id.ts";
import { CODE_BY_STATUS } from "../../contract/error-codes.ts";
import { describeProblems } from "../../contract/problems.ts";
import type { AppEnv } from "../core/ctx.ts";
import { AppError, methodNotAllowed, unprocessable } from "../core/errors.ts";
import { operationRules } from "./rules.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

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

export const allowOrigins: MiddlewareHandler<AppEnv> = (c, next) => {
  const allowed = c.env.CORS_ORIGINS.split(",").map((origin) => origin.trim());
  const handler = cors({
    origin: (origin) => (allowed.includes(origin) ? origin : null),
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "Allow-Secret",
      "Authorization",
      "Content-Disposition",
      "Content-Type",
      "Digest",
      "If-Match",
      "If-None-Match",
      "If-Range",
      "Idempotency-Key",
      "Range",
      "Repr-Digest",
      "X-Client-Name",
      "X-Sitting",
      "X-Source-Type",
      "X-D1-Bookmark",
      "Prefer",
    ],
    exposeHeaders: [
      "WWW-Authenticate",
      "Retry-After",
      "RateLimit",
      "RateLimit-Policy",
      "ETag",
      "Location",
      "Accept-Ranges",
      "Content-Disposition",
      "Content-Range",
      "Change-Id",
      "X-D1-Bookmark",
      "X-Request-Id",
      "Error-Code",
    ],
    maxAge: 600,
  });
  return handler(c, next);
};

function methodsOf(app: Hono<AppEnv>): TrieRouter<string> {
  const router = new TrieRouter<string>();
  for (const { method, path } of app.routes) {
    if (method === "ALL") continue;
    router.add("ALL", path, method);
    if (method === "GET") router.add("ALL", path, "HEAD");
  }
  return router;
}

/** Throws 405 with `Allow` if a known path does not support the method (RFC 9110 section 15.5.6). */
export function rejectUnsupportedMethods(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  let known: TrieRouter<string> | undefined;
  return (c, next) => {
    known ??= methodsOf(app);
    const [matches] = known.match("ALL", c.req.path);
    const methods = new Set(matches.map(([method]) => method));
    if (methods.size > 0 && !methods.has(c.req.method)) throw methodNotAllowed([...methods]);
    return next();
  };
}

export const varyByOrigin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (!/\borigin\b/i.test(c.res.headers.get("Vary") ?? "")) c.header("Vary", "Origin", { append: true });
};

/** Sends the id of what the request has changed as `Change-Id`. */
export const sendChangeId: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!operationRules(c)?.changes?.length) return next();
  // Operations for anyone create their context in the handler.
  if (c.var.ctx) c.var.ctx.changes = [];
  await next();
  const changes = c.var.ctx?.changes ?? [];
  // A job that continues after a 202 has only been done in part.
  const id = c.res.ok && c.res.status !== 202 ? formatChangeId(changes) : undefined;
  if (id !== undefined) c.header("Change-Id", id);
};

export const rejectInvalid: Hook<unknown, AppEnv, string, unknown> = (result) => {
  if (!result.success) throw unprocessable(describeProblems(result.error));
};

/** A library's error as a 400; the API has no 415. */
const toAppError = (error: HTTPException) =>
  new AppError(
    400,
    error.status === 415 ? "The Content-Type must be application/json" : "The request body is not valid JSON",
  );

/** The response of a Durable Object for an expected error. Rethrows any other. */
export function errorResponseOf(problem: unknown): Response {
  if (!(problem instanceof AppError)) throw problem;
  const { message, status, headers, code } = problem;
  return Response.json({ detail: message }, { status, headers: { ...headers, "Error-Code": code } });
}

/** Turns every error into `{"detail": "…"}`. An unexpected one is logged, and the response reveals nothing about it. */
export const answerError: ErrorHandler<AppEnv> = (error, c) => {
  const known = error instanceof HTTPException ? toAppError(error) : error;
  if (known instanceof AppError) {
    const { message, status, headers, code } = known;
    return c.json({ detail: message }, status, { ...headers, "Error-Code": code });
  }
  console.error(JSON.stringify({ request_id: c.var.requestId, error: String(error), stack: error.stack }));
  return c.json({ detail: "Internal server error" }, 500, { "Error-Code": CODE_BY_STATUS[500] });
};
