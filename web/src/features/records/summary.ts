import { useQuery } from "@tanstack/react-query";
import { dashboardApi, type Summary } from "../../api/dashboard.ts";

export const useSummary = () =>
  useQuery({ queryKey: ["dashboard", "summary"], queryFn: () => dashboardApi.summary() });

/** The names of all projects; none until the summary has loaded. */
export const projectsOf = (summary: Summary | undefined): string[] =>
  summary?.by_project.map(({ project }) => project) ?? [];
