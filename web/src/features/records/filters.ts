import type { RecordQuery } from "../../state/cached-lists.ts";
import {
  type FieldFilter,
  type FieldFilterName,
  type RecordFieldName,
  recordFields,
} from "./record-fields.ts";

// The filters of the list of records, as in the URL.

type ListFilter = FieldFilter & { name: FieldFilterName; field: RecordFieldName; label: string; any: string };

/** The filters of fields, in the order of the bar. */
export const FIELD_FILTERS = recordFields(["memory_type", "status", "project", "scope"]).flatMap(
  ([field, { label, names, filter }]) =>
    filter ? [{ field, label, any: `Any ${label.toLowerCase()}`, ...(names && { names }), ...filter }] : [],
) as ListFilter[];

export type RecordFilter = "q" | FieldFilterName | "sort";
export type RecordFilters = Record<RecordFilter, string>;

export const SORT_NAMES = { updated_at: "Last changed", created_at: "Newest", due_date: "Due date" } as const;

/** All filters by their names in the URL. An empty one is off. */
export function parseFilters(search: URLSearchParams): RecordFilters {
  const names = ["q", ...FIELD_FILTERS.map(({ name }) => name), "sort"];
  const filters = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""])) as RecordFilters;
  return { ...filters, status: filters.status || "active", sort: filters.sort || "updated_at" };
}

export function toRecordQuery(filters: RecordFilters, today: string): RecordQuery {
  const fields = FIELD_FILTERS.map(({ name, field, off = "", query }): RecordQuery => {
    const value = filters[name];
    if (value === "" || value === off) return {};
    return query ? query(value, today) : { [field]: value };
  });
  const sort = filters.sort as keyof typeof SORT_NAMES;
  return Object.assign({ q: filters.q.trim() || undefined, sort }, ...fields);
}

export const hasActiveFilter = ({ status, sort: _, ...filters }: RecordFilters): boolean =>
  status !== "active" || Object.values(filters).some(Boolean);
