import { TrashEmptyQuery, TrashList, TrashListQuery } from "../../contract/trash.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { emptyTrash, listTrash } from "./store.ts";

const tags = ["Trash"];

export const listTrashRoute = operation({
  method: "get",
  path: "/",
  operationId: "listTrash",
  tags,
  summary: "List the trash",
  description:
    "Most recently deleted first; documents alone unless `type` asks for records. " +
    "POST /api/documents/{document_id}/restore and POST /api/memories/{memory_id}/restore bring one back; after 30 " +
    "days it is erased.",
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
  description:
    "Permanently erases what is in it: documents alone unless `type` asks for records. If the request is interrupted, " +
    "repeat it to continue.",
  rules: {
    access: { byType: ["docs:write", "memory:write"] },
    daily: "unlimited",
    body: "none",
    adds: [],
    changes: [],
  },
  request: { query: TrashEmptyQuery },
  responses: { 204: { description: "Emptied" }, ...errors(401, 422) },
});

export const trashRoutes = createRouter()
  .openapi(listTrashRoute, async (c) => c.json(await listTrash(c.var.ctx, c.req.valid("query")), 200))
  .openapi(emptyTrashRoute, async (c) => {
    await emptyTrash(c.var.ctx, c.req.valid("query"));
    return c.body(null, 204);
  });
