import { z } from "@hono/zod-openapi";

/** The maximum length of an Idempotency-Key, in characters. */
export const MAX_KEY = 255;

export const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(MAX_KEY)
    .optional()
    .meta({
      description:
        "The same key and body get the same answer for 24 hours; a different body is refused. What the answer shows is read " +
        "again: 410 when it was erased since",
    }),
});
