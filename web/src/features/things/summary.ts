import { useQuery } from "@tanstack/react-query";
import { dashboardApi, type Summary } from "../../api/dashboard.ts";
import { fetchOrCopy, type QueryContext } from "../../state/copies.ts";

const readSummary = (asking: QueryContext) =>
  fetchOrCopy("/api/dashboard/summary", () => dashboardApi.summary(), asking);

export const useSummary = () => useQuery({ queryKey: ["dashboard", "summary"], queryFn: readSummary });

/** The names of all projects; empty until the summary has loaded. */
export const projectNames = (summary: Summary | undefined): string[] =>
  summary?.by_project.map(({ project }) => project) ?? [];
