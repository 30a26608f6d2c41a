import type * as dashboard from "../../../src/contract/dashboard.ts";
import { type Answer, get, postWithRetry, type Query, remove } from "./client.ts";

export type DashboardItem = Answer<typeof dashboard.CommitmentList>["items"][number];
export type Summary = dashboard.Summary;
export type History = dashboard.CommitmentHistory;

export const dashboardApi = {
  commitments: (query: Query<typeof dashboard.CommitmentsQuery> = {}) =>
    get<Answer<typeof dashboard.CommitmentList>>("/api/dashboard/commitments", query),
  alerts: (query: Query<typeof dashboard.AlertsQuery> = {}) =>
    get<Answer<typeof dashboard.CommitmentList>>("/api/dashboard/alerts", query),
  history: (query: Query<typeof dashboard.HistoryQuery> = {}) =>
    get<History>("/api/dashboard/commitment-history", query),
  summary: (query: Query<typeof dashboard.SummaryQuery> = {}) =>
    get<Summary>("/api/dashboard/summary", query),
  createCalendar: () =>
    postWithRetry<Answer<typeof dashboard.CalendarToken>>("/api/dashboard/calendar-token", undefined),
  revokeCalendar: () => remove("/api/dashboard/calendar-token"),
};
