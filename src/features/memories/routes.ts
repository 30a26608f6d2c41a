import { withChangeId } from "../../contract/change-id-fields.ts";
import { DocumentDeleteQuery as DeleteQuery, ReadQuery } from "../../contract/document.ts";
import * as schema from "../../contract/memory.ts";
import { MemoryBulkAnswer, MemoryBulkRequest } from "../../contract/memory-bulk.ts";
import { etagOf, matchesVersion } from "../../platform/http/etag.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { actionRoutes } from "./action-routes.ts";
import { changeMemories } from "./bulk-store.ts";
import {
  ACTION_REQUEST,
  actionResponses,
  actionWriter,
  CHANGE_REQUEST,
  CREATING_RULES,
  changeResponses,
  withETag,
  writerFromHeaders,
} from "./headers.ts";
import { historyRoutes } from "./history-routes.ts";
import { listMemories } from "./list-store.ts";
import { createMemory, getMemory } from "./store.ts";
import { deleteMemory, restoreMemory } from "./trash-store.ts";
import { updateMemory } from "./update-store.ts";

export * from "./action-routes.ts";
export * from "./history-routes.ts";

const tags = ["Memories"];

export const createMemoryRoute = operation({
  method: "post",
  path: "/",
  operationId: "createMemory",
  tags,
  summary: "Create a record",
  description: "The record is active until it is resolved, deferred or archived.",
  rules: CREATING_RULES,
  request: { headers: schema.CreateHeaders, body: body(schema.MemoryCreateRequest) },
  responses: {
    201: withChangeId({ ...withETag("The new record"), headers: schema.CreatedHeaders }),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410),
  },
});

export const listMemoriesRoute = operation({
  method: "get",
  path: "/",
  operationId: "listMemories",
  tags,
  summary: "List records",
  description: "All filters must match. A deferred record whose day has come counts as active.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.MemoryListQuery },
  responses: { 200: json(schema.MemoryList, "A page of records"), ...errors(401, 404, 422) },
});

export const changeMemoriesRoute = operation({
  method: "post",
  path: "/bulk",
  operationId: "changeMemories",
  tags,
  summary: "Change many records",
  description: "Runs up to 100 operations in order. A rejected operation does not stop the others.",
  rules: { ...CREATING_RULES, alone: true, reports: true },
  middleware: [answerOnce()] as const,
  request: { headers: schema.CreateHeaders, body: body(MemoryBulkRequest) },
  responses: {
    200: withChangeId(json(MemoryBulkAnswer, "The result of each operation")),
    ...errors(...BODY_ERRORS, 401, 409),
  },
});

export const getMemoryRoute = operation({
  method: "get",
  path: "/{memory_id}",
  operationId: "getMemory",
  tags,
  summary: "Read a record",
  description:
    "Returns the whole record. With If-None-Match, 304 if it has not changed. A record in the trash gives 404 unless " +
    "`trashed=true`.",
  rules: { access: "memory:read", daily: "limited" },
  request: { params: schema.MemoryParams, query: ReadQuery, headers: schema.ReadHeaders },
  responses: {
    200: { ...json(schema.ReadMemory, "The record"), headers: schema.ETagHeader },
    304: { description: "Not changed since the version in If-None-Match", headers: schema.ETagHeader },
    ...errors(401, 404, 422),
  },
});

export const updateMemoryRoute = operation({
  method: "patch",
  path: "/{memory_id}",
  operationId: "updateMemory",
  tags,
  summary: "Change the fields of a record",
  description: "Only the given fields are changed; null clears one. The status has its own endpoints.",
  rules: { access: "memory:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["memory"] },
  request: { ...CHANGE_REQUEST, body: body(schema.MemoryUpdateRequest) },
  responses: changeResponses(),
});

export const deleteMemoryRoute = operation({
  method: "delete",
  path: "/{memory_id}",
  operationId: "deleteMemory",
  tags,
  summary: "Delete a record",
  description:
    "Moves the record to the trash for 30 days. Lists and statistics no longer count it. With `permanent=true`, the record " +
    "and its events are erased immediately. To keep a record that no longer matters, archive it instead.",
  rules: { access: "memory:write", daily: "unlimited", body: "none", adds: [], changes: ["memory"] },
  request: { ...CHANGE_REQUEST, query: DeleteQuery },
  responses: { 204: withChangeId({ description: "Deleted" }), ...errors(401, 404, 412, 422) },
});

export const restoreMemoryRoute = operation({
  method: "post",
  path: "/{memory_id}/restore",
  operationId: "restoreMemory",
  tags,
  summary: "Restore a record from the trash",
  description: "Restores the record with its status and dates. Repeating the request changes nothing.",
  rules: { access: "memory:write", daily: "limited", body: "none", adds: ["records"], changes: ["memory"] },
  request: ACTION_REQUEST,
  responses: actionResponses(),
});

export const memoryRoutes = createRouter()
  .openapi(createMemoryRoute, async (c) => {
    const input = c.req.valid("json");
    const memory = await createMemory(c.var.ctx, input, await actionWriter(c, c.req.valid("header"), input));
    return c.json(memory, 201, { Location: `/api/memories/${memory.id}`, ETag: etagOf(memory.version) });
  })
  .openapi(listMemoriesRoute, async (c) => c.json(await listMemories(c.var.ctx, c.req.valid("query")), 200))
  .openapi(changeMemoriesRoute, async (c) => {
    const { operations } = c.req.valid("json");
    return c.json(await changeMemories(c.var.ctx, operations, writerFromHeaders(c.req.valid("header"))), 200);
  })
  .openapi(getMemoryRoute, async (c) => {
    const { trashed } = c.req.valid("query");
    const memory = await getMemory(c.var.ctx, c.req.valid("param").memory_id, trashed);
    const headers = { ETag: etagOf(memory.version) };
    if (!memory.trashed_at && matchesVersion(c.req.valid("header")["if-none-match"], memory.version))
      return c.body(null, 304, headers);
    return c.json(memory, 200, headers);
  })
  .openapi(updateMemoryRoute, async (c) => {
    const { memory_id } = c.req.valid("param");
    const writer = writerFromHeaders(c.req.valid("header"));
    const memory = await updateMemory(c.var.ctx, memory_id, c.req.valid("json"), writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  })
  .openapi(deleteMemoryRoute, async (c) => {
    const { permanent } = c.req.valid("query");
    const writer = writerFromHeaders(c.req.valid("header"));
    await deleteMemory(c.var.ctx, c.req.valid("param").memory_id, { permanent, ...writer });
    return c.body(null, 204);
  })
  .openapi(restoreMemoryRoute, async (c) => {
    const writer = await actionWriter(c, c.req.valid("header"));
    const memory = await restoreMemory(c.var.ctx, c.req.valid("param").memory_id, writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  });

memoryRoutes.route("/", actionRoutes);
memoryRoutes.route("/", historyRoutes);
