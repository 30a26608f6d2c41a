import { z } from "@hono/zod-openapi";
import * as schema from "../../contract/file.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { lengthOf } from "./content-length.ts";
import { digestIn, nameIn } from "./disposition.ts";
import { linkRoutes } from "./link-routes.ts";
import { serveFile, THUMBNAIL_HEADERS, VARY } from "./serve.ts";
import * as store from "./store.ts";
import { uploadRoutes } from "./upload-routes.ts";
import { storeFile } from "./upload-store.ts";

const tags = ["Files"];

const BYTES = { "application/octet-stream": { schema: z.string(), example: "Bytes" } };

const LOCATION = { Location: { description: "Where its bytes are", schema: { type: "string" } } } as const;

const FILE = {
  200: json(schema.StoredFile, "The file"),
  204: { description: "Done, for a key that may not read" },
};

export const uploadFileRoute = operation({
  method: "post",
  path: "/",
  operationId: "uploadFile",
  tags,
  summary: "Upload a file",
  description:
    `The body is the file, at most ${schema.MAX_FILE_BYTES / 1_000_000} MB; a larger one comes in parts. Its type is what ` +
    "its bytes say. The same bytes again are the same file, so that repeating a request does no harm. To attach it to a " +
    "record, a key also needs `memory:write`.",
  rules: { access: "docs:write", daily: "limited", body: "streamed", adds: ["bytes"], changes: [] },
  request: {
    query: schema.FileUploadQuery,
    headers: schema.FileUploadHeaders,
    body: { description: "The bytes of the file", content: BYTES },
  },
  responses: {
    201: { ...json(schema.StoredFile, "The new file"), headers: LOCATION },
    200: { ...json(schema.StoredFile, "The file that the account has of these bytes"), headers: LOCATION },
    204: { description: "The account had it already. The answer for a key that may not read" },
    ...errors(...BODY_ERRORS, 401, 404, 501),
  },
});

export const listFilesRoute = operation({
  method: "get",
  path: "/",
  operationId: "listFiles",
  tags,
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
  tags,
  summary: "Read a file's bytes",
  description:
    "Whole or in parts (`Range`). Pictures, PDF, audio and video of a short list of types are shown in a browser, and " +
    "everything else is saved.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.FileParams, query: schema.FileReadQuery, headers: schema.FileReadHeaders },
  responses: {
    200: { description: "The whole file", content: BYTES },
    206: { description: "Part of the file, or several parts as multipart/byteranges", content: BYTES },
    304: { description: "Its bytes never change" },
    ...errors(401, 404, 416, 422, 501),
  },
});

export const getFileRoute = operation({
  method: "get",
  path: "/{file_id}/metadata",
  operationId: "getFile",
  tags,
  summary: "Read what is known of a file",
  description: "Name, type, size, and what it is attached to. One in the trash has `trashed_at`.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.FileParams },
  responses: { 200: json(schema.StoredFile, "The file"), ...errors(401, 404, 422, 501) },
});

export const updateFileRoute = operation({
  method: "patch",
  path: "/{file_id}",
  operationId: "updateFile",
  tags,
  summary: "Rename or describe a file",
  description:
    "Only the fields provided are changed. Other bytes are another file: see POST /api/files/{file_id}/replace.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: [], changes: [] },
  request: { params: schema.FileParams, body: body(schema.FileUpdateRequest) },
  responses: { ...FILE, ...errors(...BODY_ERRORS, 401, 404, 501) },
});

export const deleteFileRoute = operation({
  method: "delete",
  path: "/{file_id}",
  operationId: "deleteFile",
  tags,
  summary: "Delete a file",
  description:
    "Moves it to the trash for 30 days; with `permanent=true` it is erased at once, with its bytes.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileParams, query: schema.FileDeleteQuery },
  responses: { 204: { description: "Deleted" }, ...errors(401, 404, 422, 501) },
});

export const restoreFileRoute = operation({
  method: "post",
  path: "/{file_id}/restore",
  operationId: "restoreFile",
  tags,
  summary: "Restore a file from the trash",
  description: "To what it was attached to. A file that is not in the trash is left as it is.",
  rules: { access: "docs:write", daily: "limited", body: "none", adds: [], changes: [] },
  request: { params: schema.FileParams },
  responses: { ...FILE, ...errors(401, 404, 422, 501) },
});

export const storeThumbnailRoute = operation({
  method: "put",
  path: "/{file_id}/thumbnails/{width}",
  operationId: "storeThumbnail",
  tags,
  summary: "Store a smaller picture of a file",
  description:
    "In WebP, at most 1 MiB, with so many pixels on its longer side. The service makes none itself: a client that has the " +
    "picture does.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: [] },
  request: {
    params: schema.ThumbnailParams,
    body: {
      description: "The picture",
      content: { "image/webp": { schema: z.string(), example: "RIFF\u0000\u0000\u0000\u0000WEBPVP8 " } },
    },
  },
  responses: { 204: { description: "Stored" }, ...errors(...BODY_ERRORS, 401, 404, 501) },
});

export const readThumbnailRoute = operation({
  method: "get",
  path: "/{file_id}/thumbnails/{width}",
  operationId: "readThumbnail",
  tags,
  summary: "Read a smaller picture of a file",
  description: "Which ones there are is in `thumbnails` of the file.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.ThumbnailParams },
  responses: {
    200: { description: "The picture", content: { "image/webp": { schema: z.string() } } },
    ...errors(401, 404, 422, 501),
  },
});

const fileRoutesOwn = createRouter()
  .openapi(uploadFileRoute, async (c) => {
    const { ctx } = c.var;
    const holder = c.req.valid("query");
    const headers = c.req.valid("header");
    const { file, isNew } = await storeFile(ctx, {
      ...holder,
      name: nameIn(headers["content-disposition"]),
      bytes: lengthOf(c.req.header("Content-Length"), schema.MAX_FILE_BYTES),
      sha256: digestIn(headers["repr-digest"], headers.digest),
      body: c.req.raw.body,
    });
    return c.json(file, isNew ? 201 : 200, { Location: `/api/files/${file.id}` });
  })
  .openapi(listFilesRoute, async (c) => c.json(await store.listFiles(c.var.ctx, c.req.valid("query")), 200))
  .openapi(readFileRoute, async (c) => {
    const found = await store.findFile(c.var.ctx, c.req.valid("param").file_id);
    const { range, "if-range": ifRange, "if-none-match": ifNoneMatch } = c.req.valid("header");
    const { download } = c.req.valid("query");
    c.header("Vary", VARY, { append: true });
    return serveFile(found, {
      download,
      ...(range !== undefined && { range }),
      ...(ifRange !== undefined && { ifRange }),
      ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    });
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

// The paths of uploads come first: `uploads` is no id.
export const fileRoutes = createRouter()
  .route("/", uploadRoutes)
  .route("/", fileRoutesOwn)
  .route("/", linkRoutes);
