import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { updateResponses } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/memory.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { body, createRouter, operation, optionalBody, requireJson } from "../../platform/http/openapi.ts";
import type { RulesForMethod } from "../../platform/http/rules.ts";
import { runMemoryAction, supersedeMemory } from "./action-store.ts";
import { ACTION_REQUEST, actionResponses, actionWriter, CREATING_RULES, withETag } from "./headers.ts";

const tags = ["Memories"];

type Step = Parameters<typeof runMemoryAction>[2];

type ActionContext = {
  in: object;
  out: { param: z.infer<typeof schema.MemoryParams>; header: z.infer<typeof schema.ActionHeaders> };
};

async function runAction(c: Context<AppEnv, string, ActionContext>, step: Step) {
  const { memory_id } = c.req.valid("param");
  const writer = await actionWriter(c, c.req.valid("header"), step.input);
  const { memory, successor } = await runMemoryAction(c.var.ctx, memory_id, step, writer);
  const next = successor && { Location: `/api/memories/${successor.id}` };
  return c.json(memory, 200, { ETag: etagOf(memory.version), ...next });
}

const SAME_STATE =
  "Repeating the request changes nothing. A 400 says which actions are possible in the record's state.";

const actionWithBody = <Input extends z.ZodType>(input: Input) => ({
  method: "post" as const,
  tags,
  rules: {
    access: "memory:write",
    daily: "limited",
    body: "1 MiB",
    adds: ["bytes"],
    changes: ["memory"],
  } satisfies RulesForMethod<"post">,
  middleware: requireJson,
  request: { ...ACTION_REQUEST, body: optionalBody(input) },
  responses: actionResponses(),
});

/** Closes a record. If it repeats, the next one of its series is created with it. */
const closing = <Input extends z.ZodType>(input: Input) => ({
  ...actionWithBody(input),
  rules: CREATING_RULES,
  responses: {
    ...actionResponses(),
    ...updateResponses({ ...withETag("The updated record"), headers: schema.NextMemoryHeaders }),
  },
});

const actionWithoutBody = () => ({
  method: "post" as const,
  tags,
  rules: {
    access: "memory:write",
    daily: "limited",
    body: "none",
    adds: "history",
    changes: ["memory"],
  } satisfies RulesForMethod<"post">,
  request: ACTION_REQUEST,
  responses: actionResponses(),
});

export const resolveMemoryRoute = operation({
  ...closing(schema.ResolveRequest),
  path: "/{memory_id}/resolve",
  operationId: "resolveMemory",
  summary: "Resolve a record that is done",
  description:
    "For a repeating record this also creates the next one, named in Location. It is due on the first day of the rule after " +
    `today, or, with \`repeat_from: done\`, one interval after the day it was resolved. ${SAME_STATE}`,
});

export const skipMemoryRoute = operation({
  ...closing(schema.SkipRequest),
  path: "/{memory_id}/skip",
  operationId: "skipMemory",
  summary: "Skip one occurrence of a repeating record",
  description: `Archives the record and creates the next one, named in Location. ${SAME_STATE}`,
});

export const deferMemoryRoute = operation({
  ...actionWithBody(schema.DeferRequest),
  path: "/{memory_id}/defer",
  operationId: "deferMemory",
  summary: "Defer a record until a day, or until it is reopened",
  description: `${SAME_STATE} A deferred record can be deferred to another day.`,
});

export const archiveMemoryRoute = operation({
  ...actionWithBody(schema.ArchiveRequest),
  path: "/{memory_id}/archive",
  operationId: "archiveMemory",
  summary: "Archive a record that no longer matters",
  description: SAME_STATE,
});

export const reopenMemoryRoute = operation({
  ...actionWithoutBody(),
  path: "/{memory_id}/reopen",
  operationId: "reopenMemory",
  summary: "Reopen a record",
  description: `Clears resolved_at and resolution_note. ${SAME_STATE}`,
});

export const confirmMemoryRoute = operation({
  ...actionWithoutBody(),
  path: "/{memory_id}/confirm",
  operationId: "confirmMemory",
  summary: "Confirm that an active record still holds",
  description: "Resets the record's staleness. `updated_at` and `version` change too.",
});

export const supersedeMemoryRoute = operation({
  method: "post",
  path: "/{memory_id}/supersede",
  operationId: "supersedeMemory",
  tags,
  summary: "Replace a record with a new one",
  description:
    "Archives this record and creates an active one that inherits every field that is not given. The due date of a decision " +
    "is not inherited: it is the day the decision had to be made by. Returns this record; superseded_by_id and Location " +
    "identify the new one.",
  rules: CREATING_RULES,
  request: { ...ACTION_REQUEST, body: body(schema.SupersedeRequest) },
  responses: actionResponses(),
});

export const actionRoutes = createRouter()
  .openapi(resolveMemoryRoute, (c) => runAction(c, { action: "resolve", input: c.req.valid("json") }))
  .openapi(skipMemoryRoute, (c) => runAction(c, { action: "skip", input: c.req.valid("json") }))
  .openapi(deferMemoryRoute, (c) => runAction(c, { action: "defer", input: c.req.valid("json") }))
  .openapi(archiveMemoryRoute, (c) => runAction(c, { action: "archive", input: c.req.valid("json") }))
  .openapi(reopenMemoryRoute, (c) => runAction(c, { action: "reopen" }))
  .openapi(confirmMemoryRoute, (c) => runAction(c, { action: "confirm" }))
  .openapi(supersedeMemoryRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    const input = c.req.valid("json");
    const writer = await actionWriter(c, c.req.valid("header"), input);
    const { old, successor } = await supersedeMemory(c.var.ctx, memory_id, input, writer);
    return c.json(old, 200, { ETag: etagOf(old.version), Location: `/api/memories/${successor.id}` });
  });
