import { SecurityEventList, SecurityEventListQuery } from "../../contract/security-events.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { listSecurityEvents } from "../../platform/security-events/store.ts";

export const listSecurityEventsRoute = operation({
  method: "get",
  path: "/events",
  operationId: "listSecurityEvents",
  tags: ["Sign-in"],
  summary: "List security events",
  description: "Sign-ins, failed sign-ins (at most 20 an hour) and access changes from the last 90 days.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: SecurityEventListQuery },
  responses: { 200: json(SecurityEventList, "A page of events, newest first"), ...errors(401, 422) },
});

export const eventRoutes = createRouter().openapi(listSecurityEventsRoute, async (c) =>
  c.json(await listSecurityEvents(c.var.ctx, c.req.valid("query")), 200),
);
