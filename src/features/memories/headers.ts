import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { updateResponses } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/memory.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { BODY_ERRORS, errors, json } from "../../platform/http/openapi.ts";
import type { RulesForMethod } from "../../platform/http/rules.ts";
import { idempotencyOf } from "../../platform/idempotency/answer-once.ts";
import type { MemoryWriter } from "./row-store.ts";

export const withETag = (description: string) => ({
  ...json(schema.Memory, description),
  headers: schema.ETagHeader,
});

export const writerFromHeaders = (headers: z.infer<typeof schema.ChangeHeaders>): MemoryWriter => ({
  source_type: headers["x-source-type"] ?? "api",
  ifMatch: headers["if-match"],
});

export async function actionWriter(
  c: Context<AppEnv>,
  headers: z.infer<typeof schema.ActionHeaders>,
  input?: unknown,
): Promise<MemoryWriter> {
  return { ...writerFromHeaders(headers), once: await idempotencyOf(c, input) };
}

export const CHANGE_REQUEST = { params: schema.MemoryParams, headers: schema.ChangeHeaders };

export const ACTION_REQUEST = { params: schema.MemoryParams, headers: schema.ActionHeaders };

/** The rules of operations that also create a record. */
export const CREATING_RULES = {
  access: "memory:write",
  daily: "limited",
  body: "1 MiB",
  adds: ["records", "bytes"],
  changes: ["memory"],
} satisfies RulesForMethod<"post">;

export const actionResponses = () => ({ ...changeResponses(), ...errors(409, 410) });

export const changeResponses = () => ({
  ...updateResponses(withETag("The updated record")),
  ...errors(...BODY_ERRORS, 401, 404, 412, 503),
});
