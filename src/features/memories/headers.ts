import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { changed } from "../../contract/ledger.ts";
import * as schema from "../../contract/memory.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { BODY_ERRORS, errors, json } from "../../platform/http/openapi.ts";
import { idempotencyOf } from "../../platform/idempotency/store.ts";
import type { Writer } from "./row-store.ts";

export const withETag = (description: string) => ({
  ...json(schema.Memory, description),
  headers: schema.ETagHeader,
});

export const writerOf = (headers: z.infer<typeof schema.ChangeHeaders>): Writer => ({
  source_type: headers["x-source-type"] ?? "api",
  ifMatch: headers["if-match"],
});

export async function actionOf(
  c: Context<AppEnv>,
  headers: z.infer<typeof schema.ActionHeaders>,
  input?: unknown,
): Promise<Writer> {
  const key = headers["idempotency-key"];
  const once = key ? await idempotencyOf(`POST ${c.req.path}`, key, input ?? null) : undefined;
  return { ...writerOf(headers), once };
}

export const ONE = { params: schema.MemoryParams, headers: schema.ChangeHeaders };

export const ACT = { params: schema.MemoryParams, headers: schema.ActionHeaders };

export const steppedResponses = () => ({
  ...stepResponses(),
  ...changed({ ...withETag("The updated record"), headers: schema.SteppedHeaders }),
});

export const stepResponses = () => ({
  ...changed(withETag("The updated record")),
  ...errors(...BODY_ERRORS, 401, 404, 412, 503),
});
