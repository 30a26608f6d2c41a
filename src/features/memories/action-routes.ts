import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as schema from "../../contract/memory.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { etagOf } from "../../platform/http/etag.ts";
import {
  body,
  createRouter,
  errors,
  operation,
  optionalBody,
  requireJson,
} from "../../platform/http/openapi.ts";
import type { RulesOf } from "../../platform/http/rules.ts";
import { actOnMemory, supersedeMemory } from "./action-store.ts";
import { ACT, actionOf, steppedResponses, stepResponses } from "./headers.ts";

const tags = ["Memories"];

type Step = Parameters<typeof actOnMemory>[2];

type ActionContext = {
  in: object;
  out: { param: z.infer<typeof schema.MemoryParams>; header: z.infer<typeof schema.ActionHeaders> };
};

async function runAction(c: Context<AppEnv, string, ActionContext>, step: Step) {
  const writer = await actionOf(c, c.req.valid("header"), step.input);
  const { memory, successor } = await actOnMemory(c.var.ctx, c.req.valid("param").memory_id, step, writer);
  const next = successor && { Location: `/api/memories/${successor.id}` };
  return c.json(memory, 200, { ETag: etagOf(memory.version), ...next });
}

const SAME_STATE =
  "Repeating it changes nothing. If it is not possible in the record's state, the 400 says what is.";

const action = () => ({
  method: "post" as const,
  tags,
  responses: { ...stepResponses(), ...errors(409, 410) },
});

const actionWithBody = () => ({
  ...action(),
  rules: {
    access: "memory:write",
    daily: "limited",
    body: "1 MiB",
    adds: ["bytes"],
    changes: ["memory"],
  } satisfies RulesOf<"post">,
  middleware: requireJson,
});

const actionWithoutBody = () => ({
  ...action(),
  rules: {
    access: "memory:write",
    daily: "limited",
    body: "none",
    adds: "history",
    changes: ["memory"],
  } satisfies RulesOf<"post">,
  request: ACT,
});

/** Closes a record of a series, of which the next one is created with it. */
const closing = () => ({
  ...actionWithBody(),
  rules: { ...actionWithBody().rules, adds: ["records", "bytes"] } satisfies RulesOf<"post">,
  responses: { ...steppedResponses(), ...errors(409, 410) },
});

export const resolveMemoryRoute = operation({
  ...closing(),
  path: "/{memory_id}/resolve",
  operationId: "resolveMemory",
  summary: "Resolve a record that is done",
  description:
    "Of a record that repeats it creates the next one, which Location names: due on the first day of its rule after today, or " +
    `so long after this day with \`repeat_from: done\`. ${SAME_STATE}`,
  request: { ...ACT, body: optionalBody(schema.ResolveRequest) },
});

export const skipMemoryRoute = operation({
  ...closing(),
  path: "/{memory_id}/skip",
  operationId: "skipMemory",
  summary: "Skip a record that repeats, this time",
  description: `Archives it and creates the next one, which Location names. ${SAME_STATE}`,
  request: { ...ACT, body: optionalBody(schema.SkipRequest) },
});

export const deferMemoryRoute = operation({
  ...actionWithBody(),
  path: "/{memory_id}/defer",
  operationId: "deferMemory",
  summary: "Defer a record until a day, or until it is reopened",
  description: `${SAME_STATE} A deferred record can be given another day.`,
  request: { ...ACT, body: optionalBody(schema.DeferRequest) },
});

export const archiveMemoryRoute = operation({
  ...actionWithBody(),
  path: "/{memory_id}/archive",
  operationId: "archiveMemory",
  summary: "Archive a record that no longer matters",
  description: SAME_STATE,
  request: { ...ACT, body: optionalBody(schema.ArchiveRequest) },
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
  description: "Its staleness counts from now; `updated_at` and `version` change too.",
});

export const supersedeMemoryRoute = operation({
  method: "post",
  path: "/{memory_id}/supersede",
  operationId: "supersedeMemory",
  tags,
  summary: "Replace a record with a new one",
  description:
    "Archives this record and creates an active one that takes over every field that is not given, except for the due " +
    "date of a decision: that is the day by which it was to be made. Returns this record; superseded_by_id and Location " +
    "name the new one.",
  rules: {
    access: "memory:write",
    daily: "limited",
    body: "1 MiB",
    adds: ["records", "bytes"],
    changes: ["memory"],
  },
  request: { ...ACT, body: body(schema.SupersedeRequest) },
  responses: { ...stepResponses(), ...errors(409, 410) },
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
    const writer = await actionOf(c, c.req.valid("header"), input);
    const { old, successor } = await supersedeMemory(c.var.ctx, memory_id, input, writer);
    return c.json(old, 200, { ETag: etagOf(old.version), Location: `/api/memories/${successor.id}` });
  });
