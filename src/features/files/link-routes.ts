import * as schema from "../../contract/file.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import * as store from "./link-store.ts";

const operation = tagged("Files");

export const replaceFileRoute = operation({
  method: "post",
  path: "/{file_id}/replace",
  operationId: "replaceFile",
  summary: "Replace a file with another",
  description:
    "The other file takes its place wherever it is attached. References in texts stay unchanged. Requires `memory:write` " +
    "too, because the file may be attached to records.",
  rules: { access: ["docs:write", "memory:write"], daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { params: schema.FileParams, body: body(schema.FileReplaceRequest) },
  responses: {
    200: json(schema.StoredFile, "The replacement"),
    204: { description: "Done, for a key that may not read" },
    ...errors(...BODY_ERRORS, 401, 404, 501),
  },
});

export const attachToDocumentRoute = operation({
  method: "put",
  path: "/{file_id}/documents/{document_id}",
  operationId: "attachToDocument",
  summary: "Attach a file to a document",
  description: "A file can be attached to any number of documents and records. Repeating it changes nothing.",
  rules: { access: "docs:write", daily: "limited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileDocumentParams },
  responses: { 204: { description: "Attached" }, ...errors(401, 404, 422, 501) },
});

export const detachFromDocumentRoute = operation({
  method: "delete",
  path: "/{file_id}/documents/{document_id}",
  operationId: "detachFromDocument",
  summary: "Detach a file from a document",
  description: `The file stays; if nothing refers to it for ${schema.UNUSED_FILE_DAYS} days, it is erased.`,
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileDocumentParams },
  responses: { 204: { description: "Detached" }, ...errors(401, 404, 422, 501) },
});

export const attachToMemoryRoute = operation({
  method: "put",
  path: "/{file_id}/memories/{memory_id}",
  operationId: "attachToMemory",
  summary: "Attach a file to a record",
  description: "For example, a receipt. Repeating it changes nothing.",
  rules: { access: ["docs:write", "memory:write"], daily: "limited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileMemoryParams },
  responses: { 204: { description: "Attached" }, ...errors(401, 404, 422, 501) },
});

export const detachFromMemoryRoute = operation({
  method: "delete",
  path: "/{file_id}/memories/{memory_id}",
  operationId: "detachFromMemory",
  summary: "Detach a file from a record",
  description: `The file stays; if nothing refers to it for ${schema.UNUSED_FILE_DAYS} days, it is erased.`,
  rules: { access: ["docs:write", "memory:write"], daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileMemoryParams },
  responses: { 204: { description: "Detached" }, ...errors(401, 404, 422, 501) },
});

export const linkRoutes = createRouter()
  .openapi(replaceFileRoute, async (c) => {
    const { by } = c.req.valid("json");
    return c.json(await store.replaceFile(c.var.ctx, c.req.valid("param").file_id, by), 200);
  })
  .openapi(attachToDocumentRoute, async (c) => {
    const { file_id, document_id } = c.req.valid("param");
    await store.attachFile(c.var.ctx, file_id, { document_id });
    return c.body(null, 204);
  })
  .openapi(detachFromDocumentRoute, async (c) => {
    const { file_id, document_id } = c.req.valid("param");
    await store.detachFile(c.var.ctx, file_id, { document_id });
    return c.body(null, 204);
  })
  .openapi(attachToMemoryRoute, async (c) => {
    const { file_id, memory_id } = c.req.valid("param");
    await store.attachFile(c.var.ctx, file_id, { memory_id });
    return c.body(null, 204);
  })
  .openapi(detachFromMemoryRoute, async (c) => {
    const { file_id, memory_id } = c.req.valid("param");
    await store.detachFile(c.var.ctx, file_id, { memory_id });
    return c.body(null, 204);
  });
