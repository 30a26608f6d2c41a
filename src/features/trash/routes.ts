import { TrashEmptyQuery, TrashList, TrashListQuery } from "../../contract/trash.ts";
import {
  ACCEPTED_RESPONSE,
  answerAccepted,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { runOrStartJob } from "../../platform/jobs/run.ts";
import { TRASH_JOB } from "./job.ts";
import { countTrashed, listTrash } from "./store.ts";

const tags = ["Trash"];

export const listTrashRoute = operation({
  method: "get",
  path: "/",
  operationId: "listTrash",
  tags,
  summary: "List the trash",
  description:
    "Most recently deleted first; only documents unless `type` includes records. Restore with " +
    "POST /api/documents/{document_id}/restore or POST /api/memories/{memory_id}/restore. After 30 days, items are erased.",
  rules: { access: { byType: ["docs:read", "memory:read"] }, daily: "limited" },
  request: { query: TrashListQuery },
  responses: { 200: json(TrashList, "A page of the trash"), ...errors(401, 422) },
});

export const emptyTrashRoute = operation({
  method: "delete",
  path: "/",
  operationId: "emptyTrash",
  tags,
  summary: "Empty the trash",
  description: "Permanently erases what is in the trash now: only documents unless `type` includes records.",
  rules: {
    access: { byType: ["docs:write", "memory:write"] },
    daily: "unlimited",
    body: "none",
    adds: [],
    changes: [],
  },
  request: { query: TrashEmptyQuery, headers: PREFER_HEADERS },
  responses: { 204: { description: "Emptied" }, ...ACCEPTED_RESPONSE, ...errors(401, 409, 422) },
});

const TITLES = {
  documents: "Empty the trash of documents",
  memories: "Empty the trash of records",
  all: "Empty the trash",
};

export const trashRoutes = createRouter()
  .openapi(listTrashRoute, async (c) => c.json(await listTrash(c.var.ctx, c.req.valid("query")), 200))
  .openapi(emptyTrashRoute, async (c) => {
    const { ctx } = c.var;
    const payload = { type: c.req.valid("query").type, before: ctx.now.toISOString() };
    const emptying = {
      key: payload.before,
      title: TITLES[payload.type],
      total: await countTrashed(ctx, payload),
      payload,
    };
    const { job } = await runOrStartJob(ctx, TRASH_JOB, emptying, requestPreference(c));
    return job ? answerAccepted(c, job) : c.body(null, 204);
  });
