import { updateResponses, withChangeId } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/folder.ts";
import {
  ACCEPTED_RESPONSE,
  answerAccepted,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { idempotencyOf } from "../../platform/idempotency/answer-once.ts";
import { deleteFolder } from "./job.ts";
import * as store from "./store.ts";

const tags = ["Folders"];

export const createFolderRoute = operation({
  method: "post",
  path: "/",
  operationId: "createFolder",
  tags,
  summary: "Create a folder",
  description: "At the top level, or in another folder.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["folder"] },
  request: { headers: schema.FolderCreateHeaders, body: body(schema.FolderCreateRequest) },
  responses: {
    201: withChangeId(json(schema.Folder, "The new folder")),
    ...errors(...BODY_ERRORS, 401, 404, 409, 410),
  },
});

export const listFoldersRoute = operation({
  method: "get",
  path: "/",
  operationId: "listFolders",
  tags,
  summary: "List folders",
  description: "Sorted by name; `parent_id` gives the tree.",
  rules: { access: "docs:read", daily: "limited" },
  request: { query: schema.FolderListQuery },
  responses: { 200: json(schema.FolderList, "A page of folders"), ...errors(401, 404, 422) },
});

export const getFolderRoute = operation({
  method: "get",
  path: "/{folder_id}",
  operationId: "getFolder",
  tags,
  summary: "Get a folder",
  description: "Name, parent and number of documents.",
  rules: { access: "docs:read", daily: "limited" },
  request: { params: schema.FolderParams },
  responses: { 200: json(schema.Folder, "The folder"), ...errors(401, 404, 422) },
});

export const updateFolderRoute = operation({
  method: "put",
  path: "/{folder_id}",
  operationId: "updateFolder",
  tags,
  summary: "Rename or move a folder",
  description: "Omitted fields stay as they are; `parent_id: null` moves it to the top level.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["folder"] },
  request: { params: schema.FolderParams, body: body(schema.FolderUpdateRequest) },
  responses: {
    ...updateResponses(json(schema.Folder, "The folder as it is now")),
    ...errors(...BODY_ERRORS, 401, 404),
  },
});

export const deleteFolderRoute = operation({
  method: "delete",
  path: "/{folder_id}",
  operationId: "deleteFolder",
  tags,
  summary: "Delete a folder",
  description:
    "Rejected if the folder is not empty, unless `on_content` says what to do with its contents. The folder exists until " +
    "they have all been moved.",
  rules: {
    access: "docs:write",
    daily: "unlimited",
    body: "none",
    adds: [],
    changes: ["folder", "document"],
  },
  request: { params: schema.FolderParams, query: schema.FolderDeleteQuery, headers: PREFER_HEADERS },
  responses: {
    204: withChangeId({ description: "Deleted" }),
    ...ACCEPTED_RESPONSE,
    ...errors(400, 401, 404, 409, 422, 503),
  },
});

export const folderRoutes = createRouter()
  .openapi(createFolderRoute, async (c) => {
    const input = c.req.valid("json");
    const once = await idempotencyOf(c, input);
    const source_type = c.req.valid("header")["x-source-type"];
    const folder = await store.createFolder(c.var.ctx, input, { once, source_type });
    return c.json(folder, 201, { Location: `/api/folders/${folder.id}` });
  })
  .openapi(listFoldersRoute, async (c) =>
    c.json(await store.listFolders(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getFolderRoute, async (c) =>
    c.json(await store.getFolder(c.var.ctx, c.req.valid("param").folder_id), 200),
  )
  .openapi(updateFolderRoute, async (c) => {
    const { folder_id } = c.req.valid("param");
    return c.json(await store.updateFolder(c.var.ctx, folder_id, c.req.valid("json")), 200);
  })
  .openapi(deleteFolderRoute, async (c) => {
    const options = { onContent: c.req.valid("query").on_content, prefer: requestPreference(c) };
    const { job } = await deleteFolder(c.var.ctx, c.req.valid("param").folder_id, options);
    return job ? answerAccepted(c, job) : c.body(null, 204);
  });
