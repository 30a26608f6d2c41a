import { Temporal } from "temporal-polyfill";
import { isDay } from "../../days.ts";
import type { Refusal } from "../item.ts";
import { z } from "../zod.ts";
import type { Task } from "./task.ts";
import { type Around, atThatTime, dated, labelled, priorityOf, type Tasks } from "./todoist-csv.ts";
import { whenOfTodoist } from "./todoist-when.ts";

// Responses of Todoist's API: a whole account (`items`, `projects`, `sections`, `notes`, `reminders` of a sync), or a list of
// tasks (https://developer.todoist.com/api/v1). Unknown fields are ignored.

const Id = z.union([z.string(), z.number()]).transform(String);
const Text = z.string().nullish();

const Due = z.object({ date: z.string(), string: Text, is_recurring: z.boolean().nullish() });

const Item = z.object({
  id: Id,
  content: z.string(),
  description: Text,
  project_id: Id.nullish(),
  section_id: Id.nullish(),
  parent_id: Id.nullish(),
  priority: z.number().nullish(),
  labels: z.array(z.string()).nullish(),
  due: Due.nullish(),
  deadline: z.object({ date: z.string() }).nullish(),
  duration: z.object({ amount: z.number(), unit: z.string() }).nullish(),
  checked: z.boolean().nullish(),
  is_completed: z.boolean().nullish(),
  completed_at: Text,
  added_at: Text,
  created_at: Text,
});
type Item = z.infer<typeof Item>;

const Named = z.object({ id: Id, name: z.string() });
const Note = z.object({ item_id: Id, content: z.string() });
const Reminder = z.object({
  item_id: Id,
  minute_offset: z.number().nullish(),
  due: Due.nullish(),
});

const List = z.array(z.unknown()).nullish();
const Whole = z.union([
  z.array(z.unknown()).transform((items) => ({ items })),
  z.object({
    items: List,
    tasks: List,
    results: List,
    projects: List,
    sections: List,
    notes: List,
    reminders: List,
  }),
]);

/** The valid elements of a list. The others are reported by position. */
function readAll<One>(
  kind: string,
  list: unknown[] | null | undefined,
  type: z.ZodType<One>,
  refused: Refusal[],
): One[] {
  return (list ?? []).flatMap((one, at) => {
    const read = type.safeParse(one);
    if (read.success) return [read.data];
    const [issue] = read.error.issues;
    refused.push({ where: `${kind} ${at + 1}`, why: `${issue?.path.join(".")}: ${issue?.message}` });
    return [];
  });
}

/** A Todoist date, which is an instant or floating, as a local day and time. */
function localOf(date: string, timezone: string): { day: string; time: string | undefined } | undefined {
  if (/Z$/.test(date)) {
    const instant = Number.isNaN(Date.parse(date)) ? undefined : Temporal.Instant.from(date);
    const local = instant?.toZonedDateTimeISO(timezone).toPlainDateTime().toString() ?? "";
    const day = local.slice(0, 10);
    return isDay(day) ? { day, time: local.slice(11, 16) } : undefined;
  }
  // Words such as "monday" depend on today and are not dates.
  const { due_date, due_time: time } = whenOfTodoist(date, "") ?? {};
  return due_date && isDay(due_date) ? { day: due_date, time } : undefined;
}

function whenOf({ due }: Item, { today, timezone }: Around): ReturnType<typeof dated> {
  if (!due) return { texts: [], notes: [] };
  const local = localOf(due.date, timezone);
  if (!local) return dated(due.date, today);
  const { day: due_date, time: due_time } = local;
  const words = due.string ?? "";
  if (!due.is_recurring) return { due_date, due_time, texts: [], notes: [] };
  const { repeat, repeat_from } = dated(words, today);
  if (repeat) return { due_date, due_time, repeat, repeat_from, texts: [], notes: [] };
  const note = `“${words}” is not a rule that a record can have, so it does not repeat; the words are in its text`;
  return { due_date, due_time, texts: [`Repeats in Todoist: ${words}`], notes: [note] };
}

const instantOf = (text: string | null | undefined) =>
  text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;

type Maps = Record<"projects" | "sections" | "parents", Map<string, string>> & {
  notes: Map<string, string[]>;
  reminders: Map<string, z.infer<typeof Reminder>[]>;
};

/** Reminders of a record are at most 30 days before. */
const MAX_MINUTES = 30 * 1440;
const isOffset = (minutes: number | null | undefined): minutes is number =>
  Number.isInteger(minutes) && Number(minutes) >= 0 && Number(minutes) <= MAX_MINUTES;

/** Reminders in minutes before, or at an instant. Without any, a task with a time is reminded at that time. */
function remindersOf(
  { id }: Item,
  due_time: string | undefined,
  maps: Maps,
  timezone: string,
): Pick<Task, "remind" | "notes"> {
  const known = maps.reminders.get(id);
  if (!known) return { remind: atThatTime(due_time), notes: [] };
  const remind = known.flatMap(({ minute_offset, due }): Task["remind"] => {
    const at = due && localOf(due.date, timezone);
    if (at?.time) return [{ at: `${at.day}T${at.time}` }];
    if (!isOffset(minute_offset)) return [];
    return [{ before: minute_offset === 0 ? "PT0S" : `PT${minute_offset}M` }];
  });
  const unread = known.length - remind.length;
  const note = `${unread} of its reminders are not supported by records and were not imported`;
  return { remind, notes: unread > 0 ? [note] : [] };
}

/** The texts of a task besides its name, one paragraph each. */
function textsOf(
  { id, description, deadline, duration, parent_id }: Item,
  { isDue, maps }: { isDue: boolean; maps: Maps },
): string[] {
  const parent = maps.parents.get(parent_id ?? "");
  return [
    description ?? "",
    deadline && !isDue ? `Deadline: ${deadline.date}` : "",
    duration ? `Takes: ${duration.amount} ${duration.unit}` : "",
    parent ? `Part of “${parent}”` : "",
    ...(maps.notes.get(id) ?? []).map((note) => `Comment: ${note}`),
  ];
}

function tagsOf({ labels, section_id }: Item, maps: Maps): string[] {
  const section = maps.sections.get(section_id ?? "");
  return [...(labels ?? []), ...(section ? [section] : [])];
}

const isDone = ({ checked, is_completed }: Item) => checked || is_completed;

function taskOf(item: Item, where: string, maps: Maps, around: Around): Task {
  const { texts, notes, ...when } = whenOf(item, around);
  const deadline = localOf(item.deadline?.date ?? "", around.timezone)?.day;
  const isDue = when.due_date === undefined && deadline !== undefined;
  const reminders = remindersOf(item, when.due_time, maps, around.timezone);
  const { topic, tags } = labelled(item.content);
  return {
    ...{ where, key: `todoist ${item.id}`, topic, ...when },
    due_date: when.due_date ?? deadline,
    texts: [...textsOf(item, { isDue, maps }), ...texts],
    project: maps.projects.get(item.project_id ?? ""),
    tags: [...tagsOf(item, maps), ...tags],
    // In the API, 4 is the highest priority.
    priority: priorityOf(5 - (item.priority ?? 1)),
    remind: reminders.remind,
    notes: [...notes, ...reminders.notes],
    closed: isDone(item) ? { as: "resolved", at: instantOf(item.completed_at) } : undefined,
    created_at: instantOf(item.added_at ?? item.created_at),
  };
}

const namesOf = (all: { id: string; name: string }[]) => new Map(all.map(({ id, name }) => [id, name]));

/** Reads a response of Todoist's API. Throws for other files. */
export function readTodoistJson(text: string, around: Around): Tasks {
  const parsed = Whole.safeParse(JSON.parse(text));
  const whole: z.output<typeof Whole> & Record<string, unknown[] | null | undefined> = parsed.data ?? {
    items: undefined,
  };
  const list = whole.items ?? whole.tasks ?? whole.results;
  if (!parsed.success || !list)
    throw new Error("is not a Todoist JSON file: it has no list of tasks (items)");
  const refused: Refusal[] = [];
  const items = readAll("task", list, Item, refused);
  const notes = readAll("comment", whole.notes, Note, refused);
  const reminders = readAll("reminder", whole.reminders, Reminder, refused);
  const maps: Maps = {
    projects: namesOf(readAll("project", whole.projects, Named, refused)),
    sections: namesOf(readAll("section", whole.sections, Named, refused)),
    parents: new Map(items.map(({ id, content }) => [id, labelled(content).topic])),
    notes: new Map(
      [...Map.groupBy(notes, ({ item_id }) => item_id)].map(([id, all]) => [
        id,
        all.map(({ content }) => content),
      ]),
    ),
    reminders: Map.groupBy(reminders, ({ item_id }) => item_id),
  };
  const tasks = items.map((item, at) => taskOf(item, `task ${at + 1}`, maps, around));
  return { tasks, refused, leftOut: [] };
}
