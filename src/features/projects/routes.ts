import { updateResponses } from "../../contract/change-id-fields.ts";
import * as schema from "../../contract/projects.ts";
import {
  ACCEPTED_RESPONSE,
  answerAccepted,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { startProjectRename } from "../memories/project-job.ts";
import * as store from "./store.ts";

const tags = ["Projects"];

export const listProjectsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listProjects",
  tags,
  summary: "List projects",
  description: "Sorted by name, with the number of records in each.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.ProjectListQuery },
  responses: { 200: json(schema.ProjectList, "A page of projects"), ...errors(401, 422) },
});

export const renameProjectRoute = operation({
  method: "put",
  path: "/{name}",
  operationId: "renameProject",
  tags,
  summary: "Rename a project, or merge it into another",
  description:
    "Changes every record of the project, in any state, one by one. Each keeps the old name until then.",
  rules: { access: "memory:write", daily: "limited", body: "1 MiB", adds: ["bytes"], changes: ["memory"] },
  request: { params: schema.ProjectParams, headers: PREFER_HEADERS, body: body(schema.ProjectUpdateRequest) },
  responses: {
    ...updateResponses(json(schema.RenamedProject, "The project under its new name")),
    ...ACCEPTED_RESPONSE,
    ...errors(...BODY_ERRORS, 401, 404, 409, 503),
  },
});

export const projectRoutes = createRouter()
  .openapi(listProjectsRoute, async (c) =>
    c.json(await store.listProjects(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(renameProjectRoute, async (c) => {
    const { name } = c.req.valid("param");
    const next = c.req.valid("json").name;
    const by = { writer: { source_type: "api" as const }, prefer: requestPreference(c) };
    const { job } = await startProjectRename(c.var.ctx, { project: name, next }, by);
    return job ? answerAccepted(c, job) : c.json(await store.renamedProject(c.var.ctx, next), 200);
  });
