import { z } from "@hono/zod-openapi";
import * as schema from "../../contract/file.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { requireContentLength } from "./content-length.ts";
import { fileNameInHeader, sha256InHeaders } from "./disposition.ts";
import { linkRoutes } from "./link-routes.ts";
import { serveFile, THUMBNAIL_HEADERS, VARY } from "./serve.ts";
import * as store from "./store.ts";
import { BYTES_CONTENT, uploadRoutes } from "./upload-routes.ts";
import { storeFile } from "./upload-store.ts";

const operation = tagged("Files");

const LOCATION_HEADER = {
  Location: { description: "URL of the file's bytes", schema: { type: "string" } },
} as const;

const FILE_RESPONSES = {
  200: json(schema.StoredFile, "The file"),
  204: { description: "Done. For a key that may not read" },
};

export const uploadFileRoute = operation({
  method: "post",
  path: "/",
  operationId: "uploadFile",
  summary: "Upload a file",
  description:
    `The body is the file, at most ${schema.MAX_FILE_BYTES / 1_000_000} MB; upload larger files in parts. The type is ` +
    "detected from the bytes. Uploading the same bytes again returns the same file, so repeating a request is safe. To " +
    "attach it to a record, a key also needs `memory:write`.",
  rules: { access: "docs:write", daily: "limited", body: "streamed", adds: ["bytes"], changes: [] },
  request: {
    query: schema.FileUploadQuery,
    headers: schema.FileUploadHeaders,
    body: { description: "The bytes of the file", content: BYTES_CONTENT },
  },
  responses: {
    201: { ...json(schema.StoredFile, "The new file"), headers: LOCATION_HEADER },
    200: {
      ...json(schema.StoredFile, "The account already has a file with these bytes"),
      headers: LOCATION_HEADER,
    },
    204: { description: "The account already had it. For a key that may not read" },
    ...errors(...BODY_ERRORS, 401, 404, 501),
  },
});

export const listFilesRoute = operation({
  method: "get",
  path: "/",
  operationId: "listFiles",
  summary: "List files",
  description: "Newest first, without their bytes. With `memory_id`, a key also needs `memory:read`.",
  rules: { access: "docs:read", daily: "limited" },
  request: { query: schema.FileListQuery },
  responses: { 200: json(schema.FileList, "A page of files"), ...errors(401, 404, 422, 501) },
});

export const readFileRoute = operation({
  method: "get",
  path: "/{file_id}",
  operationId: "readFile",
  summary: "Read a file's bytes",
  description:
    "Whole or in parts (`Range`). Browsers show common image, PDF, audio and video types; everything else is downloaded.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.FileParams, query: schema.FileReadQuery, headers: schema.FileReadHeaders },
  responses: {
    200: { description: "The whole file", content: BYTES_CONTENT },
    206: {
      description: "Part of the file, or several parts as multipart/byteranges",
      content: BYTES_CONTENT,
    },
    304: { description: "Not modified: a file's bytes never change" },
    ...errors(401, 404, 416, 422, 501),
  },
});

export const getFileRoute = operation({
  method: "get",
  path: "/{file_id}/metadata",
  operationId: "getFile",
  summary: "Get a file's metadata",
  description: "Name, type, size, and what it is attached to. A file in the trash has `trashed_at`.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.FileParams },
  responses: { 200: json(schema.StoredFile, "The file"), ...errors(401, 404, 422, 501) },
});

export const updateFileRoute = operation({
  method: "patch",
  path: "/{file_id}",
  operationId: "updateFile",
  summary: "Rename or describe a file",
  description:
    "Omitted fields stay as they are. To replace the bytes, see POST /api/files/{file_id}/replace.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { params: schema.FileParams, body: body(schema.FileUpdateRequest) },
  responses: { ...FILE_RESPONSES, ...errors(...BODY_ERRORS, 401, 404, 501) },
});

export const deleteFileRoute = operation({
  method: "delete",
  path: "/{file_id}",
  operationId: "deleteFile",
  summary: "Delete a file",
  description:
    "Moves it to the trash for 30 days; with `permanent=true`, it is erased immediately, with its bytes.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileParams, query: schema.FileDeleteQuery },
  responses: { 204: { description: "Deleted" }, ...errors(401, 404, 422, 501) },
});

export const restoreFileRoute = operation({
  method: "post",
  path: "/{file_id}/restore",
  operationId: "restoreFile",
  summary: "Restore a file from the trash",
  description: "Its attachments are restored too. A file that is not in the trash stays as it is.",
  rules: { access: "docs:write", daily: "limited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileParams },
  responses: { ...FILE_RESPONSES, ...errors(401, 404, 422, 501) },
});

export const storeThumbnailRoute = operation({
  method: "put",
  path: "/{file_id}/thumbnails/{width}",
  operationId: "storeThumbnail",
  summary: "Store a thumbnail of a file",
  description:
    "WebP, at most 1 MiB, with `width` pixels on its longer side. The service does not create thumbnails: a client that has " +
    "the picture does.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: [] },
  request: {
    params: schema.ThumbnailParams,
    body: {
      description: "The thumbnail",
      content: { "image/webp": { schema: z.string(), example: "RIFF\u0000\u0000\u0000\u0000WEBPVP8 " } },
    },
  },
  responses: { 204: { description: "Stored" }, ...errors(...BODY_ERRORS, 401, 404, 501) },
});

export const readThumbnailRoute = operation({
  method: "get",
  path: "/{file_id}/thumbnails/{width}",
  operationId: "readThumbnail",
  summary: "Read a thumbnail of a file",
  description: "The file's `thumbnails` lists the available widths.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.ThumbnailParams },
  responses: {
    200: { description: "The thumbnail", content: { "image/webp": { schema: z.string() } } },
    ...errors(401, 404, 422, 501),
  },
});

const singleFileRoutes = createRouter()
  .openapi(uploadFileRoute, async (c) => {
    const { ctx } = c.var;
    const holder = c.req.valid("query");
    const headers = c.req.valid("header");
    const { file, isNew } = await storeFile(ctx, {
      ...holder,
      name: fileNameInHeader(headers["content-disposition"]),
      bytes: requireContentLength(c.req.header("Content-Length"), schema.MAX_FILE_BYTES),
      sha256: sha256InHeaders(headers["repr-digest"], headers.digest),
      body: c.req.raw.body,
    });
    return c.json(file, isNew ? 201 : 200, { Location: `/api/files/${file.id}` });
  })
  .openapi(listFilesRoute, async (c) => c.json(await store.listFiles(c.var.ctx, c.req.valid("query")), 200))
  .openapi(readFileRoute, async (c) => {
    const found = await store.findFile(c.var.ctx, c.req.valid("param").file_id);
    const { range, "if-range": ifRange, "if-none-match": ifNoneMatch } = c.req.valid("header");
    c.header("Vary", VARY, { append: true });
    return serveFile(found, { ...c.req.valid("query"), range, ifRange, ifNoneMatch });
  })
  .openapi(getFileRoute, async (c) =>
    c.json(await store.getFile(c.var.ctx, c.req.valid("param").file_id), 200),
  )
  .openapi(updateFileRoute, async (c) => {
    const { file_id } = c.req.valid("param");
    return c.json(await store.updateFile(c.var.ctx, file_id, c.req.valid("json")), 200);
  })
  .openapi(deleteFileRoute, async (c) => {
    await store.deleteFile(c.var.ctx, c.req.valid("param").file_id, c.req.valid("query"));
    return c.body(null, 204);
  })
  .openapi(restoreFileRoute, async (c) =>
    c.json(await store.restoreFile(c.var.ctx, c.req.valid("param").file_id), 200),
  )
  .openapi(storeThumbnailRoute, async (c) => {
    const { file_id, width } = c.req.valid("param");
    await store.storeThumbnail(c.var.ctx, file_id, { width, bytes: await c.req.arrayBuffer() });
    return c.body(null, 204);
  })
  .openapi(readThumbnailRoute, async (c) => {
    const { file_id, width } = c.req.valid("param");
    const { body } = await store.readThumbnail(c.var.ctx, file_id, width);
    c.header("Vary", VARY, { append: true });
    return new Response(body, { headers: THUMBNAIL_HEADERS });
  });

// Upload paths come first, because `uploads` is not an id.
export const fileRoutes = createRouter()
  .route("/", uploadRoutes)
  .route("/", singleFileRoutes)
  .route("/", linkRoutes);
