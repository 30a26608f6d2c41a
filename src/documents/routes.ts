import { createRoute } from "@hono/zod-openapi";
import { etagOf, isUnchanged } from "../core/etag.ts";
import { idempotencyOf } from "../core/idempotency.ts";
import { BODY_ERRORS, body, createRouter, errors, json, SECURITY } from "../core/openapi.ts";
import * as schema from "./schema.ts";
import * as store from "./store.ts";

const tags = ["Documents"];
const withETag = (description: string) => ({
  ...json(schema.Document, description),
  headers: schema.ETagHeader,
});

export const createDocumentRoute = createRoute({
  method: "post",
  path: "/",
  operationId: "createDocument",
  tags,
  summary: "Create a document",
  security: SECURITY,
  request: { headers: schema.CreateHeaders, body: body(schema.DocumentCreateRequest) },
  responses: {
    201: { ...withETag("The new document"), headers: schema.CreatedHeaders },
    ...errors(...BODY_ERRORS, 401, 404),
  },
});

export const listDocumentsRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listDocuments",
  tags,
  summary: "List documents",
  description: "Without their content; all filters must hold.",
  security: SECURITY,
  request: { query: schema.DocumentListQuery },
  responses: { 200: json(schema.DocumentList, "A page of documents"), ...errors(401, 404, 422) },
});

export const getDocumentRoute = createRoute({
  method: "get",
  path: "/{document_id}",
  operationId: "getDocument",
  tags,
  summary: "Read a document",
  security: SECURITY,
  request: { params: schema.DocumentParams, headers: schema.ReadHeaders },
  responses: {
    200: withETag("The document"),
    304: { description: "Still the version that If-None-Match names", headers: schema.ETagHeader },
    ...errors(401, 404, 422),
  },
});

export const updateDocumentRoute = createRoute({
  method: "put",
  path: "/{document_id}",
  operationId: "updateDocument",
  tags,
  summary: "Change a document",
  description: "Only the fields provided are changed. With If-Match, only if nobody else changed it since.",
  security: SECURITY,
  request: {
    params: schema.DocumentParams,
    headers: schema.ChangeHeaders,
    body: body(schema.DocumentUpdateRequest),
  },
  responses: { 200: withETag("The document as it is now"), ...errors(...BODY_ERRORS, 401, 404, 412, 503) },
});

export const deleteDocumentRoute = createRoute({
  method: "delete",
  path: "/{document_id}",
  operationId: "deleteDocument",
  tags,
  summary: "Delete a document",
  security: SECURITY,
  request: { params: schema.DocumentParams, headers: schema.ChangeHeaders },
  responses: { 204: { description: "Deleted" }, ...errors(401, 404, 412, 422) },
});

export const documentRoutes = createRouter()
  .openapi(createDocumentRoute, async (c) => {
    const input = c.req.valid("json");
    const { "idempotency-key": key, "x-source-type": source_type = "api" } = c.req.valid("header");
    const once = key ? await idempotencyOf("POST /api/documents", key, input) : undefined;
    const document = await store.createDocument(c.var.ctx, input, { source_type, once });
    const headers = { Location: `/api/documents/${document.id}`, ETag: etagOf(document.version) };
    return c.json(document, 201, headers);
  })
  .openapi(listDocumentsRoute, async (c) =>
    c.json(await store.listDocuments(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getDocumentRoute, async (c) => {
    const document = await store.getDocument(c.var.ctx, c.req.valid("param").document_id);
    const headers = { ETag: etagOf(document.version) };
    if (isUnchanged(c.req.valid("header")["if-none-match"], document.version))
      return c.body(null, 304, headers);
    return c.json(document, 200, headers);
  })
  .openapi(updateDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const ifMatch = c.req.valid("header")["if-match"];
    const document = await store.updateDocument(c.var.ctx, document_id, c.req.valid("json"), ifMatch);
    return c.json(document, 200, { ETag: etagOf(document.version) });
  })
  .openapi(deleteDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    await store.deleteDocument(c.var.ctx, document_id, c.req.valid("header")["if-match"]);
    return c.body(null, 204);
  });
