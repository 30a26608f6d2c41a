import type { Memory, MemoryType, memoriesApi } from "../../api/memories.ts";
import { addDays } from "../../kit/dates.ts";

// The filters of the list of records, as in the URL.

type Query = Parameters<typeof memoriesApi.list>[0];

/** All filters by their names in the URL. An empty one is off. */
export const RECORD_FILTERS = ["q", "type", "status", "project", "tag", "scope", "due", "sort"] as const;
export type RecordFilter = (typeof RECORD_FILTERS)[number];
export type RecordFilters = Record<RecordFilter, string>;

export const DUE_NAMES = {
  overdue: "Overdue",
  today: "Today",
  week: "Next 7 days",
  month: "Next 30 days",
  none: "No due date",
} as const;
export const SORT_NAMES = { updated_at: "Last changed", created_at: "Newest", due_date: "Due date" } as const;

export function parseFilters(search: URLSearchParams): RecordFilters {
  const filters = Object.fromEntries(
    RECORD_FILTERS.map((name) => [name, search.get(name) ?? ""]),
  ) as RecordFilters;
  return { ...filters, status: filters.status || "active", sort: filters.sort || "updated_at" };
}

/** The range of days of a due date filter, as API parameters. */
function dueQuery(due: string, today: string): Query {
  switch (due) {
    case "overdue":
      return { due_before: today };
    case "today":
      return { due_after: today, due_before: addDays(today, 1) };
    case "week":
      return { due_after: today, due_before: addDays(today, 8) };
    case "month":
      return { due_after: today, due_before: addDays(today, 31) };
    case "none":
      return { due: "none" };
    default:
      return {};
  }
}

/** The parameters of the API request. Unknown values are passed on: the API rejects them with a reason. */
export function toRecordQuery(
  { q, type, status, project, tag, scope, due, sort }: RecordFilters,
  today: string,
): Query {
  return {
    q: q.trim() || undefined,
    memory_type: type ? [type as MemoryType] : undefined,
    status: status === "all" ? undefined : (status as Memory["status"]),
    project: project || undefined,
    tag: tag ? [tag] : undefined,
    scope: (scope || undefined) as "personal" | "work" | undefined,
    sort: sort as keyof typeof SORT_NAMES,
    ...dueQuery(due, today),
  };
}

/** Whether any filter is set. */
export const hasActiveFilter = (filters: RecordFilters): boolean =>
  filters.status !== "active" ||
  RECORD_FILTERS.some((name) => name !== "status" && name !== "sort" && filters[name]);
