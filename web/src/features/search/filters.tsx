import type { ComponentProps } from "react";
import { type Choice, FilterPicker } from "../../kit/filter-picker.tsx";
import styles from "../../kit/filters.module.css";
import { X } from "../../kit/icons.tsx";
import { Segments } from "../../kit/segments.tsx";
import { capitalized } from "../../kit/text.ts";
import { useFolders } from "../folders/folders.ts";
import { useTagChoices } from "../tags/tags.ts";
import { RECORD_TYPES } from "../things/names.ts";
import { projectNames, useSummary } from "../things/summary.ts";
import { DateRangePicker } from "./date-range.tsx";
import {
  type Filter,
  type FilterName,
  filtersInQuery,
  withFilter,
  withOnlyFilter,
  withoutFilter,
} from "./query-text.ts";
import type { SearchKind } from "./search-request.ts";

const KINDS: Record<SearchKind, string> = { all: "All", documents: "Documents", memories: "Records" };

const toChoices = (values: readonly string[]): Choice[] =>
  values.map((value) => ({ value, name: capitalized(value) }));

const TYPES = toChoices(RECORD_TYPES);
const STATUSES = toChoices(["active", "deferred", "resolved", "archived"]);
const TASKS: Choice[] = [
  { value: "open", name: "Open" },
  { value: "done", name: "All done" },
  { value: "any", name: "Any" },
];
const DUE: Choice[] = [
  { value: "today", name: "Today" },
  { value: "tomorrow", name: "Tomorrow" },
  { value: "this week", name: "This week" },
  { value: "overdue", name: "Overdue" },
  { value: "none", name: "No date" },
];
const SOURCES: Choice[] = [
  { value: "web", name: "This app" },
  { value: "mcp", name: "An assistant" },
  { value: "import", name: "An import" },
  { value: "api", name: "The API" },
  { value: "cli", name: "The command line" },
];

type KindProps = { kind: SearchKind; onChange: (kind: SearchKind) => void };

export const KindSwitch = ({ kind, onChange }: KindProps) => (
  <Segments label="Search in" value={kind} options={KINDS} onChange={onChange} />
);

type Props = { q: string; onChange: (q: string) => void };

/** The filters of the query, each with a button that removes it. */
const Chips = ({ q, onChange }: Props) =>
  filtersInQuery(q).map((filter) => (
    <li key={`${filter.name}:${filter.value}`}>
      <button type="button" className={styles.chip} onClick={() => onChange(withoutFilter(q, filter))}>
        <span className="visually-hidden">Remove the filter </span>
        {filter.name}: <b>{filter.value}</b> <X size={14} />
      </button>
    </li>
  ));

/** The filters to choose from. Each is written into the query. */
export function FilterBar({ q, onChange }: Props) {
  const tags = useTagChoices().data ?? [];
  const folders = useFolders().data ?? [];
  const projects = projectNames(useSummary().data);
  const add = (name: FilterName) => (value: string) => onChange(withFilter(q, { name, value }));
  const set = (name: FilterName) => (value: string) =>
    onChange(withOnlyFilter(q, { name, value } satisfies Filter));
  const named = (names: readonly string[]) => [...new Set(names)].map((name) => ({ value: name, name }));
  const pickers: ComponentProps<typeof FilterPicker>[] = [
    {
      label: "Tag",
      choices: tags.map(({ name, document_count }) => ({ value: name, name, hint: document_count })),
      onPick: add("tag"),
      empty: "There are no tags yet.",
    },
    {
      label: "Folder",
      choices: named(folders.map(({ name }) => name)),
      onPick: set("folder"),
      empty: "There are no folders yet.",
    },
    { label: "Type", choices: TYPES, onPick: set("type") },
    { label: "Status", choices: STATUSES, onPick: set("status") },
    { label: "Due", choices: DUE, onPick: set("due") },
    {
      label: "Project",
      choices: named(projects),
      onPick: set("project"),
      empty: "No record has a project yet.",
    },
    { label: "Tasks", choices: TASKS, onPick: set("task") },
    { label: "Source", choices: SOURCES, onPick: set("source") },
  ];
  return (
    <ul className={styles.filters} aria-label="Filters">
      <Chips q={q} onChange={onChange} />
      {pickers.map((picker) => (
        <li key={picker.label}>
          <FilterPicker {...picker} />
        </li>
      ))}
      <li>
        <DateRangePicker q={q} onChange={onChange} />
      </li>
    </ul>
  );
}
