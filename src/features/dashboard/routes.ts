import { z } from "@hono/zod-openapi";
import * as schema from "../../contract/dashboard.ts";
import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import { hex, sha256 } from "../../platform/core/bytes.ts";
import { matchesEtag } from "../../platform/http/etag.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import { inShardOfSecret } from "../../platform/shards/router.ts";
import { createCalendarToken, readCalendar, revokeCalendarToken } from "./calendar-store.ts";
import * as store from "./store.ts";

const tags = ["Dashboard"];

export const listCommitmentsRoute = operation({
  method: "get",
  path: "/commitments",
  operationId: "listCommitments",
  tags,
  summary: "List active commitments",
  description: "Overdue ones first, then by due date, then the rest, newest first.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.CommitmentsQuery },
  responses: { 200: json(schema.CommitmentList, "Active commitments"), ...errors(401, 422) },
});

export const listAlertsRoute = operation({
  method: "get",
  path: "/alerts",
  operationId: "listAlerts",
  tags,
  summary: "List overdue and stale records",
  description:
    "Overdue records of every type, longest overdue first, then stale commitments and blockers: text, due date and status " +
    "not changed, and not confirmed, for the number of days in the caller's settings. Changes of project, scope, type or " +
    "tags do not count.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.AlertsQuery },
  responses: { 200: json(schema.CommitmentList, "Alerts"), ...errors(401, 422) },
});

export const listHistoryRoute = operation({
  method: "get",
  path: "/commitment-history",
  operationId: "listHistory",
  tags,
  summary: "List closed records with statistics",
  description: "Last closed first. The statistics are filtered by scope, project and memory_type only.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.HistoryQuery },
  responses: { 200: json(schema.CommitmentHistory, "Closed records"), ...errors(401, 422) },
});

export const getSummaryRoute = operation({
  method: "get",
  path: "/summary",
  operationId: "getSummary",
  tags,
  summary: "Count records by state, type and project",
  description: "Counts all records. Days are in the caller's time zone.",
  rules: { access: "memory:read", daily: "limited" },
  request: { query: schema.SummaryQuery },
  responses: { 200: json(schema.Summary, "The counts"), ...errors(401, 422) },
});

export const createCalendarTokenRoute = operation({
  method: "post",
  path: "/calendar-token",
  operationId: "createCalendarToken",
  tags,
  summary: "Create a secret calendar feed URL",
  description:
    "Shown only once; replaces the previous URL. Changing the password or signing out everywhere revokes it. An API key " +
    "cannot create one.",
  rules: { access: "person", daily: "limited", body: "none", adds: [], changes: [] },
  middleware: [answerOnce({ isSecret: true })] as const,
  request: { headers: IdempotencyHeaders },
  responses: { 201: json(schema.CalendarToken, "The new URL"), ...errors(401, 409, 422) },
});

export const revokeCalendarTokenRoute = operation({
  method: "delete",
  path: "/calendar-token",
  operationId: "revokeCalendarToken",
  tags,
  summary: "Revoke the calendar feed URL",
  description: "The URL stops working.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  responses: { 204: { description: "Revoked" }, ...errors(401) },
});

export const getCalendarRoute = operation({
  method: "get",
  path: "/calendar.ics",
  operationId: "getCalendar",
  tags,
  summary: "Get due dates as a calendar feed",
  description:
    "For calendar apps: anyone who has the URL can read it. Active records only. With If-None-Match, sent only if it has " +
    "changed.",
  rules: { access: "anyone", daily: "unlimited" },
  request: { query: schema.CalendarQuery, headers: schema.CalendarHeaders },
  responses: {
    200: {
      description: "An iCalendar file",
      content: { "text/calendar": { schema: z.string() } },
      headers: schema.CalendarTag,
    },
    304: {
      description: "Unchanged since the answer with the ETag in If-None-Match",
      headers: schema.CalendarTag,
    },
    ...errors(404, 422, 429),
  },
});

export const dashboardRoutes = createRouter()
  .openapi(listCommitmentsRoute, async (c) =>
    c.json(await store.listCommitments(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(listAlertsRoute, async (c) => c.json(await store.listAlerts(c.var.ctx, c.req.valid("query")), 200))
  .openapi(listHistoryRoute, async (c) =>
    c.json(await store.listHistory(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(getSummaryRoute, async (c) => c.json(await store.getSummary(c.var.ctx, c.req.valid("query")), 200))
  .openapi(createCalendarTokenRoute, async (c) => {
    const token = await createCalendarToken(c.var.ctx);
    return c.json({ token, url: new URL(`/api/dashboard/calendar.ics?token=${token}`, c.req.url).href }, 201);
  })
  .openapi(revokeCalendarTokenRoute, async (c) => {
    await revokeCalendarToken(c.var.ctx);
    return c.body(null, 204);
  })
  // Calendar apps authenticate with the secret in the URL.
  .openapi(getCalendarRoute, async (c) => {
    const { token } = c.req.valid("query");
    const { hostname } = new URL(c.req.url);
    const calendar = await inShardOfSecret(c, token, () => readCalendar(c.var.base, token, hostname));
    const headers = { ETag: `"${hex(await sha256(calendar))}"` };
    if (matchesEtag(c.req.valid("header")["if-none-match"], headers.ETag)) return c.body(null, 304, headers);
    return c.text(calendar, 200, { ...headers, "Content-Type": "text/calendar; charset=utf-8" });
  });
