import { z } from "@hono/zod-openapi";

/** In characters. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(MAX_IDEMPOTENCY_KEY_LENGTH)
    .optional()
    .meta({
      description:
        "The same key and body get the same response for 24 hours; a different body is rejected. The resource in the " +
        "response is read again: 410 if it has been erased since",
    }),
});
