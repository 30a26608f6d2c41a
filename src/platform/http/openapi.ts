import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { badRequest, ErrorBody, invalid } from "../core/errors.ts";
import { RequestQuery } from "../../contract/fields.ts";
import { problemsOf } from "../../contract/problems.ts";

const NoQuery = RequestQuery({});
const NoBody = z.strictObject({});

/** Middleware for operations without a body: refuses a body that has content instead of silently ignoring it. */
const refuseBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() !== "") {
    const sent: unknown = await c.req.json().then(
      (value) => value,
      () => "not JSON",
    );
    const { error } = NoBody.safeParse(sent);
    if (error) throw invalid(problemsOf(error));
  }
  await next();
};

/** Makes a route refuse any query or body that it does not declare. */
function strict(route: RouteConfig): RouteConfig {
  const takesBody = route.method === "get" || route.request?.body !== undefined;
  const middleware = [route.middleware ?? [], takesBody ? [] : refuseBody].flat();
  return { ...route, middleware, request: { query: NoQuery, ...route.request } };
}

/** A feature's router. Validation errors go to the root's `defaultHook`. */
export function createRouter() {
  const router = new OpenAPIHono<AppEnv>();
  const { openapi } = router;
  router.openapi = ((route: RouteConfig, ...handlers: [never]) =>
    openapi(strict(route) as never, ...handlers)) as typeof openapi;
  return router;
}

/** A JSON answer. */
export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

/**
 * The answers of a change: the changed resource, or 204 for a key that may write it but not read it.
 * `withholdUnread` decides which.
 */
export const changed = <Answer extends object>(answer: Answer) => ({
  200: answer,
  204: { description: "Done. The answer for a key that has the scope to write but not to read" },
});

/** A JSON request body. `required` makes the validator run even when Content-Type is missing. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { "application/json": { schema } },
});

/** A JSON request body that may be left out. `requireJson` must be in the route's middleware. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: false as const,
  content: { "application/json": { schema } },
});

/** Middleware: refuses a body that is not declared as JSON instead of ignoring it; an empty body is no body. */
export const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(c.req.header("Content-Type") ?? "");
  const isEmpty = (await c.req.text()) === "";
  if (!isJson && !isEmpty) throw badRequest("The Content-Type must be application/json");
  // Hono caches promises but types them as the values they resolve to.
  if (isJson && isEmpty) c.req.bodyCache.text = Promise.resolve("{}") as unknown as string;
  await next();
};

const ERROR_TEXTS = {
  400: "The request cannot be carried out as it is",
  401: "Missing or invalid token",
  403: "Valid token, no permission",
  404: "Not found or not owned by the caller",
  409: "Another request that this one depends on is still running",
  410: "The cursor is too old: start again without one",
  412: "The resource has changed since it was read",
  413: "The request body is larger than 1 MiB",
  422: "A field or parameter is missing, unknown or outside its range",
  429: "Too many requests; Retry-After says when to try again",
  500: "Server error",
  503: "Temporarily unavailable, for example while the service is updated; nothing was changed",
} as const;

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } },
} as const;

const ERROR_HEADERS: { [Status in ErrorStatus]?: object } = {
  401: {
    "WWW-Authenticate": {
      description: "The authentication scheme",
      schema: { type: "string", example: "Bearer" },
    },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

type ErrorStatus = keyof typeof ERROR_TEXTS;
type ErrorResponse = ReturnType<typeof json<typeof ErrorBody>>;

/**
 * Every operation refuses unknown parameters, and is unavailable while a database lacks a migration. An operation that
 * requires a token can also refuse a key without the scope, and too many requests.
 */
type Implied<Status> = 422 | 500 | 503 | (401 extends Status ? 403 | 429 : never);

/**
 * The error answers of a route. 422, 500 and 503 are always possible and are added here, as are 403 and 429 for a route
 * that requires a token.
 */
export function errors<Status extends ErrorStatus>(...statuses: Status[]) {
  const implied: ErrorStatus[] = statuses.includes(401 as Status)
    ? [403, 422, 429, 500, 503]
    : [422, 500, 503];
  const entries = [...new Set<ErrorStatus>([...statuses, ...implied])].map((status) => {
    const headers = ERROR_HEADERS[status];
    return [status, { ...json(ErrorBody, ERROR_TEXTS[status]), ...(headers && { headers }) }];
  });
  return Object.fromEntries(entries) as Record<Status | Implied<Status>, ErrorResponse>;
}

/** The errors common to all routes that take a JSON body. */
export const BODY_ERRORS = [400, 413, 422] as const;

export const SECURITY = [{ bearer: [] }];
