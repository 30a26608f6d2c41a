import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./ctx.ts";
import { badRequest, ErrorBody } from "./errors.ts";

/** A feature's router. Errors of validation go to the root's `defaultHook`. */
export const createRouter = () => new OpenAPIHono<AppEnv>();

/** A JSON answer. */
export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
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

/** Middleware: a body that is not declared as JSON is refused, not overlooked. */
export const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(c.req.header("Content-Type") ?? "");
  if (!isJson && (await c.req.text()) !== "") throw badRequest("The Content-Type must be application/json");
  await next();
};

const ERROR_TEXTS = {
  400: "The request is not possible as it stands",
  401: "Missing or invalid token",
  403: "Valid token, no permission",
  404: "Not found or not owned by the caller",
  409: "Another request that this one depends on is still running",
  412: "The resource has changed since it was read",
  413: "The request body is larger than 1 MiB",
  422: "A field or parameter is missing or outside its range",
  429: "Too many requests; Retry-After says when to come back",
  500: "Server error",
  503: "Temporarily not possible; nothing was changed",
} as const;

const RETRY_AFTER = {
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } },
} as const;

const ERROR_HEADERS: { [Status in ErrorStatus]?: object } = {
  401: { "WWW-Authenticate": { description: "The scheme", schema: { type: "string", example: "Bearer" } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

type ErrorStatus = keyof typeof ERROR_TEXTS;
type ErrorResponse = ReturnType<typeof json<typeof ErrorBody>>;

/** Who needs a token can send one that is not enough, a key without the scope, and can ask too often. */
type Implied<Status> = 500 | (401 extends Status ? 403 | 429 : never);

/**
 * The error answers that a route can give. A 500 is always possible and is added here, and so are the 403 and
 * 429 of a route that asks for a token.
 */
export function errors<Status extends ErrorStatus>(...statuses: Status[]) {
  const implied: ErrorStatus[] = statuses.includes(401 as Status) ? [403, 429, 500] : [500];
  const entries = [...new Set<ErrorStatus>([...statuses, ...implied])].map((status) => {
    const headers = ERROR_HEADERS[status];
    return [status, { ...json(ErrorBody, ERROR_TEXTS[status]), ...(headers && { headers }) }];
  });
  return Object.fromEntries(entries) as Record<Status | Implied<Status>, ErrorResponse>;
}

/** The errors of every private route that takes a JSON body, beside its own. */
export const BODY_ERRORS = [400, 413, 422] as const;

export const SECURITY = [{ bearer: [] }];
