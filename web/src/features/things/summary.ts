import { useQuery } from "@tanstack/react-query";
import { dashboardApi, type Summary } from "../../api/dashboard.ts";
import { type Asking, orCopy } from "../../state/copies.ts";

const readSummary = (asking: Asking) =>
  orCopy("/api/dashboard/summary", () => dashboardApi.summary(), asking);

export const useSummary = () => useQuery({ queryKey: ["dashboard", "summary"], queryFn: readSummary });

/** The names of all projects; empty until the summary has loaded. */
export const projectsOf = (summary: Summary | undefined): string[] =>
  summary?.by_project.map(({ project }) => project) ?? [];
