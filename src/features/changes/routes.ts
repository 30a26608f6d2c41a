import * as schema from "../../contract/changes.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { listChanges } from "./store.ts";

export const listChangesRoute = operation({
  method: "get",
  path: "/",
  operationId: "listChanges",
  tags: ["Activity"],
  summary: "List changes since a cursor",
  description:
    "For programs that keep a copy. Without a cursor, all records are listed page by page; after that, each cursor leads " +
    "to the changes since. Store a page, then its cursor: reading a page twice does no harm, because each item is a record " +
    "as it is now. A cursor expires (410) after 400 days, after 100,000 changes, or when a backup was restored: start " +
    "without a cursor, and delete copies of records that are no longer listed.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.ChangeListQuery },
  responses: { 200: json(schema.ChangeList, "A page of changes"), ...errors(401, 410, 422) },
});

export const changeRoutes = createRouter().openapi(listChangesRoute, async (c) =>
  c.json(await listChanges(c.var.ctx, c.req.valid("query")), 200),
);
