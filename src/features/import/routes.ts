import { createRoute, z } from "@hono/zod-openapi";
import { badRequest } from "../../platform/core/errors.ts";
import { createRouter, errors, json, SECURITY } from "../../platform/http/openapi.ts";
import { EXAMPLE_FILE, exampleRange } from "../export/example.ts";
import { IdempotencyHeaders } from "../../idempotency/schema.ts";
import * as schema from "../../contract/import-state.ts";
import * as store from "../../import/store.ts";

const tags = ["Export and import"];

const FILE = {
  description: "The file of GET /api/export, or a part of it",
  content: { "application/x-ndjson": { schema: z.string(), example: EXAMPLE_FILE } },
};

const FILE_HEADERS = schema.ImportHeaders.extend({
  "content-range": schema.ImportHeaders.shape["content-range"].openapi({
    example: exampleRange(EXAMPLE_FILE.length),
  }),
});

const ANSWERS = () => ({
  200: json(schema.Import, "Everything was imported"),
  202: json(schema.Import, "A part was received: continue at byte `received`"),
  ...errors(400, 401, 404, 409, 413, 422),
});

export const importAccountRoute = createRoute({
  method: "post",
  path: "/",
  operationId: "importAccount",
  tags,
  summary: "Import an exported file",
  description:
    "The whole file is read first: a damaged or incomplete one is refused with 400, and nothing is changed. Ids are " +
    "kept where they are free; otherwise a record gets a new id and references to it are updated. At most two unfinished " +
    "imports, 2 GiB in total. A large file can be sent in parts with Content-Range, the first here and the others to " +
    "/api/import/{import_id}. After a broken connection, GET /api/import shows how much was received.",
  security: SECURITY,
  request: {
    query: schema.ImportQuery,
    headers: FILE_HEADERS.extend(IdempotencyHeaders.shape),
    body: FILE,
  },
  responses: ANSWERS(),
});

export const continueImportRoute = createRoute({
  method: "post",
  path: "/{import_id}",
  operationId: "continueImport",
  tags,
  summary: "Continue an import",
  description:
    "With Content-Range: receives the next part of the file, starting at byte `received`. Without: continues applying " +
    "a file that was received completely. Repeating it applies nothing twice.",
  security: SECURITY,
  request: { params: schema.ImportParams, headers: FILE_HEADERS, body: FILE },
  responses: ANSWERS(),
});

export const listImportsRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listImports",
  tags,
  summary: "List the imports of the last week",
  description: "Newest first, finished or not.",
  security: SECURITY,
  request: { query: schema.ImportListQuery },
  responses: { 200: json(schema.ImportList, "A page of imports, newest first"), ...errors(401, 422) },
});

export const getImportRoute = createRoute({
  method: "get",
  path: "/{import_id}",
  operationId: "getImport",
  tags,
  summary: "The progress of an import",
  description: "How much of the file was received, and the results for its records.",
  security: SECURITY,
  request: { params: schema.ImportParams },
  responses: { 200: json(schema.Import, "The import"), ...errors(401, 404, 422) },
});

export const deleteImportRoute = createRoute({
  method: "delete",
  path: "/{import_id}",
  operationId: "deleteImport",
  tags,
  summary: "Cancel an import",
  description: "Deletes what was received of its file. What was already applied stays.",
  security: SECURITY,
  request: { params: schema.ImportParams },
  responses: { 204: { description: "Cancelled" }, ...errors(401, 404, 422) },
});

/** The position of a part, from `Content-Range: bytes 0-999/5000`. Without one, the body is the whole file. */
function rangeOf(header: string | undefined): { start: number; isLast: boolean } {
  if (header === undefined) return { start: 0, isLast: true };
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header) ?? [];
  return { start: Number(start), isLast: Number(end) + 1 === Number(total) };
}

export const importRoutes = createRouter()
  .openapi(importAccountRoute, async (c) => {
    const { ctx } = c.var;
    const headers = c.req.valid("header");
    const range = rangeOf(headers["content-range"]);
    if (range.start !== 0) throw badRequest("A new import must start with the first byte of the file");
    const { body } = c.req.raw;
    const key = headers["idempotency-key"];
    const { id, isNew } = await store.startImport(ctx, c.req.valid("query"), { key, body });
    if (isNew) {
      await store.receive(ctx, id, { body, ...range });
      if (range.isLast) await store.inspect(ctx, id);
    }
    const result = await store.applyImport(ctx, id);
    return result.status === "uploading" ? c.json(result, 202) : c.json(result, 200);
  })
  .openapi(continueImportRoute, async (c) => {
    const { ctx } = c.var;
    const { import_id } = c.req.valid("param");
    const header = c.req.valid("header")["content-range"];
    if (header === undefined) await store.inspectIfEnded(ctx, import_id);
    else {
      const range = rangeOf(header);
      await store.receive(ctx, import_id, { body: c.req.raw.body, ...range });
      if (range.isLast) await store.inspect(ctx, import_id);
    }
    const result = await store.applyImport(ctx, import_id);
    return result.status === "uploading" ? c.json(result, 202) : c.json(result, 200);
  })
  .openapi(listImportsRoute, async (c) =>
    c.json(await store.listImports(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getImportRoute, async (c) =>
    c.json(await store.getImport(c.var.ctx, c.req.valid("param").import_id), 200),
  )
  .openapi(deleteImportRoute, async (c) => {
    await store.deleteImport(c.var.ctx, c.req.valid("param").import_id);
    return c.body(null, 204);
  });
