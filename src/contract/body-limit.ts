/** Maximum size of a request body. The smaller limit is for routes without authentication. */
export const BODY_LIMITS = { "16 KiB": 16 * 1024, "1 MiB": 1024 * 1024 };

export type BodyLimit = keyof typeof BODY_LIMITS;

export const MAX_BODY_BYTES = BODY_LIMITS["1 MiB"];
