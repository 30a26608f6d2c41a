import { createRoute } from "@hono/zod-openapi";
import { createRouter, errors, json, SECURITY } from "../core/openapi.ts";
import { SearchAnswer, SearchQuery } from "./schema.ts";
import { searchDocuments } from "./store.ts";

export const searchRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "search",
  tags: ["Search"],
  summary: "Search documents",
  description: "Finds documents that hold any of the words, best first.",
  security: SECURITY,
  request: { query: SearchQuery },
  responses: { 200: json(SearchAnswer, "A page of matches"), ...errors(401, 404, 422) },
});

export const searchRoutes = createRouter().openapi(searchRoute, async (c) =>
  c.json(await searchDocuments(c.var.ctx, c.req.valid("query")), 200),
);
