import type { MemoryVersion } from "../../api/memories.ts";
import { addDays } from "../../kit/dates.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { OWED_NAMES, PRIORITY_NAMES, SCOPE_NAMES, STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";

// Defines each field of a record once for the app. Properties, filters, version comparison and texts about changes are
// derived from it. Values that are neither a text nor one of a few are put into words in `version-fields.ts`.

/** A version of a record without its content; `created_at` is when the version was written. */
export type RecordState = Omit<MemoryVersion, "content" | "memory_id">;

type Names = Readonly<Record<string, string>>;

/** A filter of the list of records. Without names, it is set by links and shown only while it is on. */
export type FieldFilter = {
  /** Its parameter in the URL. */
  name: string;
  /** Its label and its text while it is off, if not those of the field. */
  label?: string;
  any?: string;
  /** The names of its values, if not those of the field. `projects`: the projects of the account. */
  names?: Names | "projects";
  /** The value in the URL that means no filter, if not the empty one. */
  off?: string;
  /** The parameters of the API, if not the value of the field. Unknown values are passed on: the API rejects them. */
  query?: (value: string, today: string) => RecordQuery;
};

export type RecordField = {
  label: string;
  /** Display names of its values, if it has only a few. */
  names?: Names;
  /** Whether its changes have events of their own, so that texts about changes leave it out. */
  hasEvent?: true;
  /** How it is edited. `choice`: one of its names or none. */
  control?: "choice" | "required choice" | "due" | "reminders" | "repetition" | "project" | "tags";
  filter?: FieldFilter;
};

/** Fields that are part of another one's text, or not among the properties. */
type OtherField =
  | ("due_time" | "remind_until_done" | "repeat_from" | "repeat_start" | "next_values" | "happened_on")
  | "document_id"
  | ("resolved_at" | "note" | "last_confirmed_at" | "version" | "created_at" | "source_type" | "client_name");
export type RecordFieldName = Exclude<keyof RecordState, OtherField>;

const DUE_NAMES = {
  overdue: "Overdue",
  today: "Today",
  week: "Today and the next 7 days",
  month: "Today and the next 30 days",
  none: "No due date",
} as const;

/** The range of days of a due date filter, as API parameters. */
function dueQuery(due: string, today: string): RecordQuery {
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

export const RECORD_FIELDS = {
  memory_type: {
    label: "Type",
    names: TYPE_NAMES,
    control: "required choice",
    filter: { name: "type", query: (type) => ({ memory_type: [type as RecordState["memory_type"]] }) },
  },
  status: { label: "Status", names: STATUS_NAMES, hasEvent: true, filter: { name: "status", off: "all" } },
  resolution_note: { label: "Resolution note", hasEvent: true },
  due_date: {
    label: "Due",
    control: "due",
    filter: { name: "due", label: "Due date", any: "Due any time", names: DUE_NAMES, query: dueQuery },
  },
  remind: { label: "Reminders", control: "reminders" },
  repeat: { label: "Repeats", control: "repetition" },
  deferred_until: { label: "Comes back" },
  project: { label: "Project", control: "project", filter: { name: "project", names: "projects" } },
  scope: { label: "Scope", names: SCOPE_NAMES, control: "choice", filter: { name: "scope" } },
  priority: { label: "Priority", names: PRIORITY_NAMES, control: "choice" },
  owed: { label: "Owed", names: OWED_NAMES, control: "choice" },
  tags: { label: "Tags", control: "tags", filter: { name: "tag", query: (tag) => ({ tag: [tag] }) } },
  topic: { label: "Topic" },
} as const satisfies Record<RecordFieldName, RecordField>;

type Filtered = Extract<(typeof RECORD_FIELDS)[RecordFieldName], { filter: unknown }>;
export type FieldFilterName = Filtered["filter"]["name"];

/** All fields, these ones first. */
export function recordFields(first: readonly RecordFieldName[]): [RecordFieldName, RecordField][] {
  const names = new Set([...first, ...(Object.keys(RECORD_FIELDS) as RecordFieldName[])]);
  return [...names].map((name) => [name, RECORD_FIELDS[name]]);
}
