// Parts of a query that look like a filter or operator but are not. They are searched for as text, with a note.

export type MisreadPart = {
  readonly kind: "date" | "due" | "filter" | "exclusion" | "or-not" | "or-filter";
  readonly text: string;
};

const DUE = "use due: (due:today, due:<2026-12-01, due:overdue, due:none)";
const CHANGED = "use after: and before:, which filter by the last change";
const PERSON = "search for the name as a word";
const TASK = "use task: (open, done, any)";
const REPEATS = "use is:repeating";
const STATUS = "use status: (active, deferred, resolved, archived), due:overdue or is:repeating";

/** Names that people mistake for filters, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  due_date: DUE,
  due_after: DUE,
  due_before: DUE,
  due_on: DUE,
  deadline: DUE,
  overdue: DUE,
  created: CHANGED,
  created_after: CHANGED,
  created_before: CHANGED,
  created_at: CHANGED,
  date: CHANGED,
  updated: CHANGED,
  updated_after: CHANGED,
  updated_before: CHANGED,
  since: CHANGED,
  until: CHANGED,
  modified: CHANGED,
  changed: CHANGED,
  on: CHANGED,
  during: CHANGED,
  by: PERSON,
  author: PERSON,
  owner: PERSON,
  from: PERSON,
  to: PERSON,
  with: PERSON,
  assignee: PERSON,
  is: STATUS,
  state: STATUS,
  repeat: REPEATS,
  repeats: REPEATS,
  repeating: REPEATS,
  recurring: REPEATS,
  in: "use folder: or project:",
  path: "use folder:",
  kind: "use type:",
  memory_type: "use type:",
  todo: TASK,
  todos: TASK,
  tasks: TASK,
  tags: "use tag:",
  label: "use tag:",
  labels: "use tag:",
  topic: "use title:",
  scope: "searching by scope is not supported",
};

export const isMistakenFilter = (name: string): boolean => Object.hasOwn(INSTEAD, name);

const filterName = (text: string) => text.slice(0, text.indexOf(":")).toLowerCase();

export function misreadNote({ kind, text }: MisreadPart): string {
  switch (kind) {
    case "date":
      return `${text} is not a date: try 2026-01-31, 31.01.2026, 2026-01, yesterday or "last week"`;
    case "due":
      return `${text} is not a day: try due:today, due:tomorrow, due:2026-12-01, due:<2026-12-01, due:"next week", due:overdue or due:none`;
    case "filter":
      return `${text} is not a filter and was searched for as text: ${INSTEAD[filterName(text)]}`;
    case "exclusion":
      return `${text} has no effect: only words can be excluded, not filters`;
    case "or-not":
      return "OR NOT is not supported: use OR between words, and -word or AND NOT to exclude a word";
    case "or-filter":
      return "OR only works between words: a filter applies to all results, so search once for the words and once with the filter";
  }
}
