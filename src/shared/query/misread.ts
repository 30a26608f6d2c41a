import { byName } from "../../contract/by-name.ts";

// Parts of a query that look like a filter or operator but are not. They are searched for as text, with a note.

export type MisreadPart = {
  readonly kind: "date" | "due" | "filter" | "exclusion" | "or-not" | "or-filter";
  readonly text: string;
};

/** What to write instead of names that people mistake for filters. */
const INSTEAD = byName(
  [
    "due_date|due_after|due_before|due_on|deadline|overdue",
    "use due: (due:today, due:<2026-12-01, due:overdue, due:none)",
  ],
  [
    "created|created_after|created_before|created_at|date|updated|updated_after|updated_before|since|until|modified|changed|on|during",
    "use after: and before:, which filter by the last change",
  ],
  ["by|author|owner|from|to|with|assignee", "search for the name as a word"],
  ["is|state", "use status: (active, deferred, resolved, archived), is:overdue or is:repeating"],
  ["repeat|repeats|repeating|recurring", "use is:repeating"],
  ["in", "use folder: or project:"],
  ["path", "use folder:"],
  ["kind|memory_type", "use type:"],
  ["todo|todos|tasks", "use task: (open, done, any)"],
  ["tags|label|labels", "use tag:"],
  ["topic", "use title:"],
  ["scope", "searching by scope is not supported"],
);

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
