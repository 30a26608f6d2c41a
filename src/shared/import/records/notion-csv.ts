import { parseNotionName, UNTITLED, withoutPageAddresses } from "../notion-names.ts";
import { stem } from "../paths.ts";
import type { readCsv } from "./csv.ts";
import type { ImportedTask, Priority, TaskSchedule } from "./task.ts";
import { type ReadTasks, type TaskFileContext, taskKeys } from "./todoist-csv.ts";
import { parseTodoistSchedule } from "./todoist-when.ts";

// A Notion database as a CSV file, or a similar table: one row per task, with its name in the first column.

type Table = Pick<ReturnType<typeof readCsv>, "names" | "rows">;

const ROLES = {
  due: /^(?:due(?: date| by| on)?|date due|do (?:date|on)|deadline|fällig(?: am|keit|keitsdatum)?|frist)$/,
  /** Does not make a table one of tasks: diaries have dates, too. */
  date: /^(?:date|datum)$/,
  status: /^(?:status|state|zustand)$/,
  done: /^(?:done|completed?|finished|checkbox|erledigt|fertig)$/,
  closed: /^(?:completed (?:at|on|time|date)|date completed|done on|erledigt am)$/,
  priority: /^(?:priority|prio|priorität)$/,
  tags: /^(?:tags?|labels?|etiketten|schlagwörter)$/,
  project: /^(?:projects?|projekte?)$/,
  created: /^(?:created(?: time| at| on)?|date created|erstellt(?: am)?)$/,
  updated: /^(?:last edited(?: time)?|updated(?: at)?|zuletzt bearbeitet)$/,
};
type Role = keyof typeof ROLES;

const wordSet = (list: string) => new Set(list.split("|"));

const STATES = {
  open: wordSet(
    "not started|to do|to-do|todo|open|inbox|backlog|planned|next|next up|up next|nicht begonnen|offen|geplant|zu erledigen",
  ),
  begun: wordSet(
    "in progress|doing|ongoing|started|blocked|waiting|on hold|paused|review|in review|in arbeit|in bearbeitung|wartet|blockiert|pausiert",
  ),
  resolved: wordSet("done|complete|completed|finished|closed|erledigt|fertig|abgeschlossen"),
  archived: wordSet("cancelled|canceled|archived|won't do|dropped|abgebrochen|archiviert"),
};
type State = keyof typeof STATES;

const PRIORITIES: readonly [RegExp, Priority][] = [
  [/^(?:high|highest|urgent|critical|p1|hoch|dringend)$/, "high"],
  [/^(?:medium|normal|p2|mittel)$/, "normal"],
  [/^(?:low|lowest|p3|niedrig)$/, "low"],
];

/** A cell in lower case, without leading symbols such as an emoji. */
const normalizeCell = (cell: string) =>
  cell
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .trim()
    .toLowerCase();

const YES = wordSet("yes|true|x|ja|wahr");
const YES_OR_NO = new Set([...YES, ...wordSet("no|false|nein|falsch")]);

const taskState = (cell: string): State | undefined =>
  (Object.keys(STATES) as State[]).find((state) => STATES[state].has(normalizeCell(cell)));

/** The column of each role, the first one if several match. The first column of the table is the name. */
function findRoles(names: readonly string[]): Partial<Record<Role, number>> {
  const found: Partial<Record<Role, number>> = {};
  for (const [at, name] of names.entries())
    for (const [role, pattern] of Object.entries(ROLES) as [Role, RegExp][])
      if (at > 0 && pattern.test(name.toLowerCase())) found[role] ??= at;
  return found;
}

const RANGE = /^(.{1,100}?)\s*(?:→|->)\s*(.{1,100})$/u;

/** A date as Notion writes it: "March 1, 2027 10:00 AM (GMT+1)" or "2027/03/01". A range is due at its end. */
function readSchedule(cell: string, today: string): (TaskSchedule & { isRange: boolean }) | undefined {
  const [, , end] = RANGE.exec(cell.trim()) ?? [];
  const text = (end ?? cell)
    .replace(/\((?:GMT|UTC)[^()]{0,12}\)/, "")
    .replace(/^@/, "")
    .replace(/^(\d{4})\/(\d\d)\/(\d\d)/, "$1-$2-$3")
    .replace(/^(\p{L}{3,12} \d{1,2}),/u, "$1")
    .trim();
  const when = text === "" ? undefined : parseTodoistSchedule(text, today);
  if (!when?.due_date) return undefined;
  const { isOpen: _, ...read } = when;
  return { ...read, isRange: end !== undefined };
}

/** An instant in a cell, taken as UTC; for a day, its beginning. */
export function readInstant(cell: string, today: string): string | undefined {
  const { due_date, due_time = "00:00" } = readSchedule(cell, today) ?? {};
  return due_date && `${due_date}T${due_time}:00.000Z`;
}

/**
 * Whether a table contains tasks: all its states are those of tasks, or it has due dates or a done column.
 *
 * @param today the person's day
 */
export function isTaskTable({ names, rows }: Table, today: string): boolean {
  const roles = findRoles(names);
  const cellsOf = (at: number | undefined) =>
    at === undefined ? [] : rows.map(({ cells }) => cells[at]?.trim() ?? "").filter(Boolean);
  const all = (cells: string[], holds: (cell: string) => boolean) => cells.length > 0 && cells.every(holds);
  return (
    all(cellsOf(roles.status), (cell) => taskState(cell) !== undefined) ||
    all(cellsOf(roles.done), (cell) => YES_OR_NO.has(normalizeCell(cell))) ||
    cellsOf(roles.due).some((cell) => readSchedule(cell, today) !== undefined)
  );
}

const splitList = (cell: string) =>
  withoutPageAddresses(cell)
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

type Columns = Table & { roles: ReturnType<typeof findRoles> };

/** What a row says in the columns with a role. Cells that are not fully understood go into the text. */
function readRow(cells: readonly string[], { names, roles }: Columns, today: string) {
  const used = new Set([0]);
  const notes: string[] = [];
  const cellOf = (role: Role) => cells[roles[role] ?? -1]?.trim() ?? "";
  const use = <Value>(role: Role, value: Value | undefined) => {
    const at = roles[role];
    if (at !== undefined && value !== undefined) used.add(at);
    return value;
  };
  const schedule = (): TaskSchedule => {
    const role = cellOf("due") ? "due" : "date";
    const words = cellOf(role);
    if (words === "") return {};
    const read = readSchedule(words, today);
    if (!read) {
      notes.push(
        `“${words.slice(0, 80)}” was not understood, so it was left out; the words are in the record's text`,
      );
      return {};
    }
    const { isRange, ...when } = read;
    use(role, isRange ? undefined : when);
    return when;
  };
  const closed = (): ImportedTask["closed"] => {
    const state = taskState(cellOf("status"));
    const done = normalizeCell(cellOf("done"));
    use("done", YES_OR_NO.has(done) || undefined);
    if (state !== "begun") use("status", state);
    const as = state === "resolved" || state === "archived" ? state : YES.has(done) ? "resolved" : undefined;
    if (!as) return undefined;
    const at = use("closed", readInstant(cellOf("closed"), today));
    return { as, at: at ?? readInstant(cellOf("updated"), today) };
  };
  const [tags, projects] = [splitList(cellOf("tags")), splitList(cellOf("project"))];
  use("tags", tags);
  use("project", projects.length === 1 ? projects : undefined);
  const priority = normalizeCell(cellOf("priority"));
  const read = {
    ...schedule(),
    tags,
    priority: use("priority", PRIORITIES.find(([pattern]) => pattern.test(priority))?.[1]),
    closed: closed(),
    created_at: use("created", readInstant(cellOf("created"), today)),
  };
  const texts = cells.flatMap((cell, at) => {
    const [name, value] = [names[at], withoutPageAddresses(cell).trim()];
    return used.has(at) || value === "" ? [] : [name ? `${name}: ${value}` : value];
  });
  return { ...read, projects, texts, notes };
}

export function readNotionCsv(
  { names, rows, refused }: ReturnType<typeof readCsv>,
  { name, today }: TaskFileContext,
): ReadTasks {
  const columns = { names, rows, roles: findRoles(names) };
  const { id = stem(name), name: called = stem(name) } = parseNotionName(name) ?? {};
  const keyOf = taskKeys("notion");
  const tasks = rows.map(({ line, cells }): ImportedTask => {
    const topic = cells[0] ?? "";
    const { projects, ...read } = readRow(cells, columns, today);
    const project = projects.length === 1 ? projects[0] : called === UNTITLED ? undefined : called;
    return { where: `line ${line}`, key: keyOf([id, topic]), topic, project, remind: [], ...read };
  });
  return { tasks, refused, leftOut: [] };
}
