import { updateResponses, withChangeId } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/tags.ts";
import {
  ACCEPTED_RESPONSE,
  answerAccepted,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { retag } from "./job.ts";
import * as store from "./store.ts";

const tags = ["Tags"];

export const listTagsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listTags",
  tags,
  summary: "List tags",
  description: "Sorted by name, with the number of documents with each.",
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
  description: "Changes every document with the tag, one by one. Each keeps the old tag until then.",
  rules: { access: "docs:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["document"] },
  request: { params: schema.TagParams, headers: PREFER_HEADERS, body: body(schema.TagUpdateRequest) },
  responses: {
    ...updateResponses(json(schema.TagItem, "The tag under its new name")),
    ...ACCEPTED_RESPONSE,
    ...errors(...BODY_ERRORS, 401, 404, 409),
  },
});

export const deleteTagRoute = operation({
  method: "delete",
  path: "/{name}",
  operationId: "deleteTag",
  tags,
  summary: "Remove a tag from every document",
  description: "The documents stay.",
  rules: { access: "docs:write", daily: "unlimited", body: "none", adds: "history", changes: ["document"] },
  request: { params: schema.TagParams, headers: PREFER_HEADERS },
  responses: {
    204: withChangeId({ description: "Deleted" }),
    ...ACCEPTED_RESPONSE,
    ...errors(401, 404, 409, 422),
  },
});

export const tagRoutes = createRouter()
  .openapi(listTagsRoute, async (c) => c.json(await store.listTags(c.var.ctx, c.req.valid("query")), 200))
  .openapi(renameTagRoute, async (c) => {
    const { name } = c.req.valid("param");
    const next = c.req.valid("json").name;
    const { job } = await retag(c.var.ctx, name, { next, prefer: requestPreference(c) });
    return job ? answerAccepted(c, job) : c.json(await store.countTag(c.var.ctx, next), 200);
  })
  .openapi(deleteTagRoute, async (c) => {
    const { name } = c.req.valid("param");
    const { job } = await retag(c.var.ctx, name, { next: null, prefer: requestPreference(c) });
    return job ? answerAccepted(c, job) : c.body(null, 204);
  });
