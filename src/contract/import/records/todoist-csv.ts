import Papa from "papaparse";
import { PRIORITIES } from "../../record-words.ts";
import type { LeftOut, Refusal } from "../item.ts";
import { stem } from "../paths.ts";
import type { Priority, Task } from "./task.ts";
import { whenOfTodoist } from "./todoist-when.ts";

// A project of Todoist as a CSV file: its export and its backups (https://www.todoist.com/help/articles/format-a-csv-file).

export type Tasks = { tasks: Task[]; refused: Refusal[]; leftOut: LeftOut[] };

export type Around = { name: string; today: string; timezone: string; now: string };

type Row = { line: number; cells: Record<string, string> };

/** Rows with the lines on which they begin; a quoted cell may have several. */
function rowsOf(text: string): { rows: Row[]; refused: Refusal[] } {
  const [rows, refused, names]: [Row[], Refusal[], string[]] = [[], [], []];
  let [line, read] = [1, 0];
  Papa.parse<string[]>(text.replace(/^\ufeff/, ""), {
    step: ({ data, errors, meta }) => {
      const from = line;
      const until = meta.cursor;
      line += text.slice(read, until).split("\n").length - 1;
      read = until;
      if (errors[0]) refused.push({ where: `line ${from}`, why: errors[0].message });
      else if (names.length === 0) names.push(...data.map((name) => name.trim().toUpperCase()));
      else if (data.some((cell) => cell.trim() !== ""))
        rows.push({ line: from, cells: Object.fromEntries(names.map((name, at) => [name, data[at] ?? ""])) });
    },
  });
  if (!names.includes("TYPE") || !names.includes("CONTENT"))
    throw new Error("is not a CSV file of Todoist: its first line has no TYPE and CONTENT");
  return { rows, refused };
}

/** "Errands [2203306141].csv" is the file of the project Errands. */
const projectOf = (name: string) => stem(name).replace(/\s*\[\d+\]$/, "");

const LABEL = /(?:^|\s)@([\p{L}\p{N}_/-]+)(?=\s|$)/gu;

/** The name of a task without its labels, and those. */
export function labelled(content: string): { topic: string; tags: string[] } {
  const tags = [...content.matchAll(LABEL)].map(([, label = ""]) => label);
  const topic = content.replace(LABEL, " ").replace(/\s+/g, " ").trim();
  return topic === "" ? { topic: content.trim(), tags: [] } : { topic, tags };
}

/** The highest priority is p1 in Todoist's words, and p4 is none. */
export const priorityOf = (priority: number): Priority | undefined => PRIORITIES[priority - 1];

/** A date that is not understood stays in the text; one that is may say what was guessed. */
export function dated(
  words: string,
  today: string,
): Pick<Task, "texts" | "notes"> & ReturnType<typeof whenOfTodoist> {
  if (words.trim() === "") return { texts: [], notes: [] };
  const when = whenOfTodoist(words, today);
  if (!when)
    return {
      texts: [`Date in Todoist: ${words}`],
      notes: [`“${words}” was not understood: the record comes without it, and the words are in its text`],
    };
  const { isOpen, ...read } = when;
  const notes = isOpen ? [`“${words}” was read as ${read.due_time}`] : [];
  return { ...read, texts: [], notes };
}

const lined = (name: string, value = "") => (value.trim() ? [`${name}: ${value.trim()}`] : []);

/** Todoist reminds people of what has an hour at that time. */
export const atThatTime = (due_time: string | undefined) => (due_time ? [{ before: "PT0S" }] : []);

function deadlineOf(
  task: Pick<Task, "due_date" | "texts" | "notes">,
  words: string,
  today: string,
): Partial<Task> {
  if (words.trim() === "") return {};
  const due_date = task.due_date ? undefined : whenOfTodoist(words, today)?.due_date;
  return due_date ? { due_date } : { texts: [...task.texts, `Deadline: ${words.trim()}`] };
}

type Place = { project: string; section: string; parents: readonly string[] };

function taskOf(
  { line, cells }: Row,
  { project, section, parents }: Place,
  today: string,
): Omit<Task, "key"> {
  const { topic, tags } = labelled(cells.CONTENT ?? "");
  const { texts, ...when } = dated(cells.DATE ?? "", today);
  const parent = parents.at(-1);
  const all = [
    ...(cells.DESCRIPTION ? [cells.DESCRIPTION] : []),
    ...texts,
    ...lined("Responsible", cells.RESPONSIBLE),
    ...lined("Takes", cells.DURATION && `${cells.DURATION} ${cells.DURATION_UNIT ?? ""}`),
    ...(parent ? [`Part of “${parent}”`] : []),
  ];
  const task = {
    ...{ where: `line ${line}`, topic, project, ...when, texts: all },
    tags: [...tags, ...(section ? [section] : [])],
    priority: priorityOf(Number(cells.PRIORITY)),
    remind: atThatTime(when.due_time),
  };
  return { ...task, ...deadlineOf(task, cells.DEADLINE ?? "", today) };
}

/** Tells tasks of the same name in the same place apart, in the order of the file. */
function keysOf(): (path: readonly string[]) => string {
  const seen = new Map<string, number>();
  return (path) => {
    const name = JSON.stringify(path);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return `todoist ${name} ${times}`;
  };
}

class Reading {
  readonly tasks: Task[] = [];
  readonly leftOut: LeftOut[] = [];
  private section = "";
  private parents: string[] = [];
  private readonly keyOf = keysOf();
  private readonly project: string;
  private readonly today: string;

  constructor({ name, today }: Around) {
    this.project = projectOf(name);
    this.today = today;
  }

  /** What becomes of each type of row; it answers why one is refused. */
  private readonly types: Record<string, (row: Row) => string | undefined> = {
    task: (row) => {
      const { project, section, today } = this;
      const parents = this.parents.slice(0, Math.max(0, (Number(row.cells.INDENT) || 1) - 1));
      const task = taskOf(row, { project, section, parents }, today);
      this.tasks.push({ ...task, key: this.keyOf([project, section, ...parents, task.topic]) });
      this.parents = [...parents, task.topic];
      return undefined;
    },
    section: ({ cells }) => {
      this.section = (cells.CONTENT ?? "").trim();
      this.parents = [];
      return undefined;
    },
    note: ({ cells }) => {
      const task = this.tasks.at(-1);
      task?.texts.push(`Comment: ${(cells.CONTENT ?? "").trim()}`);
      return task ? undefined : "is a comment on no task";
    },
    meta: ({ line }) => {
      this.leftOut.push({ where: `line ${line}`, leftOut: "a setting of Todoist" });
      return undefined;
    },
  };

  add(row: Row): Refusal[] {
    const { TYPE = "" } = row.cells;
    const take = this.types[TYPE.trim().toLowerCase() || "meta"];
    const why = take ? take(row) : `is of the type “${TYPE}”, which is not known`;
    return why ? [{ where: `line ${row.line}`, why }] : [];
  }
}

/** Reads a CSV file of Todoist. Throws for a file that is none. */
export function readTodoistCsv(text: string, around: Around): Tasks {
  const { rows, refused } = rowsOf(text);
  const reading = new Reading(around);
  const unknown = rows.flatMap((row) => reading.add(row));
  const { tasks, leftOut } = reading;
  return { tasks, refused: [...refused, ...unknown], leftOut };
}
