import { updateResponses } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/memory.ts";
import { MemoryEventList, MemoryEventListQuery } from "../../contract/memory-event.ts";
import * as versionSchema from "../../contract/memory-version.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { listMemoryEvents } from "./event-store.ts";
import { actionWriter, withETag } from "./headers.ts";
import * as versions from "./versions-store.ts";

const tags = ["Memories"];

export const listMemoryEventsRoute = operation({
  method: "get",
  path: "/{memory_id}/events",
  operationId: "listMemoryEvents",
  tags,
  summary: "List the events of a record",
  description: "Oldest first.",
  rules: { access: "memory:read", daily: "limited" },
  request: { params: schema.MemoryParams, query: MemoryEventListQuery },
  responses: { 200: json(MemoryEventList, "A page of events"), ...errors(401, 404, 422) },
});

export const listMemoryVersionsRoute = operation({
  method: "get",
  path: "/{memory_id}/versions",
  operationId: "listMemoryVersions",
  tags,
  summary: "List the previous versions of a record",
  description: "The last 50 versions before the current one, newest first, without content.",
  rules: { access: "memory:read", daily: "limited" },
  request: { params: schema.MemoryParams, query: versionSchema.VersionListQuery },
  responses: { 200: json(versionSchema.MemoryVersionList, "A page of versions"), ...errors(401, 404, 422) },
});

export const getMemoryVersionRoute = operation({
  method: "get",
  path: "/{memory_id}/versions/{version}",
  operationId: "getMemoryVersion",
  tags,
  summary: "Read a version of a record",
  description: "The record as it was in that version.",
  rules: { access: "memory:read", daily: "limited" },
  request: { params: versionSchema.VersionParams },
  responses: { 200: json(versionSchema.MemoryVersion, "The version"), ...errors(401, 404, 422) },
});

export const eraseMemoryVersionRoute = operation({
  method: "delete",
  path: "/{memory_id}/versions/{version}",
  operationId: "eraseMemoryVersion",
  tags,
  summary: "Erase a version of a record",
  description:
    "Permanent: the version can no longer be read, restored or brought back by an undo. Its event stays. The current version " +
    "cannot be erased by itself, only with the record.",
  rules: { access: "memory:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: versionSchema.VersionParams },
  responses: { 204: { description: "Erased" }, ...errors(401, 404, 422) },
});

export const restoreMemoryVersionRoute = operation({
  method: "post",
  path: "/{memory_id}/versions/{version}/restore",
  operationId: "restoreMemoryVersion",
  tags,
  summary: "Restore a version of a record",
  description:
    "Creates a new version with the content and status of the chosen one. The record goes stale when the chosen version " +
    "would have.",
  rules: { access: "memory:write", daily: "limited", body: "none", adds: ["bytes"], changes: ["memory"] },
  request: { params: versionSchema.VersionParams, headers: schema.ActionHeaders },
  responses: {
    ...updateResponses(withETag("The updated record")),
    ...errors(401, 404, 409, 410, 412, 422, 503),
  },
});

export const historyRoutes = createRouter()
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
  .openapi(eraseMemoryVersionRoute, async (c) => {
    const { memory_id, version } = c.req.valid("param");
    await versions.eraseMemoryVersion(c.var.ctx, memory_id, version);
    return c.body(null, 204);
  })
  .openapi(restoreMemoryVersionRoute, async (c) => {
    const { memory_id, version } = c.req.valid("param");
    const writer = await actionWriter(c, c.req.valid("header"));
    const memory = await versions.restoreMemoryVersion(c.var.ctx, memory_id, version, writer);
    return c.json(memory, 200, { ETag: etagOf(memory.version) });
  });
