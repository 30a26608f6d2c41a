/** Bytes that a request body may have. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const BODY_LIMIT = "1 MiB";
