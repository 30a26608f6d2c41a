import * as schema from "../../contract/jobs.ts";
import { createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import * as store from "./store.ts";

const operation = tagged("Jobs");

export const listJobsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listJobs",
  summary: "List jobs, which are operations that take longer than a request",
  description:
    "The last 50, newest first: those that are running, and for a week those that have ended. An operation that completes " +
    "within its request is not listed, unless another request was answered with its job.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.JobListQuery },
  responses: { 200: json(schema.JobList, "A page of jobs"), ...errors(401, 422) },
});

export const getJobRoute = operation({
  method: "get",
  path: "/{job_id}",
  operationId: "getJob",
  summary: "Get the progress of a job",
  description: "With `wait`, responds when the job has ended or that time is over.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited", primary: true },
  request: { params: schema.JobParams, query: schema.JobQuery },
  responses: { 200: json(schema.Job, "The job"), ...errors(401, 404, 422) },
});

export const cancelJobRoute = operation({
  method: "delete",
  path: "/{job_id}",
  operationId: "cancelJob",
  summary: "Cancel a job",
  description: "Changes that it has already made are kept.",
  rules: { access: ["docs:write", "memory:write"], daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.JobParams },
  responses: { 204: { description: "Cancelled" }, ...errors(401, 404, 409, 422) },
});

export const jobRoutes = createRouter()
  .openapi(listJobsRoute, async (c) => c.json(await store.listJobs(c.var.ctx, c.req.valid("query")), 200))
  .openapi(getJobRoute, async (c) => {
    const { wait } = c.req.valid("query");
    return c.json(await store.getJob(c.var.ctx, c.req.valid("param").job_id, wait), 200);
  })
  .openapi(cancelJobRoute, async (c) => {
    await store.cancelJob(c.var.ctx, c.req.valid("param").job_id);
    return c.body(null, 204);
  });
