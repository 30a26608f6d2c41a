import { createRoute } from "@hono/zod-openapi";
import { createRouter, errors, json, SECURITY } from "../../platform/http/openapi.ts";
import * as schema from "../../contract/changes.ts";
import { listChanges } from "./store.ts";

export const listChangesRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "listChanges",
  tags: ["Activity"],
  summary: "List what is new, changed and gone since",
  description:
    "For a program that keeps a copy. Without a cursor it begins with everything there is, page by page; then each cursor " +
    "leads to what has changed since. Store a page, then its cursor: a page that is read twice does no harm, because each " +
    "item is a record as it is now. A cursor is too old (410) after 400 days, after 100,000 changes, or when a backup was " +
    "restored: begin without one, and delete what does not come again.",
  security: SECURITY,
  request: { query: schema.ChangeListQuery },
  responses: { 200: json(schema.ChangeList, "A page of changes"), ...errors(401, 410, 422) },
});

export const changeRoutes = createRouter().openapi(listChangesRoute, async (c) =>
  c.json(await listChanges(c.var.ctx, c.req.valid("query")), 200),
);
