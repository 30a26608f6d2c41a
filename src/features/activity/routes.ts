import * as schema from "../../contract/activity.ts";
import { updateResponses } from "../../contract/change-id-fields.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { listActivity } from "./store.ts";
import { repeatedUndoAnswer, storedUndoAnswer, undoChanges } from "./undo-store.ts";

const operation = tagged("Activity");

export const listActivityRoute = operation({
  method: "get",
  path: "/",
  operationId: "listActivity",
  summary: "List changes",
  description:
    "Every change of a document, memory record or folder, newest first: when, by whom, and the versions before and after. " +
    "A page may be short or even empty while there is a `next_cursor`: continue with it. Changes are kept for 400 days, " +
    "at most 100,000 of them. Erasures are not listed, and the changes of an erased record lose their titles.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.ActivityListQuery },
  responses: { 200: json(schema.ActivityList, "A page of changes"), ...errors(401, 422) },
});

export const undoActivityRoute = operation({
  method: "post",
  path: "/undo",
  operationId: "undoActivity",
  summary: "Undo changes",
  description:
    "Undoes changes by id, by the header `Change-Id` of a write's answer, or of a client since a time: at most 100, newest " +
    "first, each with its own result. Continue with the answer's `next_before`. An undo is recorded as a change and can " +
    "itself be undone. Changes made since then are reported as conflicts, with both states. Created records go to the " +
    "trash. Erasures cannot be undone.",
  rules: {
    access: ["docs:write", "memory:write"],
    daily: "limited",
    body: "1 MiB",
    adds: ["documents", "records", "bytes"],
    changes: ["document", "memory", "folder"],
  },
  request: { headers: schema.UndoHeaders, body: body(schema.UndoRequest) },
  middleware: [answerOnce({ content: { reduce: storedUndoAnswer, again: repeatedUndoAnswer } })] as const,
  responses: {
    ...updateResponses(json(schema.UndoAnswer, "A result for each change")),
    ...errors(...BODY_ERRORS, 401, 409, 503),
  },
});

export const activityRoutes = createRouter()
  .openapi(listActivityRoute, async (c) => c.json(await listActivity(c.var.ctx, c.req.valid("query")), 200))
  .openapi(undoActivityRoute, async (c) => c.json(await undoChanges(c.var.ctx, c.req.valid("json")), 200));
