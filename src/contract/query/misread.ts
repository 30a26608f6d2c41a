// What looks like a filter or an operator and is none: it is searched as words, and the answer says so.

export type Misread = {
  readonly kind: "date" | "due" | "filter" | "exclusion" | "or-not" | "or-filter";
  readonly text: string;
};

const DUE = "use due: (due:today, due:<2026-12-01, due:overdue, due:none)";
const CHANGED = "after: and before: are by the last change";
const PERSON = "write the name as a word";
const TASK = "use task: (open, done, any)";
const REPEATS = "use is:repeating";
const STATUS = "use status: (active, deferred, resolved, archived), due:overdue or is:repeating";

/** Names that people take for filters, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...{ due_date: DUE, due_after: DUE, due_before: DUE, due_on: DUE, deadline: DUE, overdue: DUE },
  ...{
    created: CHANGED,
    created_after: CHANGED,
    created_before: CHANGED,
    created_at: CHANGED,
    date: CHANGED,
  },
  ...{ updated: CHANGED, updated_after: CHANGED, updated_before: CHANGED, since: CHANGED, until: CHANGED },
  ...{ modified: CHANGED, changed: CHANGED, on: CHANGED, during: CHANGED },
  ...{ by: PERSON, author: PERSON, owner: PERSON, from: PERSON, to: PERSON, with: PERSON, assignee: PERSON },
  ...{ is: STATUS, state: STATUS },
  ...{ repeat: REPEATS, repeats: REPEATS, repeating: REPEATS, recurring: REPEATS },
  ...{ in: "use folder: or project:", path: "use folder:", kind: "use type:", memory_type: "use type:" },
  ...{ todo: TASK, todos: TASK, tasks: TASK },
  ...{
    tags: "use tag:",
    label: "use tag:",
    labels: "use tag:",
    topic: "use title:",
    scope: "it cannot be searched by",
  },
};

export const isMistaken = (name: string): boolean => Object.hasOwn(INSTEAD, name);

const nameIn = (text: string) => text.slice(0, text.indexOf(":")).toLowerCase();

export function noteOnMisread({ kind, text }: Misread): string {
  switch (kind) {
    case "date":
      return `${text} is no date: write 2026-01-31, 31.01.2026, 2026-01, yesterday or "last week"`;
    case "due":
      return `${text} is no day: write due:today, due:tomorrow, due:2026-12-01, due:<2026-12-01, due:"next week", due:overdue or due:none`;
    case "filter":
      return `${text} is no filter and was searched for as words: ${INSTEAD[nameIn(text)]}`;
    case "exclusion":
      return `${text} does not exclude anything: filters cannot be excluded, only words`;
    case "or-not":
      return "OR NOT is no operator: use OR between words, and -word or AND NOT for what must not occur";
    case "or-filter":
      return "OR joins words only: each filter narrows down all results, so search once for the words and once with the filter";
  }
}
