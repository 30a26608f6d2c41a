import { createRoute, OpenAPIHono, type RouteConfig, type RouteHandler, z } from "@hono/zod-openapi";
import type { Hono, MiddlewareHandler } from "hono";
import { RequestQuery } from "../../contract/fields.ts";
import { describeProblems } from "../../contract/problems.ts";
import type { AppEnv } from "../core/ctx.ts";
import { badRequest, ErrorBody, unprocessable } from "../core/errors.ts";
import { type RulesForMethod, withRules } from "./rules.ts";

const NoQuery = RequestQuery({});
const NoBody = z.strictObject({});

/** Middleware for operations without a body: rejects a non-empty body instead of silently ignoring it. */
const refuseBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() !== "") {
    const sent: unknown = await c.req.json().catch(() => "not JSON");
    const { error } = NoBody.safeParse(sent);
    if (error) throw unprocessable(describeProblems(error));
  }
  await next();
};

export type Operation = RouteConfig &
  ({ method: "get"; rules: RulesForMethod<"get"> } | { method: Writing; rules: RulesForMethod<Writing> });
type Writing = "post" | "put" | "patch" | "delete";

export const operation = <Path extends string, Route extends Operation & { path: Path }>(route: Route) =>
  createRoute<Path, Route>(route);

/** `operation` for operations with the same tag. */
export const tagged =
  (tag: string) =>
  <Path extends string, Route extends Operation & { path: Path }>(route: Route) =>
    operation<Path, Route>({ tags: [tag], ...route });

function strict(route: Operation): Operation {
  const takesBody = route.method === "get" || route.rules.body !== "none";
  const middleware = [withRules(route.rules), route.middleware ?? [], takesBody ? [] : refuseBody].flat();
  return { ...route, middleware, request: { query: NoQuery, ...route.request } };
}

interface Router extends Hono<AppEnv> {
  openapi<Route extends Operation>(route: Route, handler: RouteHandler<Route, AppEnv>): Router;
}

/** A feature's router. Validation errors go to the root's `defaultHook`. */
export function createRouter(): Router {
  const router = new OpenAPIHono<AppEnv>();
  const { openapi } = router;
  const add = (route: Operation, handler: never) => openapi(strict(route), handler);
  return Object.assign(router, { openapi: add }) as unknown as Router;
}

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

/** A JSON request body. `required` makes the validator run even when Content-Type is missing. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { "application/json": { schema } },
});

/** An optional JSON request body. The route's middleware must include `requireJson`. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: false as const,
  content: { "application/json": { schema } },
});

/** Middleware: rejects a body that is not declared as JSON instead of ignoring it. An empty body counts as none. */
export const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(c.req.header("Content-Type") ?? "");
  const isEmpty = (await c.req.text()) === "";
  if (!isJson && !isEmpty) throw badRequest("The Content-Type must be application/json");
  // Hono caches promises but types them as the values they resolve to.
  if (isJson && isEmpty) c.req.bodyCache.text = Promise.resolve("{}") as unknown as string;
  await next();
};

const ERROR_TEXTS = {
  400: "The request is not valid in this state",
  401: "Missing or invalid token",
  403: "Valid token, no permission",
  404: "Not found or not owned by the caller",
  409: "Another request that this one depends on is still running",
  410: "The resource that the request refers to has been erased or has expired",
  412: "The resource has changed since it was read",
  413: "The request body is larger than 1 MiB (16 KiB for operations that need no sign-in), or the content is too large to store",
  416: "The requested range is outside the file; Content-Range has its length",
  422: "A field or parameter is missing, unknown or outside its range",
  429: "Too many requests; Retry-After has the seconds to wait",
  500: "Server error",
  501: "This service does not store files",
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

type Implied<Status> = 422 | 500 | 503 | (401 extends Status ? 403 | 429 : never);

/** The error responses of a route, including those that are always possible: 422, 500, 503, and 403 and 429 with a token. */
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

export const BODY_ERRORS = [400, 413, 422] as const;
