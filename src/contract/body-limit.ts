/** The most bytes of a request body: the smaller limit is for what nobody has to be signed in for. */
export const BODY_LIMITS = { "16 KiB": 16 * 1024, "1 MiB": 1024 * 1024 };

export type BodyLimit = keyof typeof BODY_LIMITS;

export const MAX_BODY_BYTES = BODY_LIMITS["1 MiB"];
