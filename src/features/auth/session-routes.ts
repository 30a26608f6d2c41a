import * as schema from "../../contract/auth.ts";
import { SecurityEventList, SecurityEventListQuery } from "../../contract/security-events.ts";
import { createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { listSecurityEvents } from "../../platform/security-events/store.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import * as sessions from "./session-store.ts";

const operation = tagged("Sign-in");
const DONE = { 204: { description: "Done" } };

export const listSessionsRoute = operation({
  method: "get",
  path: "/sessions",
  operationId: "listSessions",
  summary: "List sessions",
  description: "The session of this request has `current: true`.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: schema.SessionListQuery },
  responses: { 200: json(schema.SessionList, "Active sessions, last used first"), ...errors(401, 422) },
});

export const revokeSessionRoute = operation({
  method: "delete",
  path: "/sessions/{session_id}",
  operationId: "revokeSession",
  summary: "End one session",
  description: "Its tokens become invalid.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.SessionParams },
  responses: { ...DONE, ...errors(401, 404, 422) },
});

export const listSecurityEventsRoute = operation({
  method: "get",
  path: "/events",
  operationId: "listSecurityEvents",
  summary: "List security events",
  description: "Sign-ins, failed sign-ins (at most 20 an hour) and access changes from the last 90 days.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: SecurityEventListQuery },
  responses: { 200: json(SecurityEventList, "A page of events, newest first"), ...errors(401, 422) },
});

export const sessionRoutes = createRouter()
  .openapi(listSessionsRoute, async (c) =>
    c.json(await sessions.listSessions(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(revokeSessionRoute, async (c) => {
    const { session_id } = c.req.valid("param");
    await sessions.revokeSession(c.var.ctx, session_id);
    if ((await c.var.ctx.sessionId()) === session_id) clearSessionCookie(c);
    return c.body(null, 204);
  })
  .openapi(listSecurityEventsRoute, async (c) =>
    c.json(await listSecurityEvents(c.var.ctx, c.req.valid("query")), 200),
  );
