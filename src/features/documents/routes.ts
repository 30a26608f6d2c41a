import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { updateResponses, withChangeId } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/document.ts";
import { DocumentBulkAnswer, DocumentBulkRequest } from "../../contract/document-bulk.ts";
import * as links from "../../contract/document-links.ts";
import * as tasks from "../../contract/document-tasks.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { etagOf, matchesVersion } from "../../platform/http/etag.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { idempotencyOf } from "../../platform/idempotency/answer-once.ts";
import { MAX_LINKS } from "../../shared/markdown/note-links.ts";
import { bulkDocuments } from "./bulk-store.ts";
import { editDocument, updateDocument } from "./change-store.ts";
import { listLinks } from "./link-list-store.ts";
import { listDocuments } from "./list-store.ts";
import type { DocumentWriter } from "./statement-store.ts";
import * as store from "./store.ts";
import { changeTask, listTasks } from "./task-store.ts";
import { deleteDocument, restoreDocument } from "./trash-store.ts";
import * as versions from "./versions-store.ts";

const tags = ["Documents"];
const withETag = <Schema extends z.ZodType>(answer: Schema, description: string) => ({
  ...json(answer, description),
  headers: schema.ETagHeader,
});

const writerFromHeaders = (headers: z.infer<typeof schema.ChangeHeaders>): DocumentWriter => ({
  source_type: headers["x-source-type"] ?? "api",
  client_name: headers["x-client-name"],
  ifMatch: headers["if-match"],
});

export const createDocumentRoute = operation({
  method: "post",
  path: "/",
  operationId: "createDocument",
  tags,
  summary: "Create a document",
  description: "Content, tags and folder are optional.",
  rules: {
    access: "docs:write",
    daily: "limited",
    body: "1 MiB",
    adds: ["documents", "bytes"],
    changes: ["document"],
  },
  request: { headers: schema.CreateHeaders, body: body(schema.DocumentCreateRequest) },
  responses: {
    201: withChangeId({ ...withETag(schema.Document, "The new document"), headers: schema.CreatedHeaders }),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410),
  },
});

export const listDocumentsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listDocuments",
  tags,
  summary: "List documents",
  description: "Without content. A document must match all filters.",
  rules: { access: "docs:read", daily: "limited" },
  request: { query: schema.DocumentListQuery },
  responses: { 200: json(schema.DocumentList, "A page of documents"), ...errors(401, 404, 422) },
});

export const bulkDocumentsRoute = operation({
  method: "post",
  path: "/bulk",
  operationId: "bulkDocuments",
  tags,
  summary: "Change up to 100 documents in one request",
  description:
    "Operations run in order, each with its own result. A failed operation does not undo the others. All successful changes " +
    "are one transaction and create one new version per document. The documents can have 8 MiB in total.",
  rules: {
    alone: true,
    access: "docs:write",
    daily: "limited",
    body: "1 MiB",
    adds: ["documents", "bytes"],
    changes: ["document"],
    reports: true,
  },
  request: { headers: schema.CreateHeaders, body: body(DocumentBulkRequest) },
  responses: {
    200: withChangeId(json(DocumentBulkAnswer, "The results in the order of the operations")),
    ...errors(...BODY_ERRORS, 401, 409, 503),
  },
});

export const getDocumentRoute = operation({
  method: "get",
  path: "/{document_id}",
  operationId: "getDocument",
  tags,
  summary: "Read a document",
  description:
    "Returns the whole document. With If-None-Match, 304 if it has not changed, unless its links are included, which others " +
    "change. A document in the trash gives 404 unless `trashed=true`.",
  rules: { access: "docs:read", daily: "limited" },
  request: {
    params: schema.DocumentParams,
    query: schema.DocumentReadQuery,
    headers: schema.ReadHeaders,
  },
  responses: {
    200: withETag(schema.ReadDocument, "The document"),
    304: { description: "Unchanged since the version in If-None-Match", headers: schema.ETagHeader },
    ...errors(401, 404, 422),
  },
});

export const updateDocumentRoute = operation({
  method: "put",
  path: "/{document_id}",
  operationId: "updateDocument",
  tags,
  summary: "Change a document",
  description: "Changes only the given fields. With If-Match, only if the document has not changed since.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["document"] },
  request: {
    params: schema.DocumentParams,
    headers: schema.WriteHeaders,
    body: body(schema.DocumentUpdateRequest),
  },
  responses: {
    ...updateResponses(withETag(schema.Document, "The document as it is now")),
    ...errors(...BODY_ERRORS, 401, 404, 412, 503),
  },
});

export const deleteDocumentRoute = operation({
  method: "delete",
  path: "/{document_id}",
  operationId: "deleteDocument",
  tags,
  summary: "Delete a document",
  description:
    "Moves the document to the trash for 30 days. With `permanent=true`, it is erased immediately.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: ["document"] },
  request: {
    params: schema.DocumentParams,
    query: schema.DocumentDeleteQuery,
    headers: schema.DeleteHeaders,
  },
  responses: { 204: withChangeId({ description: "Deleted" }), ...errors(401, 404, 412, 422) },
});

export const restoreDocumentRoute = operation({
  method: "post",
  path: "/{document_id}/restore",
  operationId: "restoreDocument",
  tags,
  summary: "Restore a document from the trash",
  description:
    "Returns it to its folder, or to the top level if the folder no longer exists. A document that is not in the trash stays " +
    "unchanged.",
  rules: { access: "docs:write", daily: "limited", body: "none", adds: ["documents"], changes: ["document"] },
  request: { params: schema.DocumentParams, headers: schema.ActionHeaders },
  responses: {
    ...updateResponses(withETag(schema.Document, "The document")),
    ...errors(401, 404, 409, 410, 412, 422),
  },
});

export const editDocumentRoute = operation({
  method: "post",
  path: "/{document_id}/edit",
  operationId: "editDocument",
  tags,
  summary: "Edit a document's text",
  description:
    "Changes part of `content.text`. An edit that cannot be applied or changes nothing is rejected with the reason. " +
    "`find_replace` and `section` reveal what the text contains, so an API key also needs `docs:read` for them.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["document"] },
  request: {
    params: schema.DocumentParams,
    headers: schema.ActionHeaders,
    body: body(schema.DocumentEditRequest),
  },
  responses: {
    ...updateResponses(withETag(schema.Document, "The document as it is now")),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410, 412, 503),
  },
});

export const listVersionsRoute = operation({
  method: "get",
  path: "/{document_id}/versions",
  operationId: "listVersions",
  tags,
  summary: "List the previous versions of a document",
  description:
    "The versions before the current one, newest first, without content: the last 50 whose text the next one changed, and of " +
    "those between them the last 50 that the next one only moved or tagged.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.DocumentParams, query: schema.VersionListQuery },
  responses: { 200: json(schema.DocumentVersionList, "A page of versions"), ...errors(401, 404, 422) },
});

export const getVersionRoute = operation({
  method: "get",
  path: "/{document_id}/versions/{version}",
  operationId: "getVersion",
  tags,
  summary: "Read a version",
  description: "The document as it was in that version, with its content.",
  rules: { access: "docs:read", daily: "limited", alone: true },
  request: { params: schema.VersionParams },
  responses: { 200: json(schema.DocumentVersion, "The version"), ...errors(401, 404, 422) },
});

export const eraseVersionRoute = operation({
  method: "delete",
  path: "/{document_id}/versions/{version}",
  operationId: "eraseVersion",
  tags,
  summary: "Erase a version",
  description:
    "Permanent: the version can no longer be read, restored or brought back by an undo. The current version cannot be " +
    "erased by itself, only with the document.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.VersionParams },
  responses: { 204: { description: "Erased" }, ...errors(401, 404, 422) },
});

export const restoreVersionRoute = operation({
  method: "post",
  path: "/{document_id}/versions/{version}/restore",
  operationId: "restoreVersion",
  tags,
  summary: "Restore a version of a document",
  description: "Creates a new version with the title, content, tags and folder of the chosen one.",
  rules: { access: "docs:write", daily: "limited", body: "none", adds: ["bytes"], changes: ["document"] },
  request: { params: schema.VersionParams, headers: schema.ActionHeaders },
  responses: {
    ...updateResponses(withETag(schema.Document, "The document as it is now")),
    ...errors(401, 404, 409, 410, 412, 413, 422, 503),
  },
});

export const listDocumentTasksRoute = operation({
  method: "get",
  path: "/{document_id}/tasks",
  operationId: "listDocumentTasks",
  tags,
  summary: "List the tasks of a document",
  description:
    "The tasks in `content.text`, if it is Markdown, in order: list items that begin with `[ ]` or `[x]`, as in GitHub " +
    "Flavored Markdown. Items in code do not count.",
  rules: { access: "docs:read", daily: "limited", alone: true },
  request: { params: schema.DocumentParams, query: tasks.DocumentTaskListQuery },
  responses: {
    200: withETag(tasks.DocumentTaskList, "A page of tasks"),
    ...errors(401, 404, 422),
  },
});

export const listDocumentLinksRoute = operation({
  method: "get",
  path: "/{document_id}/links",
  operationId: "listDocumentLinks",
  tags,
  summary: "List a document's links and backlinks",
  description:
    "The documents to which its text links (`[[Title]]`, `[[Folder/Title#Heading|words]]`, `[[doc:<uuid>]]`, " +
    "`[words](Folder/Note.md)`), and those that link to it. A title leads to the document of that name or alias in that " +
    "folder, or else beside it, or else to the oldest one. The link keeps its document when that is renamed or moved. The " +
    `first ${MAX_LINKS} different targets of a document are followed; each counts 200 bytes.`,
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.DocumentParams, query: links.DocumentLinksQuery },
  responses: {
    200: json(links.DocumentLinks, "Its links, and a page of its backlinks"),
    ...errors(401, 404, 422),
  },
});

export const changeDocumentTaskRoute = operation({
  method: "patch",
  path: "/{document_id}/tasks/{number}",
  operationId: "changeDocumentTask",
  tags,
  summary: "Mark a task as done or open",
  description:
    "Changes the character in its box. Task numbers belong to a version: with If-Match, the task is changed only if the " +
    "document has not changed since. A task already in the requested state stays unchanged. Task numbers reveal what the " +
    "text contains, so an API key also needs `docs:read`.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: "history", changes: ["document"] },
  request: {
    params: tasks.DocumentTaskParams,
    headers: schema.TaskHeaders,
    body: body(tasks.DocumentTaskChange),
  },
  responses: {
    200: withChangeId(withETag(tasks.ChangedTask, "The updated task, and the document's version")),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410, 412, 503),
  },
});

/** The writer of a request that may have an Idempotency-Key. `input`: its body. */
async function actionWriter(
  c: Context<AppEnv>,
  headers: z.infer<typeof schema.ActionHeaders>,
  input: unknown,
): Promise<DocumentWriter> {
  return { ...writerFromHeaders(headers), once: await idempotencyOf(c, input) };
}

export const documentRoutes = createRouter()
  .openapi(createDocumentRoute, async (c) => {
    const input = c.req.valid("json");
    const writer = await actionWriter(c, c.req.valid("header"), input);
    const document = await store.createDocument(c.var.ctx, input, writer);
    const headers = { Location: `/api/documents/${document.id}`, ETag: etagOf(document.version) };
    return c.json(document, 201, headers);
  })
  .openapi(listDocumentsRoute, async (c) => c.json(await listDocuments(c.var.ctx, c.req.valid("query")), 200))
  .openapi(bulkDocumentsRoute, async (c) => {
    const input = c.req.valid("json");
    const writer = await actionWriter(c, c.req.valid("header"), input);
    return c.json(await bulkDocuments(c.var.ctx, input, writer), 200);
  })
  .openapi(getDocumentRoute, async (c) => {
    const document = await store.getDocument(
      c.var.ctx,
      c.req.valid("param").document_id,
      c.req.valid("query"),
    );
    const headers = { ETag: etagOf(document.version) };
    const { version, trashed_at, links: linked } = document;
    if (!trashed_at && !linked && matchesVersion(c.req.valid("header")["if-none-match"], version))
      return c.body(null, 304, headers);
    return c.json(document, 200, headers);
  })
  .openapi(updateDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const headers = c.req.valid("header");
    const writer = { ...writerFromHeaders(headers), editSession: headers["x-sitting"] };
    const document = await updateDocument(c.var.ctx, document_id, c.req.valid("json"), writer);
    return c.json(document, 200, { ETag: etagOf(document.version) });
  })
  .openapi(deleteDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const { permanent } = c.req.valid("query");
    const ifMatch = c.req.valid("header")["if-match"];
    await deleteDocument(c.var.ctx, document_id, { permanent, ifMatch });
    return c.body(null, 204);
  })
  .openapi(restoreDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const writer = await actionWriter(c, c.req.valid("header"), null);
    const document = await restoreDocument(c.var.ctx, document_id, writer);
    return c.json(document, 200, { ETag: etagOf(document.version) });
  })
  .openapi(editDocumentRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const edit = c.req.valid("json");
    c.var.ctx.requireKeyScopes?.(schema.accessToEdit(edit));
    const writer = await actionWriter(c, c.req.valid("header"), edit);
    const document = await editDocument(c.var.ctx, document_id, edit, writer);
    return c.json(document, 200, { ETag: etagOf(document.version) });
  })
  .openapi(listVersionsRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    return c.json(await versions.listVersions(c.var.ctx, document_id, c.req.valid("query")), 200);
  })
  .openapi(getVersionRoute, async (c) => {
    const { document_id, version } = c.req.valid("param");
    return c.json(await versions.getVersion(c.var.ctx, document_id, version), 200);
  })
  .openapi(eraseVersionRoute, async (c) => {
    const { document_id, version } = c.req.valid("param");
    await versions.eraseVersion(c.var.ctx, document_id, version);
    return c.body(null, 204);
  })
  .openapi(restoreVersionRoute, async (c) => {
    const { document_id, version } = c.req.valid("param");
    const writer = await actionWriter(c, c.req.valid("header"), null);
    const document = await versions.restoreVersion(c.var.ctx, document_id, version, writer);
    return c.json(document, 200, { ETag: etagOf(document.version) });
  })
  .openapi(listDocumentTasksRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    const list = await listTasks(c.var.ctx, document_id, c.req.valid("query"));
    return c.json(list, 200, { ETag: etagOf(list.version) });
  })
  .openapi(listDocumentLinksRoute, async (c) => {
    const { document_id } = c.req.valid("param");
    return c.json(await listLinks(c.var.ctx, document_id, c.req.valid("query")), 200);
  })
  .openapi(changeDocumentTaskRoute, async (c) => {
    const { document_id: id, number } = c.req.valid("param");
    const headers = c.req.valid("header");
    const change = c.req.valid("json");
    c.var.ctx.requireKeyScopes?.(["docs:read"]);
    const writer = { ...(await actionWriter(c, headers, change)), editSession: headers["x-sitting"] };
    const answer = await changeTask(c.var.ctx, { id, number }, change, writer);
    return c.json(answer, 200, { ETag: etagOf(answer.version) });
  });
