import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { withChangeId } from "../../contract/change-id-fields.ts";
import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import * as schema from "../../contract/import-state.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import {
  JOB_HEADERS,
  jobHeaders,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import type { RulesForMethod } from "../../platform/http/rules.ts";
import { stillRunningError } from "../../platform/idempotency/store.ts";
import { EXAMPLE_FILE, EXAMPLE_RECEIVED, exampleRange } from "../export/example.ts";
import { endsWithEndLine } from "./inspect-store.ts";
import { applyReceivedImport, getImport } from "./job.ts";
import { receivePart } from "./piece-store.ts";
import { findImport, type ImportRow, presentImport } from "./row-store.ts";
import * as store from "./store.ts";

const tags = ["Export and import"];

const fileRequest = (start: number) => ({
  headers: schema.ImportHeaders.extend(PREFER_HEADERS.shape).extend({
    "content-range": schema.ImportHeaders.shape["content-range"].openapi({
      example: exampleRange(start, EXAMPLE_FILE.length),
    }),
  }),
  body: {
    description: "The file of GET /api/export, or a part of it",
    content: { "application/x-ndjson": { schema: z.string(), example: EXAMPLE_FILE.slice(start) } },
  },
});

const WHOLE_FILE = fileRequest(0);

const importResponses = () => ({
  200: withChangeId(json(schema.Import, "Everything was imported")),
  202: {
    ...json(
      schema.Import,
      "`uploading`: a part was received; continue at byte `received`. Otherwise the file is complete, and a job with the " +
        "id of the import checks and applies it: see `Location`",
    ),
    headers: JOB_HEADERS.partial(),
  },
  ...errors(400, 401, 404, 409, 413, 422),
});

const RULES = {
  access: ["docs:write", "memory:write"],
  daily: "limited",
  body: "streamed",
  adds: ["documents", "records", "bytes"],
  changes: ["document", "memory", "folder"],
  reports: true,
} satisfies RulesForMethod<"post">;

export const importAccountRoute = operation({
  method: "post",
  path: "/",
  operationId: "importAccount",
  tags,
  summary: "Import an exported file",
  description:
    "The whole file is checked first: a damaged or incomplete one is rejected with 400, and nothing changes. Ids are " +
    "kept where they are free; otherwise a record gets a new id and references to it are updated. At most two unfinished " +
    "imports, 2 GiB in total. A large file can be sent in parts with Content-Range, the first here and the others to " +
    "/api/import/{import_id}. After a broken connection, GET /api/import shows how much was received.",
  rules: RULES,
  request: {
    query: schema.ImportQuery,
    headers: WHOLE_FILE.headers.extend(IdempotencyHeaders.shape),
    body: WHOLE_FILE.body,
  },
  responses: importResponses(),
});

export const continueImportRoute = operation({
  method: "post",
  path: "/{import_id}",
  operationId: "continueImport",
  tags,
  summary: "Continue an import",
  description:
    "With Content-Range: receives the next part of the file, starting at byte `received`. Without: continues applying " +
    "a file that was received completely. Repeating it applies nothing twice.",
  rules: RULES,
  request: { params: schema.ImportParams, ...fileRequest(EXAMPLE_RECEIVED) },
  responses: importResponses(),
});

export const listImportsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listImports",
  tags,
  summary: "List the imports of the last week",
  description: "Newest first, finished or not.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.ImportListQuery },
  responses: { 200: json(schema.ImportList, "A page of imports, newest first"), ...errors(401, 422) },
});

export const getImportRoute = operation({
  method: "get",
  path: "/{import_id}",
  operationId: "getImport",
  tags,
  summary: "Get the progress of an import",
  description: "How much of the file was received, and the results for its records.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { params: schema.ImportParams },
  responses: { 200: json(schema.Import, "The import"), ...errors(401, 404, 422) },
});

export const deleteImportRoute = operation({
  method: "delete",
  path: "/{import_id}",
  operationId: "deleteImport",
  tags,
  summary: "Cancel an import",
  description: "Deletes what was received of its file. What was already applied stays.",
  rules: { access: ["docs:write", "memory:write"], daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.ImportParams },
  responses: { 204: { description: "Cancelled" }, ...errors(401, 404, 422) },
});

/** Parses `Content-Range: bytes 0-999/5000`. Without a header it is the whole file. Throws 400 for an impossible range. */
function parseRange(header: string | undefined): { start: number; length?: number; isLast: boolean } {
  if (header === undefined) return { start: 0, isLast: true };
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header) ?? [];
  const [start, end] = [Number(first), Number(last)];
  const size = total === "*" ? Number.POSITIVE_INFINITY : Number(total);
  if (end < start || end >= size)
    throw badRequest(
      "content-range: must be a part of the file, such as bytes 0-999/5000 for its first 1000",
    );
  return { start, length: end + 1 - start, isLast: end + 1 === size };
}

/** Applies a completely received file, and responds with the progress of the import. */
async function respond(
  c: Context<AppEnv>,
  id: string,
  isComplete: (row: ImportRow) => boolean | Promise<boolean>,
) {
  const { ctx } = c.var;
  const row = await findImport(ctx, id);
  const isReceived = row.status !== "uploading" || (await isComplete(row));
  const now =
    isReceived && row.status !== "done"
      ? await applyReceivedImport(ctx, row, requestPreference(c))
      : presentImport(row);
  if (now.status === "done") return c.json(now, 200);
  return now.status === "applying" || isReceived ? c.json(now, 202, jobHeaders(id)) : c.json(now, 202);
}

/** Another request with the same key has started the upload over, so this one finds it gone, or at another position. */
function rejectOvertaken(problem: unknown): never {
  const isOvertaken = problem instanceof AppError && [404, 409].includes(problem.status);
  throw isOvertaken ? stillRunningError() : problem;
}

export const importRoutes = createRouter()
  .openapi(importAccountRoute, async (c) => {
    const { ctx } = c.var;
    const headers = c.req.valid("header");
    const range = parseRange(headers["content-range"]);
    if (range.start !== 0) throw badRequest("A new import must start with the first byte of the file");
    const { body } = c.req.raw;
    const key = headers["idempotency-key"];
    const { id, isNew } = await store.startImport(ctx, c.req.valid("query"), { key, body });
    if (!isNew) return respond(c, id, () => true);
    const imported = receivePart(ctx, id, { body, ...range, isNew }).then(() =>
      respond(c, id, () => range.isLast),
    );
    return key === undefined ? imported : imported.catch(rejectOvertaken);
  })
  .openapi(continueImportRoute, async (c) => {
    const { ctx } = c.var;
    const { import_id } = c.req.valid("param");
    const header = c.req.valid("header")["content-range"];
    if (header === undefined) return respond(c, import_id, (row) => endsWithEndLine(ctx, row));
    const range = parseRange(header);
    await receivePart(ctx, import_id, { body: c.req.raw.body, ...range });
    return respond(c, import_id, () => range.isLast);
  })
  .openapi(listImportsRoute, async (c) =>
    c.json(await store.listImports(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getImportRoute, async (c) =>
    c.json(await getImport(c.var.ctx, c.req.valid("param").import_id), 200),
  )
  .openapi(deleteImportRoute, async (c) => {
    await store.deleteImport(c.var.ctx, c.req.valid("param").import_id);
    return c.body(null, 204);
  });
