import { queryOptions, useQuery } from "@tanstack/react-query";
import { dashboardApi, type Summary } from "../../api/dashboard.ts";
import { fetchOrCopy } from "../../state/copies.ts";

export const SUMMARY_QUERY = queryOptions({
  queryKey: ["dashboard", "summary"],
  queryFn: (asking) => fetchOrCopy("/api/dashboard/summary", () => dashboardApi.summary(), asking),
});

export const useSummary = () => useQuery(SUMMARY_QUERY);

/** The names of all projects; empty until the summary has loaded. */
export const projectNames = (summary: Summary | undefined): string[] =>
  summary?.by_project.map(({ project }) => project) ?? [];
