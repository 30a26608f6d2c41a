import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ActionHeaders, ChangeHeaders } from "../../contract/document.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { idempotencyOf } from "../../platform/idempotency/answer-once.ts";
import type { DocumentWriter } from "./statement-store.ts";

export const writerFromHeaders = (headers: z.infer<typeof ChangeHeaders>): DocumentWriter => ({
  source_type: headers["x-source-type"] ?? "api",
  client_name: headers["x-client-name"],
  ifMatch: headers["if-match"],
});

/** The writer of a request that may have an Idempotency-Key. `input`: its body. */
export async function actionWriter(
  c: Context<AppEnv>,
  headers: z.infer<typeof ActionHeaders>,
  input: unknown,
): Promise<DocumentWriter> {
  return { ...writerFromHeaders(headers), once: await idempotencyOf(c, input) };
}
