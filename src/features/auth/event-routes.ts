import { createRoute } from "@hono/zod-openapi";
import { createRouter, errors, json, SECURITY } from "../../platform/http/openapi.ts";
import { SecurityEventList, SecurityEventListQuery } from "../../contract/security-events.ts";
import { listSecurityEvents } from "../../platform/security-events/store.ts";
import { guard } from "./guard.ts";

export const listSecurityEventsRoute = createRoute({
  method: "get",
  path: "/events",
  operationId: "listSecurityEvents",
  tags: ["Sign-in"],
  summary: "What happened to the account's security",
  description:
    "Sign-ins, failed ones, and changes of whatever gives access, for 90 days. Of failed sign-ins, at most 20 an hour.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { query: SecurityEventListQuery },
  responses: { 200: json(SecurityEventList, "A page of events, newest first"), ...errors(401, 422) },
});

export const eventRoutes = createRouter().openapi(listSecurityEventsRoute, async (c) =>
  c.json(await listSecurityEvents(c.var.ctx, c.req.valid("query")), 200),
);
