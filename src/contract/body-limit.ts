/** The bytes that a request body may have: of an operation for everybody, who may be nobody, and of all others. */
export const BODY_LIMITS = { "16 KiB": 16 * 1024, "1 MiB": 1024 * 1024 };

export type BodyLimit = keyof typeof BODY_LIMITS;

export const MAX_BODY_BYTES = BODY_LIMITS["1 MiB"];
