// What looks like a filter or an operator and is none: it is searched as words, and the answer says so.

export type Misread = { readonly kind: "date" | "filter" | "exclusion" | "or-not"; readonly text: string };

const DUE = "write what is due as words: due tomorrow, due in May";
const CHANGED = "after: and before: are by the last change";
const PERSON = "write the name as a word";
const TASK = "use task: (open, done, any)";
const STATUS = "use status: (active, deferred, resolved, archived)";

/** Names that people take for filters, each with what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...{ due: DUE, due_date: DUE, due_after: DUE, due_before: DUE, deadline: DUE },
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
    case "filter":
      return `${text} is no filter and was searched for as words: ${INSTEAD[nameIn(text)]}`;
    case "exclusion":
      return `${text} does not exclude anything: filters cannot be excluded, only words`;
    case "or-not":
      return "OR NOT is no operator: use OR between words, and -word or AND NOT for what must not occur";
  }
}
