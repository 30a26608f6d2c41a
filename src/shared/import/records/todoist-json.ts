import { Temporal } from "temporal-polyfill";
import { isDay } from "../../../contract/days.ts";
import { MAX_LEAD_DAYS } from "../../../contract/reminder-text.ts";
import type { ImportProblem } from "../item.ts";
import { z } from "../zod.ts";
import type { ImportedTask } from "./task.ts";
import {
  type ReadTasks,
  readTodoistDate,
  reminderAtDueTime,
  splitLabels,
  type TaskFileContext,
  todoistPriority,
} from "./todoist-csv.ts";
import { parseTodoistSchedule } from "./todoist-when.ts";

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

const NamedItem = z.object({ id: Id, name: z.string() });
const Note = z.object({ item_id: Id, content: z.string() });
const Reminder = z.object({ item_id: Id, minute_offset: z.number().nullish(), due: Due.nullish() });

const List = z.array(z.unknown()).nullish();
const ResponseBody = z.union([
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
  refused: ImportProblem[],
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
function toLocal(date: string, timezone: string): { day: string; time: string | undefined } | undefined {
  if (/Z$/.test(date)) {
    const instant = Number.isNaN(Date.parse(date)) ? undefined : Temporal.Instant.from(date);
    const local = instant?.toZonedDateTimeISO(timezone).toPlainDateTime().toString() ?? "";
    const day = local.slice(0, 10);
    return isDay(day) ? { day, time: local.slice(11, 16) } : undefined;
  }
  // Words such as "monday" depend on today and are not dates.
  const { due_date, due_time: time } = parseTodoistSchedule(date, "") ?? {};
  return due_date && isDay(due_date) ? { day: due_date, time } : undefined;
}

function readSchedule(
  { due }: Item,
  { today, timezone }: TaskFileContext,
): ReturnType<typeof readTodoistDate> {
  if (!due) return { texts: [], notes: [] };
  const local = toLocal(due.date, timezone);
  if (!local) return readTodoistDate(due.date, today);
  const { day: due_date, time: due_time } = local;
  const words = due.string ?? "";
  if (!due.is_recurring) return { due_date, due_time, texts: [], notes: [] };
  const { repeat, repeat_from } = readTodoistDate(words, today);
  if (repeat) return { due_date, due_time, repeat, repeat_from, texts: [], notes: [] };
  const note = `“${words}” is not a rule that a record can have, so it does not repeat; the words are in its text`;
  return { due_date, due_time, texts: [`Repeats in Todoist: ${words}`], notes: [note] };
}

const toInstant = (text: string | null | undefined) =>
  text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;

type Lookups = Record<"projects" | "sections" | "parents", Map<string, string>> & {
  notes: Map<string, z.infer<typeof Note>[]>;
  reminders: Map<string, z.infer<typeof Reminder>[]>;
};

const MAX_MINUTES = MAX_LEAD_DAYS * 1440;
const isOffset = (minutes: number | null | undefined): minutes is number =>
  Number.isInteger(minutes) && Number(minutes) >= 0 && Number(minutes) <= MAX_MINUTES;

/** Reminders in minutes before, or at an instant. Without any, a task with a time is reminded at that time. */
function readReminders(
  { id }: Item,
  due_time: string | undefined,
  maps: Lookups,
  timezone: string,
): Pick<ImportedTask, "remind" | "notes"> {
  const known = maps.reminders.get(id);
  if (!known) return { remind: reminderAtDueTime(due_time), notes: [] };
  const remind = known.flatMap(({ minute_offset, due }): ImportedTask["remind"] => {
    const at = due && toLocal(due.date, timezone);
    if (at?.time) return [{ at: `${at.day}T${at.time}` }];
    if (!isOffset(minute_offset)) return [];
    return [{ before: minute_offset === 0 ? "PT0S" : `PT${minute_offset}M` }];
  });
  const unread = known.length - remind.length;
  const note = `${unread} of its reminders are not supported by records and were not imported`;
  return { remind, notes: unread > 0 ? [note] : [] };
}

function taskTexts(
  { id, description, deadline, duration, parent_id }: Item,
  { isDue, maps }: { isDue: boolean; maps: Lookups },
): string[] {
  const parent = maps.parents.get(parent_id ?? "");
  return [
    description ?? "",
    deadline && !isDue ? `Deadline: ${deadline.date}` : "",
    duration ? `Takes: ${duration.amount} ${duration.unit}` : "",
    parent ? `Part of “${parent}”` : "",
    ...(maps.notes.get(id) ?? []).map(({ content }) => `Comment: ${content}`),
  ];
}

function taskTags({ labels, section_id }: Item, maps: Lookups): string[] {
  const section = maps.sections.get(section_id ?? "");
  return [...(labels ?? []), ...(section ? [section] : [])];
}

const isDone = ({ checked, is_completed }: Item) => checked || is_completed;

function readTask(item: Item, where: string, maps: Lookups, context: TaskFileContext): ImportedTask {
  const { texts, notes, ...when } = readSchedule(item, context);
  const deadline = toLocal(item.deadline?.date ?? "", context.timezone)?.day;
  const isDue = when.due_date === undefined && deadline !== undefined;
  const reminders = readReminders(item, when.due_time, maps, context.timezone);
  const { topic, tags } = splitLabels(item.content);
  return {
    where,
    key: `todoist ${item.id}`,
    topic,
    ...when,
    due_date: when.due_date ?? deadline,
    texts: [...taskTexts(item, { isDue, maps }), ...texts],
    project: maps.projects.get(item.project_id ?? ""),
    tags: [...taskTags(item, maps), ...tags],
    // In the API, 4 is the highest priority.
    priority: todoistPriority(5 - (item.priority ?? 1)),
    remind: reminders.remind,
    notes: [...notes, ...reminders.notes],
    closed: isDone(item) ? { as: "resolved", at: toInstant(item.completed_at) } : undefined,
    created_at: toInstant(item.added_at ?? item.created_at),
  };
}

const namesById = (all: { id: string; name: string }[]) => new Map(all.map(({ id, name }) => [id, name]));

/** Reads a response of Todoist's API. Throws for other files. */
export function readTodoistJson(text: string, context: TaskFileContext): ReadTasks {
  const parsed = ResponseBody.safeParse(JSON.parse(text));
  const whole: z.output<typeof ResponseBody> & Record<string, unknown[] | null | undefined> = parsed.data ?? {
    items: undefined,
  };
  const list = whole.items ?? whole.tasks ?? whole.results;
  if (!parsed.success || !list)
    throw new Error("is not a Todoist JSON file: it has no list of tasks (items)");
  const refused: ImportProblem[] = [];
  const items = readAll("task", list, Item, refused);
  const notes = readAll("comment", whole.notes, Note, refused);
  const reminders = readAll("reminder", whole.reminders, Reminder, refused);
  const maps: Lookups = {
    projects: namesById(readAll("project", whole.projects, NamedItem, refused)),
    sections: namesById(readAll("section", whole.sections, NamedItem, refused)),
    parents: new Map(items.map(({ id, content }) => [id, splitLabels(content).topic])),
    notes: Map.groupBy(notes, ({ item_id }) => item_id),
    reminders: Map.groupBy(reminders, ({ item_id }) => item_id),
  };
  const tasks = items.map((item, at) => readTask(item, `task ${at + 1}`, maps, context));
  return { tasks, refused, leftOut: [] };
}
