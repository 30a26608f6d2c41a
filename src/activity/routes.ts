import { createRoute } from "@hono/zod-openapi";
import { BODY_ERRORS, body, changed, createRouter, errors, json, SECURITY } from "../platform/http/openapi.ts";
import { answerOnce } from "../platform/idempotency/answer-once.ts";
import * as schema from "../contract/activity.ts";
import { listActivity } from "../features/activity/store.ts";
import { undoChanges } from "./undo-store.ts";

const tags = ["Activity"];

export const listActivityRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listActivity",
  tags,
  summary: "List the changes of the account",
  description:
    "Every change of a document, memory record or folder, newest first: when, by whom, and the versions before and after " +
    "it. A page may be short, even empty, while there is a `next_cursor`: go on with it. Changes are kept for 400 days, " +
    "and at most 100,000 of them. Erasures are not among them: the changes of an erased record lose their titles.",
  security: SECURITY,
  request: { query: schema.ActivityListQuery },
  responses: { 200: json(schema.ActivityList, "A page of changes"), ...errors(401, 422) },
});

export const undoActivityRoute = createRoute({
  method: "post",
  path: "/undo",
  operationId: "undoActivity",
  tags,
  summary: "Undo changes",
  description:
    "Those with the given ids, or the last hundred of a client since a time (`next_before` of the answer leads to the ones " +
    "before them); the newest first, each with its own result. " +
    "An undo is a change as well, with a new version, and can be undone. What has changed since is not undone: its result " +
    "has both states. What was created goes to the trash. Erasures cannot be undone.",
  security: SECURITY,
  request: { headers: schema.UndoHeaders, body: body(schema.UndoRequest) },
  middleware: [answerOnce] as const,
  responses: {
    ...changed(json(schema.UndoAnswer, "A result for each change")),
    ...errors(...BODY_ERRORS, 401, 409, 503),
  },
});

export const activityRoutes = createRouter()
  .openapi(listActivityRoute, async (c) => c.json(await listActivity(c.var.ctx, c.req.valid("query")), 200))
  .openapi(undoActivityRoute, async (c) => c.json(await undoChanges(c.var.ctx, c.req.valid("json")), 200));
