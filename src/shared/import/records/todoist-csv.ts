import { PRIORITIES } from "../../../contract/record-words.ts";
import type { ImportProblem, SkippedEntry } from "../item.ts";
import { stem } from "../paths.ts";
import type { readCsv } from "./csv.ts";
import type { ImportedTask, Priority } from "./task.ts";
import { parseTodoistSchedule } from "./todoist-when.ts";

// A Todoist project as a CSV file, from an export or a backup (https://www.todoist.com/help/articles/format-a-csv-file).

export type ReadTasks = { tasks: ImportedTask[]; refused: ImportProblem[]; leftOut: SkippedEntry[] };

export type TaskFileContext = { name: string; today: string; timezone: string; now: string };

type Row = { line: number; cells: Record<string, string> };

const upperCase = (names: readonly string[]) => names.map((name) => name.toUpperCase());

export const isTodoistCsv = (names: readonly string[]): boolean =>
  ["TYPE", "CONTENT"].every((name) => upperCase(names).includes(name));

/** "Errands [2203306141].csv" is the file of the project Errands. */
const projectName = (name: string) => stem(name).replace(/\s*\[\d+\]$/, "");

const LABEL = /(?:^|\s)@([\p{L}\p{N}_/-]+)(?=\s|$)/gu;

export function splitLabels(content: string): { topic: string; tags: string[] } {
  const tags = [...content.matchAll(LABEL)].map(([, label = ""]) => label);
  const topic = content.replace(LABEL, " ").replace(/\s+/g, " ").trim();
  return topic === "" ? { topic: content.trim(), tags: [] } : { topic, tags };
}

/** In Todoist, 1 (p1) is the highest priority and 4 is none. */
export const todoistPriority = (priority: number): Priority | undefined => PRIORITIES[priority - 1];

/** Reads a date. If it is not understood it stays in the text; if the time was ambiguous, a note says how it was read. */
export function readTodoistDate(
  words: string,
  today: string,
): Pick<ImportedTask, "texts" | "notes"> & ReturnType<typeof parseTodoistSchedule> {
  if (words.trim() === "") return { texts: [], notes: [] };
  const when = parseTodoistSchedule(words, today);
  if (!when)
    return {
      texts: [`Date in Todoist: ${words}`],
      notes: [`“${words}” was not understood, so it was left out; the words are in the record's text`],
    };
  const { isOpen, ...read } = when;
  const notes = isOpen ? [`“${words}” was read as ${read.due_time}`] : [];
  return { ...read, texts: [], notes };
}

const labelledText = (name: string, value = "") => (value.trim() ? [`${name}: ${value.trim()}`] : []);

/** Todoist reminds people of tasks with a time at that time. */
export const reminderAtDueTime = (due_time: string | undefined) => (due_time ? [{ before: "PT0S" }] : []);

function readDeadline(
  task: Pick<ImportedTask, "due_date" | "texts" | "notes">,
  words: string,
  today: string,
): Partial<ImportedTask> {
  if (words.trim() === "") return {};
  const due_date = task.due_date ? undefined : parseTodoistSchedule(words, today)?.due_date;
  return due_date ? { due_date } : { texts: [...task.texts, `Deadline: ${words.trim()}`] };
}

type TaskPlace = { project: string; section: string; parents: readonly string[] };

function readTask(
  { line, cells }: Row,
  { project, section, parents }: TaskPlace,
  today: string,
): Omit<ImportedTask, "key"> {
  const { topic, tags } = splitLabels(cells.CONTENT ?? "");
  const { texts, ...when } = readTodoistDate(cells.DATE ?? "", today);
  const parent = parents.at(-1);
  const all = [
    ...(cells.DESCRIPTION ? [cells.DESCRIPTION] : []),
    ...texts,
    ...labelledText("Responsible", cells.RESPONSIBLE),
    ...labelledText("Takes", cells.DURATION && `${cells.DURATION} ${cells.DURATION_UNIT ?? ""}`),
    ...(parent ? [`Part of “${parent}”`] : []),
  ];
  const task = {
    where: `line ${line}`,
    topic,
    project,
    ...when,
    texts: all,
    tags: [...tags, ...(section ? [section] : [])],
    priority: todoistPriority(Number(cells.PRIORITY)),
    remind: reminderAtDueTime(when.due_time),
  };
  return { ...task, ...readDeadline(task, cells.DEADLINE ?? "", today) };
}

/** Returns a function that makes keys for tasks, numbering tasks with the same path in the order of the file. */
export function taskKeys(program: string): (path: readonly string[]) => string {
  const seen = new Map<string, number>();
  return (path) => {
    const name = JSON.stringify(path);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return `${program} ${name} ${times}`;
  };
}

/** Reads the rows in order, because sections, subtasks and comments belong to rows before them. */
export function readTodoistCsv(
  { names, rows, refused }: ReturnType<typeof readCsv>,
  { name, today }: TaskFileContext,
): ReadTasks {
  const [columns, project, keyOf] = [upperCase(names), projectName(name), taskKeys("todoist")];
  const read: ReadTasks = { tasks: [], refused: [...refused], leftOut: [] };
  let section = "";
  let parents: string[] = [];
  const refuse = ({ line }: Row, why: string) => read.refused.push({ where: `line ${line}`, why });
  const readers: Record<string, (row: Row) => void> = {
    task: (row) => {
      parents = parents.slice(0, Math.max(0, (Number(row.cells.INDENT) || 1) - 1));
      const task = readTask(row, { project, section, parents }, today);
      read.tasks.push({ ...task, key: keyOf([project, section, ...parents, task.topic]) });
      parents = [...parents, task.topic];
    },
    section: ({ cells }) => {
      section = (cells.CONTENT ?? "").trim();
      parents = [];
    },
    note: (row) => {
      const task = read.tasks.at(-1);
      if (task) task.texts.push(`Comment: ${(row.cells.CONTENT ?? "").trim()}`);
      else refuse(row, "is a comment without a task");
    },
    meta: ({ line }) => read.leftOut.push({ where: `line ${line}`, leftOut: "a Todoist setting" }),
  };
  for (const { line, cells } of rows) {
    const row = { line, cells: Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ""])) };
    const { TYPE = "" } = row.cells;
    const take = readers[TYPE.trim().toLowerCase() || "meta"];
    if (take) take(row);
    else refuse(row, `has the unknown type “${TYPE}”`);
  }
  return read;
}
