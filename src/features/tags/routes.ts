import { changed, named } from "../../contract/ledger.ts";
import * as schema from "../../contract/tags.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import * as store from "./store.ts";

const tags = ["Tags"];

export const listTagsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listTags",
  tags,
  summary: "List tags",
  description: "Sorted by name, with the number of documents that have each.",
  rules: { access: "docs:read", daily: "limited" },
  request: { query: schema.TagListQuery },
  responses: { 200: json(schema.TagList, "A page of tags"), ...errors(401, 422) },
});

export const renameTagRoute = operation({
  method: "put",
  path: "/{name}",
  operationId: "renameTag",
  tags,
  summary: "Rename a tag, or merge it into another",
  description: "Changes every document that has it. If the request is interrupted, repeat it to continue.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["document"] },
  request: { params: schema.TagParams, body: body(schema.TagUpdateRequest) },
  responses: {
    ...changed(json(schema.TagItem, "The tag under its new name")),
    ...errors(...BODY_ERRORS, 401, 404),
  },
});

export const deleteTagRoute = operation({
  method: "delete",
  path: "/{name}",
  operationId: "deleteTag",
  tags,
  summary: "Remove a tag from every document",
  description: "The documents themselves stay. If the request is interrupted, repeat it to continue.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: "history", changes: ["document"] },
  request: { params: schema.TagParams },
  responses: { 204: named({ description: "Deleted" }), ...errors(401, 404, 422) },
});

export const tagRoutes = createRouter()
  .openapi(listTagsRoute, async (c) => c.json(await store.listTags(c.var.ctx, c.req.valid("query")), 200))
  .openapi(renameTagRoute, async (c) => {
    const { name } = c.req.valid("param");
    return c.json(await store.renameTag(c.var.ctx, name, c.req.valid("json").name), 200);
  })
  .openapi(deleteTagRoute, async (c) => {
    await store.deleteTag(c.var.ctx, c.req.valid("param").name);
    return c.body(null, 204);
  });
