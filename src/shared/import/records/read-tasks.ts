import { localDay } from "../../../contract/days.ts";
import { describeReminder } from "../../../contract/reminder-text.ts";
import { parseStoredRule } from "../../../contract/repeat/rule.ts";
import { ruleText } from "../../../contract/repeat/rule-text.ts";
import { decodeText, encodingNotes } from "../encoding.ts";
import type { TaskFileSource } from "../entries.ts";
import { errorMessage, type ImportProblem, type SkippedEntry } from "../item.ts";
import { withoutNotionIds } from "../notion-names.ts";
import { extname } from "../paths.ts";
import { readCalendar } from "./calendar-file.ts";
import { readCsv } from "./csv.ts";
import { exportFileOfRecords } from "./export-file.ts";
import { isTaskTable, readNotionCsv } from "./notion-csv.ts";
import { type ImportedTask, memoryLineOfTask } from "./task.ts";
import { isTodoistCsv, type ReadTasks, readTodoistCsv, type TaskFileContext } from "./todoist-csv.ts";
import { readTodoistJson } from "./todoist-json.ts";

// Converts tasks of other programs into an export file that the service imports: Todoist's CSV and JSON, tables of tasks such
// as Notion's, and calendar files.

/** Recognizes a CSV file by its columns. Throws for a file without tasks. */
function readTable(text: string, context: TaskFileContext): ReadTasks {
  const table = readCsv(text);
  if (isTodoistCsv(table.names)) return readTodoistCsv(table, context);
  if (isTaskTable(table, context.today)) return readNotionCsv(table, context);
  throw new Error(
    "is neither a Todoist CSV file, whose first line has TYPE and CONTENT, nor a table of tasks with a column such as Status, Done or Due",
  );
}

const READERS: Record<string, (text: string, context: TaskFileContext) => ReadTasks> = {
  ".csv": readTable,
  ".json": readTodoistJson,
  ".ics": readCalendar,
  ".ical": readCalendar,
};

/** What was understood of a task, for the preview. */
type UnderstoodTask = { where: string; topic: string; says: string };

export type TaskFile = {
  /** An export file with a record for each task. Its number is the same in every import. */
  file: string;
  understood: UnderstoodTask[];
  notes: { where: string; note: string }[];
  refused: ImportProblem[];
  leftOut: SkippedEntry[];
};

/** "due 2026-12-01 at 09:00, every Monday, reminder at the due time" */
function describeTask({ closed, due_date, due_time, repeat, repeat_from, remind }: ImportedTask): string {
  const parts = [
    closed &&
      (closed.as === "archived" ? "cancelled" : closed.at ? `done on ${closed.at.slice(0, 10)}` : "done"),
    due_date && `due ${due_date}${due_time ? ` at ${due_time}` : ""}`,
    !closed && repeat && ruleText(parseStoredRule(repeat), repeat_from),
    !closed && remind.length > 0 && `reminder ${remind.map(describeReminder).join(", ")}`,
  ];
  return parts.filter(Boolean).join(", ") || "no date";
}

/** Rejects repeated tasks, because an id must not stand for two records. */
function withoutRepetitions(tasks: readonly ImportedTask[], refused: ImportProblem[]): ImportedTask[] {
  const first = new Map<string, ImportedTask>();
  for (const task of tasks) {
    const earlier = first.get(task.key);
    if (earlier) refused.push({ where: task.where, why: `has the same id as ${earlier.where}` });
    else first.set(task.key, task);
  }
  return [...first.values()];
}

type ReadFile = ReadTasks & { notes: string[] };

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads one file. A file that cannot be read is rejected as a whole. */
function readOne({ name, bytes }: TaskFileSource, context: Omit<TaskFileContext, "name">): ReadFile {
  const refuse = (why: string) => ({ tasks: [], leftOut: [], notes: [], refused: [{ where: name, why }] });
  const read = READERS[extname(name).toLowerCase()];
  if (!read) return refuse("is not a file of tasks");
  if (bytes.length > MAX_BYTES) return refuse("is larger than 64 MiB");
  try {
    const { text, encoding } = decodeText(bytes);
    return { ...read(text, { ...context, name }), notes: encodingNotes(encoding) };
  } catch (problem) {
    return refuse(problem instanceof SyntaxError ? `is not JSON: ${problem.message}` : errorMessage(problem));
  }
}

function withFileName<One extends { where: string }>(
  name: string,
  isAlone: boolean,
  all: readonly One[],
): One[] {
  const file = withoutNotionIds(name);
  return all.map((one) => {
    if (one.where === name) return { ...one, where: file };
    return isAlone ? one : { ...one, where: `${file}, ${one.where}` };
  });
}

/**
 * Reads files of tasks.
 *
 * @param options.timezone the person's time zone
 * @param options.now the service's time
 * @returns what was understood and what was not, by line
 */
export function readTasks(
  files: readonly TaskFileSource[],
  { timezone, now }: { timezone: string; now: Date },
): TaskFile {
  const at = now.toISOString();
  const context = { today: localDay(now, timezone), timezone, now: at };
  const all = files.map((file) => ({ name: file.name, read: readOne(file, context) }));
  const isAlone = files.length === 1 && files[0]?.isPart !== true;
  const collect = <Kind extends keyof ReadTasks>(kind: Kind) =>
    all.flatMap(({ name, read }) => withFileName<ReadTasks[Kind][number]>(name, isAlone, read[kind]));
  const refused = collect("refused") as ImportProblem[];
  const tasks = withoutRepetitions(collect("tasks") as ImportedTask[], refused);
  const lines = tasks.map((task) => memoryLineOfTask(task, at));
  const understood = tasks.map((task, place) => ({
    where: task.where,
    topic: lines[place]?.topic ?? "",
    says: describeTask(task),
  }));
  const notes = [
    ...all.flatMap(({ name, read }) => read.notes.map((note) => ({ where: withoutNotionIds(name), note }))),
    ...tasks.flatMap(({ where, notes }) => notes.map((note) => ({ where, note }))),
  ];
  return {
    file: exportFileOfRecords(lines, at),
    understood,
    notes,
    refused,
    leftOut: collect("leftOut") as SkippedEntry[],
  };
}
