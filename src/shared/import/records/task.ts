import type { z } from "zod";
import type { MemoryExportLine } from "../../../contract/memory.ts";
import { FIRST_IMPORTED_ID } from "../../../contract/memory-numbers.ts";
import type { PRIORITIES } from "../../../contract/record-words.ts";
import { MAX_REMINDERS, type Reminder } from "../../../contract/reminder-text.ts";
import { isStorable } from "../../../contract/storable.ts";
import { isTag, MAX_TAGS } from "../../../contract/tag-rule.ts";
import { shortDigest } from "../item.ts";

// Converts a task of another program to the line of a record in an export file. Strings are made to fit, because the service
// rejects a whole file for one invalid line.

export type TaskSchedule = {
  due_date?: string | undefined;
  due_time?: string | undefined;
  /** A rule as written by `readRule`; `repeat_start` is the day from which it counts. */
  repeat?: string | undefined;
  repeat_from?: "due" | "done" | undefined;
  repeat_start?: string | undefined;
};

export type Priority = (typeof PRIORITIES)[number];

export type ImportedTask = TaskSchedule & {
  where: string;
  /** Identifies the task in later imports of the same file. */
  key: string;
  topic: string;
  /** Its other texts, one paragraph each. */
  texts: string[];
  project?: string | undefined;
  tags: string[];
  priority?: Priority | undefined;
  remind: Reminder[];
  closed?: { as: "resolved" | "archived"; at?: string | undefined } | undefined;
  created_at?: string | undefined;
  notes: string[];
};

type Line = z.input<typeof MemoryExportLine>;

const MAX_TOPIC = 500;
const MAX_CONTENT = 20_000;
const MAX_PROJECT = 200;
const UNNAMED = "Untitled";

const removeUnstorable = (text: string) =>
  isStorable(text) ? text : text.toWellFormed().replaceAll("\u0000", "");

/** Cuts a text to a length without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}

function topicOf({ topic, notes }: ImportedTask): string {
  const name = removeUnstorable(topic).replace(/\s+/g, " ").trim();
  if (name.length <= MAX_TOPIC) return name || UNNAMED;
  notes.push(`its name has ${name.length} characters, so the full name is in its text`);
  return cut(name, MAX_TOPIC);
}

function contentOf(task: ImportedTask): string {
  const name = removeUnstorable(task.topic).trim();
  const texts = task.texts.map((text) => removeUnstorable(text).trim()).filter(Boolean);
  const all = (name.length > MAX_TOPIC ? [name, ...texts] : texts).join("\n\n") || name || UNNAMED;
  if (all.length <= MAX_CONTENT) return all;
  task.notes.push(`its text has ${all.length} characters and was cut to ${MAX_CONTENT}`);
  return cut(all, MAX_CONTENT);
}

function tagsOf({ tags, notes }: ImportedTask): string[] {
  const all = [...new Set(tags.map((tag) => removeUnstorable(tag).trim()).filter(Boolean))];
  const right = all.filter(isTag).slice(0, MAX_TAGS);
  for (const tag of all)
    if (!right.includes(tag))
      notes.push(`“${cut(tag, 80)}” was skipped: the tag is too long, or there are too many`);
  return right;
}

function projectOf({ project, notes }: ImportedTask): string | null {
  const name = removeUnstorable(project ?? "").trim();
  if (name.length > MAX_PROJECT) notes.push(`its project name was cut to ${MAX_PROJECT} characters`);
  return cut(name, MAX_PROJECT).trim() || null;
}

function remindersOf({ remind, notes, due_date }: ImportedTask): Reminder[] | null {
  const possible = remind.filter((one) => "at" in one || due_date !== undefined);
  const all = [...new Map(possible.map((one) => [JSON.stringify(one), one])).values()];
  if (all.length > MAX_REMINDERS)
    notes.push(
      `it has ${all.length} reminders, but a record can have ${MAX_REMINDERS}: only the first were kept`,
    );
  return all.length > 0 ? all.slice(0, MAX_REMINDERS) : null;
}

function closingOf({ closed, created_at }: ImportedTask, now: string) {
  if (!closed) return { status: "active", closed_at: null, resolved_at: null, touched_at: now } as const;
  const at = closed.at && closed.at < now ? closed.at : now;
  const closed_at = created_at && created_at > at ? created_at : at;
  const resolved_at = closed.as === "resolved" ? closed_at : null;
  return { status: closed.as, closed_at, resolved_at, touched_at: closed_at };
}

/** The number of the record, derived from the task's key and therefore the same in every import. */
const recordNumber = ({ key }: ImportedTask) => FIRST_IMPORTED_ID + shortDigest(key);

/**
 * The line of a task in an export file. Adds notes to the task about what does not fit.
 *
 * @param now instant of the import
 */
export function memoryLineOfTask(given: ImportedTask, now: string): Line {
  const begun = given.created_at ?? given.closed?.at ?? now;
  const created_at = begun < now ? begun : now;
  const task = { ...given, created_at };
  const { due_date = null, due_time = null, repeat = null } = task;
  const closing = closingOf(task, now);
  const isOpen = closing.status === "active";
  const repeats = isOpen && repeat !== null && due_date !== null;
  return {
    type: "memory",
    id: recordNumber(task),
    memory_type: "commitment",
    topic: topicOf(task),
    content: contentOf(task),
    scope: null,
    project: projectOf(task),
    tags: tagsOf(task),
    priority: task.priority ?? null,
    due_date,
    due_time: due_date && due_time,
    remind: isOpen ? remindersOf(task) : null,
    repeat: repeats ? repeat : null,
    repeat_from: repeats && task.repeat_from === "done" ? "done" : null,
    repeat_start: repeats ? (task.repeat_start ?? due_date) : null,
    deferred_until: null,
    document_id: null,
    ...closing,
    resolution_note: null,
    last_confirmed_at: null,
    version: 1,
    supersedes_id: null,
    superseded_by_id: null,
    source_type: "import",
    client_name: null,
    created_at,
    updated_at: closing.closed_at ?? now,
  };
}
