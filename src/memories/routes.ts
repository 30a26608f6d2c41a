import { createRoute, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../platform/core/ctx.ts";
import { etagOf, isUnchanged } from "../platform/http/etag.ts";
import {
  BODY_ERRORS,
  body,
  changed,
  createRouter,
  errors,
  json,
  optionalBody,
  requireJson,
  SECURITY,
} from "../platform/http/openapi.ts";
import { DocumentDeleteQuery as DeleteQuery, ReadQuery } from "../contract/document.ts";
import { answerOnce } from "../platform/idempotency/answer-once.ts";
import { idempotencyOf } from "../idempotency/store.ts";
import { MemoryBulkAnswer, MemoryBulkRequest } from "../contract/memory-bulk.ts";
import { changeMemories } from "../features/memories/bulk-store.ts";
import { actOnMemory, supersedeMemory, updateMemory } from "./change-store.ts";
import { MemoryEventList, MemoryEventListQuery } from "../contract/memory-event.ts";
import { listMemoryEvents } from "../features/memories/event-store.ts";
import { listMemories } from "../features/memories/list-store.ts";
import type { Writer } from "../features/memories/row-store.ts";
import * as schema from "../contract/memory.ts";
import { createMemory, getMemory } from "../features/memories/store.ts";
import { deleteMemory, restoreMemory } from "../features/memories/trash-store.ts";
import * as versionSchema from "../contract/memory-version.ts";
import * as versions from "../features/memories/versions-store.ts";

const tags = ["Memories"];

const withETag = (description: string) => ({
  ...json(schema.Memory, description),
  headers: schema.ETagHeader,
});

/** Who writes and which version they have read, from the headers of a request. */
const writerOf = (headers: z.infer<typeof schema.ChangeHeaders>): Writer => ({
  source_type: headers["x-source-type"] ?? "api",
  ifMatch: headers["if-match"],
});

/** The same for a POST, which may have an idempotency key. */
async function actionOf(
  c: Context<AppEnv>,
  headers: z.infer<typeof schema.ActionHeaders>,
  input?: unknown,
): Promise<Writer> {
  const key = headers["idempotency-key"];
  const once = key ? await idempotencyOf(`POST ${c.req.path}`, key, input ?? null) : undefined;
  return { ...writerOf(headers), once };
}

type Step = Parameters<typeof actOnMemory>[2];
type Acted = {
  in: object;
  out: { param: z.infer<typeof schema.MemoryParams>; header: z.infer<typeof schema.ActionHeaders> };
};

/** Carries out an action on a record. */
async function takeStep(c: Context<AppEnv, string, Acted>, step: Step) {
  const writer = await actionOf(c, c.req.valid("header"), step.input);
  const memory = await actOnMemory(c.var.ctx, c.req.valid("param").memory_id, step, writer);
  return c.json(memory, 200, { ETag: etagOf(memory.version) });
}

const ONE = { params: schema.MemoryParams, headers: schema.ChangeHeaders };
const ACT = { params: schema.MemoryParams, headers: schema.ActionHeaders };

/** The responses of every action, in a new object for each route. */
const stepResponses = () => ({
  ...changed(withETag("The record as it is now")),
  ...errors(...BODY_ERRORS, 401, 404, 412, 503),
});

const SAME_STATE =
  "Repeating it changes nothing. If it is not possible in the record's state, the 400 says what is.";

export const createMemoryRoute = createRoute({
  method: "post",
  path: "/",
  operationId: "createMemory",
  tags,
  summary: "Create a record",
  description: "It is active until it is resolved, deferred or archived.",
  security: SECURITY,
  request: { headers: schema.CreateHeaders, body: body(schema.MemoryCreateRequest) },
  responses: {
    201: { ...withETag("The new record"), headers: schema.CreatedHeaders },
    ...errors(...BODY_ERRORS, 401, 404, 409),
  },
});

export const listMemoriesRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listMemories",
  tags,
  summary: "List records",
  description: "All filters must hold. A deferred record whose day has come is active.",
  security: SECURITY,
  request: { query: schema.MemoryListQuery },
  responses: { 200: json(schema.MemoryList, "A page of records"), ...errors(401, 404, 422) },
});

export const changeMemoriesRoute = createRoute({
  method: "post",
  path: "/bulk",
  operationId: "changeMemories",
  tags,
  summary: "Change many records",
  description: "Up to 100 operations, carried out in order; a refused one does not stop the others.",
  security: SECURITY,
  middleware: [answerOnce] as const,
  request: { headers: schema.CreateHeaders, body: body(MemoryBulkRequest) },
  responses: {
    200: json(MemoryBulkAnswer, "What became of each"),
    ...errors(...BODY_ERRORS, 401, 409),
  },
});

export const getMemoryRoute = createRoute({
  method: "get",
  path: "/{memory_id}",
  operationId: "getMemory",
  tags,
  summary: "Read a record",
  description:
    "The whole record. With If-None-Match, 304 if it has not changed. One in the trash is not found, unless " +
    "`trashed=true` asks for it.",
  security: SECURITY,
  request: { params: schema.MemoryParams, query: ReadQuery, headers: schema.ReadHeaders },
  responses: {
    200: { ...json(schema.ReadMemory, "The record"), headers: schema.ETagHeader },
    304: { description: "Not changed since the version in If-None-Match", headers: schema.ETagHeader },
    ...errors(401, 404, 422),
  },
});

export const updateMemoryRoute = createRoute({
  method: "patch",
  path: "/{memory_id}",
  operationId: "updateMemory",
  tags,
  summary: "Change the fields of a record",
  description: "Only the given fields are changed; null clears one. The status has its own endpoints.",
  security: SECURITY,
  request: { ...ONE, body: body(schema.MemoryUpdateRequest) },
  responses: stepResponses(),
});

export const deleteMemoryRoute = createRoute({
  method: "delete",
  path: "/{memory_id}",
  operationId: "deleteMemory",
  tags,
  summary: "Delete a record",
  description:
    "Moves it to the trash for 30 days, as if it had never been: no list and no statistic counts it. With " +
    "`permanent=true` it is erased at once, with its events. What only no longer matters is better archived.",
  security: SECURITY,
  request: { ...ONE, query: DeleteQuery },
  responses: { 204: { description: "Deleted" }, ...errors(401, 404, 412, 422) },
});

export const restoreMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/restore",
  operationId: "restoreMemory",
  tags,
  summary: "Restore a record from the trash",
  description: "It comes back as it was, with its status and dates. Repeating it changes nothing.",
  security: SECURITY,
  request: ACT,
  responses: { ...stepResponses(), ...errors(409) },
});

export const resolveMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/resolve",
  operationId: "resolveMemory",
  tags,
  summary: "Resolve a record that is done",
  description: SAME_STATE,
  security: SECURITY,
  middleware: [requireJson] as const,
  request: { ...ACT, body: optionalBody(schema.ResolveRequest) },
  responses: { ...stepResponses(), ...errors(409) },
});

export const deferMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/defer",
  operationId: "deferMemory",
  tags,
  summary: "Defer a record until a day, or until it is reopened",
  description: `${SAME_STATE} A deferred record can be given another day.`,
  security: SECURITY,
  middleware: [requireJson] as const,
  request: { ...ACT, body: optionalBody(schema.DeferRequest) },
  responses: { ...stepResponses(), ...errors(409) },
});

export const archiveMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/archive",
  operationId: "archiveMemory",
  tags,
  summary: "Archive a record that no longer matters",
  description: SAME_STATE,
  security: SECURITY,
  middleware: [requireJson] as const,
  request: { ...ACT, body: optionalBody(schema.ArchiveRequest) },
  responses: { ...stepResponses(), ...errors(409) },
});

export const reopenMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/reopen",
  operationId: "reopenMemory",
  tags,
  summary: "Reopen a record",
  description: `Clears resolved_at and resolution_note. ${SAME_STATE}`,
  security: SECURITY,
  request: ACT,
  responses: { ...stepResponses(), ...errors(409) },
});

export const confirmMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/confirm",
  operationId: "confirmMemory",
  tags,
  summary: "Confirm that an active record still holds",
  description: "Its staleness counts from now; `updated_at` and `version` change too.",
  security: SECURITY,
  request: ACT,
  responses: { ...stepResponses(), ...errors(409) },
});

export const supersedeMemoryRoute = createRoute({
  method: "post",
  path: "/{memory_id}/supersede",
  operationId: "supersedeMemory",
  tags,
  summary: "Replace a record with a new one",
  description:
    "Archives this record and creates an active one that takes over every field that is not given, except for the due " +
    "date of a decision: that is the day by which it was to be made. Returns this record; superseded_by_id and Location " +
    "name the new one.",
  security: SECURITY,
  request: { ...ACT, body: body(schema.SupersedeRequest) },
  responses: { ...stepResponses(), ...errors(409) },
});

export const listMemoryEventsRoute = createRoute({
  method: "get",
  path: "/{memory_id}/events",
  operationId: "listMemoryEvents",
  tags,
  summary: "List the events of a record",
  description: "Oldest first.",
  security: SECURITY,
  request: { params: schema.MemoryParams, query: MemoryEventListQuery },
  responses: { 200: json(MemoryEventList, "A page of events"), ...errors(401, 404, 422) },
});

export const listMemoryVersionsRoute = createRoute({
  method: "get",
  path: "/{memory_id}/versions",
  operationId: "listMemoryVersions",
  tags,
  summary: "List the previous versions of a record",
  description: "The last 50 versions before the current one, newest first, without their content.",
  security: SECURITY,
  request: { params: schema.MemoryParams, query: versionSchema.VersionListQuery },
  responses: { 200: json(versionSchema.MemoryVersionList, "A page of versions"), ...errors(401, 404, 422) },
});

export const getMemoryVersionRoute = createRoute({
  method: "get",
  path: "/{memory_id}/versions/{version}",
  operationId: "getMemoryVersion",
  tags,
  summary: "Read a version of a record",
  description: "The record as it was then.",
  security: SECURITY,
  request: { params: versionSchema.VersionParams },
  responses: { 200: json(versionSchema.MemoryVersion, "The version"), ...errors(401, 404, 422) },
});

export const restoreMemoryVersionRoute = createRoute({
  method: "post",
  path: "/{memory_id}/versions/{version}/restore",
  operationId: "restoreMemoryVersion",
  tags,
  summary: "Restore a version of a record",
  description:
    "Creates a new version with everything that one said, its status included. It is then as old as that one, so that it " +
    "goes stale when that one would have.",
  security: SECURITY,
  request: { params: versionSchema.VersionParams, headers: schema.ActionHeaders },
  responses: { ...changed(withETag("The record as it is now")), ...errors(401, 404, 412, 422, 503) },
});

export const memoryRoutes = createRouter()
  .openapi(createMemoryRoute, async (c) => {
    const input = c.req.valid("json");
    const memory = await createMemory(c.var.ctx, input, await actionOf(c, c.req.valid("header"), input));
    return c.json(memory, 201, { Location: `/api/memories/${memory.id}`, ETag: etagOf(memory.version) });
  })
  .openapi(listMemoriesRoute, async (c) => c.json(await listMemories(c.var.ctx, c.req.valid("query")), 200))
  .openapi(changeMemoriesRoute, async (c) => {
    const { operations } = c.req.valid("json");
    return c.json(await changeMemories(c.var.ctx, operations, writerOf(c.req.valid("header"))), 200);
  })
  .openapi(getMemoryRoute, async (c) => {
    const { trashed } = c.req.valid("query");
    const memory = await getMemory(c.var.ctx, c.req.valid("param").memory_id, trashed);
    const headers = { ETag: etagOf(memory.version) };
    if (!memory.trashed_at && isUnchanged(c.req.valid("header")["if-none-match"], memory.version))
      return c.body(null, 304, headers);
    return c.json(memory, 200, headers);
  })
  .openapi(updateMemoryRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    const writer = writerOf(c.req.valid("header"));
    const memory = await updateMemory(c.var.ctx, memory_id, c.req.valid("json"), writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  })
  .openapi(deleteMemoryRoute, async (c) => {
    const { permanent } = c.req.valid("query");
    const writer = writerOf(c.req.valid("header"));
    await deleteMemory(c.var.ctx, c.req.valid("param").memory_id, { permanent, ...writer });
    return c.body(null, 204);
  })
  .openapi(restoreMemoryRoute, async (c) => {
    const writer = await actionOf(c, c.req.valid("header"));
    const memory = await restoreMemory(c.var.ctx, c.req.valid("param").memory_id, writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  })
  .openapi(resolveMemoryRoute, (c) => takeStep(c, { action: "resolve", input: c.req.valid("json") }))
  .openapi(deferMemoryRoute, (c) => takeStep(c, { action: "defer", input: c.req.valid("json") }))
  .openapi(archiveMemoryRoute, (c) => takeStep(c, { action: "archive", input: c.req.valid("json") }))
  .openapi(reopenMemoryRoute, (c) => takeStep(c, { action: "reopen" }))
  .openapi(confirmMemoryRoute, (c) => takeStep(c, { action: "confirm" }))
  .openapi(supersedeMemoryRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    const input = c.req.valid("json");
    const writer = await actionOf(c, c.req.valid("header"), input);
    const { old, successor } = await supersedeMemory(c.var.ctx, memory_id, input, writer);
    return c.json(old, 200, { ETag: etagOf(old.version), Location: `/api/memories/${successor.id}` });
  })
  .openapi(listMemoryEventsRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    return c.json(await listMemoryEvents(c.var.ctx, memory_id, c.req.valid("query")), 200);
  })
  .openapi(listMemoryVersionsRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    return c.json(await versions.listMemoryVersions(c.var.ctx, memory_id, c.req.valid("query")), 200);
  })
  .openapi(getMemoryVersionRoute, async (c) => {
    const { memory_id, version } = c.req.valid("param");
    return c.json(await versions.getMemoryVersion(c.var.ctx, memory_id, version), 200);
  })
  .openapi(restoreMemoryVersionRoute, async (c) => {
    const { memory_id, version } = c.req.valid("param");
    const writer = await actionOf(c, c.req.valid("header"));
    const memory = await versions.restoreMemoryVersion(c.var.ctx, memory_id, version, writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  });
