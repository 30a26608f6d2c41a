// Codes by which programs tell errors apart. The texts of errors may change, the codes do not.

export const ERROR_CODES = {
  bad_request: "the request cannot be carried out in this form",
  resolved_too_early: "the resolution date of the record is before the day on which it happened",
  unauthorized: "the credentials are missing, invalid or expired",
  wrong_credentials: "the email or password is wrong",
  second_factor_required: "the code of the second factor is missing",
  wrong_code: "the code of the second factor is wrong",
  forbidden: "the caller is not allowed to do this",
  not_found: "the resource in the path does not exist or belongs to another account",
  reference_not_found: "a resource named in a field does not exist or belongs to another account",
  method_not_allowed: "the path does not support the method",
  timeout: "the request was not received in time",
  conflict: "another request that this one depends on is still running, or a name or value is already taken",
  gone: "the resource existed, but was erased or has expired",
  stale: "the resource has changed since it was read",
  too_large: "the body, or the value to be stored, is too large",
  misdirected: "the service does not answer for this host name",
  invalid: "a field or parameter is missing, unknown or out of range",
  day: "a field is not a valid day or time",
  secret:
    "the content looks like a password, a key or a card number, and was sent by an assistant or with Allow-Secret: false",
  wrong_digest: "the received bytes do not match the digest",
  incomplete: "parts of an upload are missing, or its body ended early",
  range_not_satisfiable: "the file contains none of the bytes in Range",
  no_files: "file storage is not configured",
  key_used: "the Idempotency-Key was already used with a different request body",
  too_many_requests: "try again after the time in Retry-After",
  internal: "an error of the service",
  unavailable: "nothing was changed: try again after the time in Retry-After",
  disk_full: "the disk of the service is full: nothing was changed, reading still works",
  damaged: "the service cannot read or write its database: its operator must take action",
  outcome_unknown: "the database did not answer: the change may or may not have been made",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export const CODE_BY_STATUS = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "reference_not_found",
  405: "method_not_allowed",
  408: "timeout",
  409: "conflict",
  410: "gone",
  412: "stale",
  413: "too_large",
  416: "range_not_satisfiable",
  421: "misdirected",
  422: "invalid",
  429: "too_many_requests",
  500: "internal",
  501: "no_files",
  503: "unavailable",
} as const satisfies Record<number, ErrorCode>;

/** Whether a retry may succeed: a timeout, a limit or an error of the service. 501 lasts: the service has no file storage. */
export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501);

export type ErrorStatus = keyof typeof CODE_BY_STATUS;
