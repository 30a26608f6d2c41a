import { z } from "@hono/zod-openapi";

/** Characters that an Idempotency-Key may have. */
export const MAX_KEY = 255;

/** The header of every POST that may be repeated. */
export const IdempotencyHeaders = z.object({
  "idempotency-key": z.string().min(1).max(MAX_KEY).optional().meta({
    description: "The same key and body give the same answer for 24 hours; another body is refused",
  }),
});
