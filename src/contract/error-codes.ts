// What programs decide by when a request is refused. A text may change, a code does not.

export const ERROR_CODES = {
  bad_request: "the request cannot be carried out as it is",
  resolved_too_early: "a record was to be resolved before it happened",
  unauthorized: "nobody is signed in, or no longer",
  wrong_credentials: "email or password is wrong",
  second_factor_required: "the code of the second factor is missing",
  wrong_code: "the code of the second factor is wrong",
  forbidden: "the caller may not do this",
  not_found: "what the path names does not exist or belongs to somebody else",
  reference_not_found: "the same of something that a field names",
  method_not_allowed: "the path does not support the method",
  timeout: "the request was not received in time",
  conflict: "another request that this one depends on is still running, or what it needs is taken",
  gone: "it was there once, and has been erased or has expired",
  stale: "it has changed since it was read",
  too_large: "the body, or what is to be stored, is too large",
  misdirected: "the service does not have this host name",
  invalid: "a field or parameter is missing, unknown or outside its range",
  day: "a field is not a day or a time",
  secret:
    "what was to be stored looks like a password, a key or a card number: an assistant sent it, or the request said Allow-Secret: false",
  wrong_digest: "the bytes that came are not those of the digest",
  incomplete: "parts of an upload are missing, or its body ended early",
  range_not_satisfiable: "the file has none of the bytes that Range asks for",
  no_files: "the service has no place for files",
  key_used: "the Idempotency-Key was used for another request body",
  too_many_requests: "try again when Retry-After says",
  internal: "an error of the service",
  unavailable: "nothing was changed: try again when Retry-After says",
  disk_full: "the disk of the service is full: nothing was changed, and what only reads works",
  damaged: "the service cannot read or write its database: its operator has to look",
  outcome_unknown: "the database did not answer: it is unknown whether something was changed",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export const CODE_OF_STATUS = {
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

export type ErrorStatus = keyof typeof CODE_OF_STATUS;
