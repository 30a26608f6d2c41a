import { z } from "@hono/zod-openapi";
import * as schema from "../../contract/file.ts";
import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { requireContentLength } from "./content-length.ts";
import * as store from "./upload-store.ts";

const operation = tagged("Files");

export const BYTES_CONTENT = { "application/octet-stream": { schema: z.string(), example: "Bytes" } };

const PRIVATE = "Only its own account sees it.";

/** For repeated requests, only the upload's id is stored. The rest is read again. */
const beginOnce = answerOnce({
  content: { reduce: ({ id }: schema.Upload) => id, again: store.getUpload },
});

export const beginUploadRoute = operation({
  method: "post",
  path: "/uploads",
  operationId: "beginUpload",
  summary: "Start an upload in parts",
  description:
    `For files of up to ${schema.MAX_UPLOAD_BYTES / 1_000_000_000} GB, or over an unreliable network. Send the parts in any order, then ` +
    `complete the upload. At most ${schema.MAX_UPLOADS} uploads at a time; after ${schema.UPLOAD_EXPIRY_HOURS} hours without a part, one is ` +
    "discarded. To attach the file to a record, a key also needs `memory:write`.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: [] },
  middleware: [beginOnce] as const,
  request: { headers: IdempotencyHeaders, body: body(schema.UploadBeginRequest) },
  responses: {
    201: json(schema.Upload, "The upload, without parts"),
    ...errors(...BODY_ERRORS, 401, 404, 409, 501),
  },
});

export const listUploadsRoute = operation({
  method: "get",
  path: "/uploads",
  operationId: "listUploads",
  summary: "List uploads in progress",
  description: `Newest first. ${PRIVATE}`,
  rules: { access: "docs:read", daily: "limited" },
  responses: { 200: json(schema.UploadList, "All of them"), ...errors(401, 501) },
});

export const getUploadRoute = operation({
  method: "get",
  path: "/{upload_id}/parts",
  operationId: "getUpload",
  summary: "Get the progress of an upload",
  description: "Lists the stored parts: after a broken connection, send the others.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.UploadParams },
  responses: { 200: json(schema.Upload, "The upload"), ...errors(401, 404, 422, 501) },
});

export const storePartRoute = operation({
  method: "put",
  path: "/{upload_id}/parts/{part}",
  operationId: "storePart",
  summary: "Upload a part",
  description:
    `The body is part number \`part\` of the file, exactly ${schema.UPLOAD_PART_BYTES} bytes; the last part has the rest. Sent again, it ` +
    "replaces the earlier one.",
  rules: { access: "docs:write", daily: "limited", body: "streamed", adds: [], changes: [] },
  request: {
    params: schema.PartParams,
    body: { description: "The bytes of the part", content: BYTES_CONTENT },
  },
  responses: {
    200: json(schema.Upload, "The upload with this part"),
    204: { description: "Stored. For a key that may not read" },
    ...errors(...BODY_ERRORS, 401, 404, 501),
  },
});

export const completeUploadRoute = operation({
  method: "post",
  path: "/{upload_id}/complete",
  operationId: "completeUpload",
  summary: "Complete an upload",
  description:
    "Joins the parts and computes the SHA-256. If the account already has a file with these bytes, the answer is that file. " +
    "Repeating the request returns the same file.",
  rules: { alone: true, access: "docs:write", daily: "limited", body: "none", adds: ["bytes"], changes: [] },
  request: { params: schema.UploadParams },
  responses: {
    201: json(schema.StoredFile, "The new file"),
    200: json(schema.StoredFile, "The account already has a file with these bytes"),
    204: { description: "The account already had it. For a key that may not read" },
    ...errors(400, 401, 404, 409, 422, 501),
  },
});

export const abortUploadRoute = operation({
  method: "delete",
  path: "/{upload_id}/parts",
  operationId: "abortUpload",
  summary: "Cancel an upload",
  description: "Deletes the received parts.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.UploadParams },
  responses: { 204: { description: "Cancelled" }, ...errors(401, 404, 422, 501) },
});

export const uploadRoutes = createRouter()
  .openapi(beginUploadRoute, async (c) =>
    c.json(await store.beginUpload(c.var.ctx, c.req.valid("json")), 201),
  )
  .openapi(listUploadsRoute, async (c) => c.json(await store.listUploads(c.var.ctx), 200))
  .openapi(getUploadRoute, async (c) =>
    c.json(await store.getUpload(c.var.ctx, c.req.valid("param").upload_id), 200),
  )
  .openapi(storePartRoute, async (c) => {
    const { upload_id, part } = c.req.valid("param");
    const bytes = requireContentLength(c.req.header("Content-Length"), schema.UPLOAD_PART_BYTES);
    return c.json(await store.storePart(c.var.ctx, upload_id, { part, bytes, body: c.req.raw.body }), 200);
  })
  .openapi(completeUploadRoute, async (c) => {
    const { file, isNew } = await store.completeUpload(c.var.ctx, c.req.valid("param").upload_id);
    return c.json(file, isNew ? 201 : 200);
  })
  .openapi(abortUploadRoute, async (c) => {
    await store.abortUpload(c.var.ctx, c.req.valid("param").upload_id);
    return c.body(null, 204);
  });
