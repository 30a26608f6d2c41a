import type { Memory, MemoryType, memoriesApi } from "../../api/memories.ts";
import { addDays } from "../../kit/dates.ts";

// The filters of the list of records, as in the URL.

type Query = Parameters<typeof memoriesApi.list>[0];

/** All filters by their names in the URL. An empty one is off. */
export const FILTERS = ["q", "type", "status", "project", "tag", "scope", "due", "sort"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Record<Filter, string>;

export const DUE = {
  overdue: "Overdue",
  today: "Today",
  week: "Next 7 days",
  month: "Next 30 days",
  none: "No due date",
} as const;
export const SORTS = { updated_at: "Last changed", created_at: "Newest", due_date: "Due date" } as const;

export function filtersIn(search: URLSearchParams): Filters {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search.get(name) ?? ""])) as Filters;
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
export function queryOf({ q, type, status, project, tag, scope, due, sort }: Filters, today: string): Query {
  return {
    q: q.trim() || undefined,
    memory_type: type ? [type as MemoryType] : undefined,
    status: status === "all" ? undefined : (status as Memory["status"]),
    project: project || undefined,
    tag: tag ? [tag] : undefined,
    scope: (scope || undefined) as "personal" | "work" | undefined,
    sort: sort as keyof typeof SORTS,
    ...dueQuery(due, today),
  };
}

/** Whether any filter is set. */
export const isNarrow = (filters: Filters): boolean =>
  filters.status !== "active" ||
  FILTERS.some((name) => name !== "status" && name !== "sort" && filters[name]);
