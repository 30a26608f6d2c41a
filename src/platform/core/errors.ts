import { z } from "@hono/zod-openapi";
import { CODE_BY_STATUS, type ErrorCode, type ErrorStatus } from "../../contract/error-codes.ts";

export const ErrorBody = z
  .strictObject({
    detail: z.string().meta({ description: "What is wrong and, if possible, what to do about it" }),
  })
  .meta({ id: "Error" });

/** An expected error whose message the caller sees as `detail`. Anything else thrown is a bug and a 500. */
export class AppError extends Error {
  readonly status: ErrorStatus;
  readonly headers: Record<string, string>;
  /** For programs; sent as `Error-Code`. */
  readonly code: ErrorCode;

  constructor(
    status: ErrorStatus,
    message: string,
    headers: Record<string, string> = {},
    code: ErrorCode = CODE_BY_STATUS[status],
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

export const hasCode = (problem: unknown, code: ErrorCode): problem is AppError =>
  problem instanceof AppError && problem.code === code;

export const badRequest = (message: string, code?: ErrorCode) => new AppError(400, message, {}, code);

/** 401 with the challenge that RFC 6750 section 3 requires. */
export const unauthorized = (message = "Missing or invalid token", code?: ErrorCode) =>
  new AppError(401, message, { "WWW-Authenticate": "Bearer" }, code);

export const forbidden = (message: string) => new AppError(403, message);

/** The same bytes for an id of another account, a deleted and a random one. `field`: the request's field with the id. */
export const notFound = (field?: string) =>
  field ? new AppError(404, `${field}: not found`) : new AppError(404, "Not found", {}, "not_found");

/** 405 with the methods that the path supports (RFC 9110 section 15.5.6). */
export const methodNotAllowed = (methods: string[]) =>
  new AppError(405, `This path supports only ${methods.join(", ")}`, { Allow: methods.join(", ") });

export const conflict = (message: string) => new AppError(409, message, { "Retry-After": "1" });

/** 410: the resource existed and is permanently gone (RFC 9110 section 15.5.11). */
export const permanentlyGone = (message: string) => new AppError(410, message);

export const preconditionFailed = () =>
  new AppError(412, "The resource has changed since you read it: read it again and repeat the change");

export const payloadTooLarge = (limit: string) =>
  new AppError(413, `The request body is larger than ${limit}`);

export const tooLarge = (message: string) => new AppError(413, message);

/** 416 with the length of the file (RFC 9110 section 15.5.17). */
export const notSatisfiable = (bytes: number) =>
  new AppError(416, `The requested range is outside the file, which has ${bytes} bytes`, {
    "Content-Range": `bytes */${bytes}`,
  });

export const filesNotConfigured = () =>
  new AppError(
    501,
    "This service does not store files. Its operator can add a bucket: see docs/deploying.md#files",
  );

/** 421: the request is for a host name or port that is not this service's (RFC 9110 section 15.5.20). */
export const misdirected = (message: string) => new AppError(421, message);

export const unprocessable = (message: string, code?: ErrorCode) => new AppError(422, message, {}, code);

/** 429 with `Retry-After` in whole seconds (RFC 6585 section 4). */
export const tooManyRequests = (retryAfterSeconds: number) =>
  new AppError(429, `Too many attempts: try again in ${retryAfterSeconds} seconds`, {
    "Retry-After": String(retryAfterSeconds),
  });

export const tooManyConcurrent = (what: string) =>
  new AppError(429, `${what}: send one after the other, and try again in a second`, { "Retry-After": "1" });

export const serviceUpdating = () =>
  new AppError(503, "The service is being updated, and nothing was changed: try again in a few minutes", {
    "Retry-After": "60",
  });

/** 503: nothing was changed, and the same request may succeed later. */
export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new AppError(503, message, { "Retry-After": String(retryAfterSeconds) });

export const diskFull = () =>
  new AppError(
    503,
    "The disk of the service is full, and nothing was changed: reading works, and changes will work again when the operator has freed space",
    { "Retry-After": "60" },
    "disk_full",
  );

export const storageDamaged = (what: string) =>
  new AppError(
    503,
    `${what} cannot be read or written, because its disk is failing or its file is damaged: tell the operator of the service`,
    { "Retry-After": "60" },
    "damaged",
  );

export const outcomeUnknown = (what = "The database") =>
  new AppError(
    503,
    `${what} did not answer, so it is unknown whether this was done: check before you send it again. With an Idempotency-Key it is never done twice`,
    { "Retry-After": "2" },
    "outcome_unknown",
  );

export class NotSentError extends AppError {}

export const accountMigrating = () =>
  new AppError(
    503,
    "Your account is being moved to another database: reading works, changes do not. Nothing was changed; try again in a minute",
    { "Retry-After": "60" },
  );
