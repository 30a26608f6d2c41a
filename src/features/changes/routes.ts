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
    "For a program that keeps a copy. Without a cursor it begins with everything there is, page by page; then each cursor " +
    "leads to what has changed since. Store a page, then its cursor: a page that is read twice does no harm, because each " +
    "item is a record as it is now. A cursor is too old (410) after 400 days, after 100,000 changes, or when a backup was " +
    "restored: begin without one, and delete your copies of what is no longer listed.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.ChangeListQuery },
  responses: { 200: json(schema.ChangeList, "A page of changes"), ...errors(401, 410, 422) },
});

export const changeRoutes = createRouter().openapi(listChangesRoute, async (c) =>
  c.json(await listChanges(c.var.ctx, c.req.valid("query")), 200),
);
