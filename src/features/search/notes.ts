import { SourceType, TaskFilter } from "../../contract/document.ts";
import { MemoryStatus, MemoryType, Owed, Priority } from "../../contract/memory.ts";
import { noteOnMisread } from "../../contract/query/misread.ts";
import type { Filter, FilterName, Query } from "../../contract/query/query.ts";
import type { SearchQuery } from "../../contract/search.ts";

const OF_DOCUMENTS = ["document", "documents"];
const OF_MEMORIES = ["memory", "memories", ...MemoryType.options];

const VALUES: Partial<Record<FilterName, readonly string[]>> = {
  type: [...OF_DOCUMENTS, ...OF_MEMORIES],
  status: MemoryStatus.options,
  source: SourceType.options,
  task: TaskFilter.options,
  has: ["task", "file"],
  is: ["repeating"],
  priority: Priority.options,
  owed: Owed.options,
};

/** Filters that memory records have nothing for. */
const isOfTasks = ({ name, value }: Filter) =>
  name === "task" || (name === "has" && value.toLowerCase() !== "file");

/** Whether a query asks for tasks, which not all documents may have been looked through for yet. */
export const asksForTasks = ({ filters }: Query): boolean => filters.some(isOfTasks);

const OF_RECORDS: readonly FilterName[] = ["status", "project", "due", "is", "priority", "owed"];

function kindOf(name: FilterName, value: string): "documents" | "memories" | undefined {
  if (name === "folder" || isOfTasks({ name, value })) return "documents";
  if (OF_RECORDS.includes(name)) return "memories";
  if (name !== "type") return undefined;
  return OF_DOCUMENTS.includes(value) ? "documents" : "memories";
}

/** What documents do not have. */
const LACKED: Partial<Record<FilterName, string>> = {
  ...{ status: "have no status", due: "have no due date", is: "do not repeat" },
  ...{ priority: "have no priority", owed: "are owed to nobody" },
};

/** What a filter leaves out that only one kind has: without this, a search for all of a project seems to be complete. */
function leavesOut({ name, value }: Filter): string | undefined {
  if (name === "project") {
    return `project:${value} leaves out documents, which have no project: search for ${value} as a word to find them too`;
  }
  const lack = LACKED[name];
  if (lack) return `${name}:${value} leaves out documents, which ${lack}`;
  if (isOfTasks({ name, value }))
    return `${name}:${value} leaves out records: only documents have tasks in their text`;
  return name === "folder" ? `folder:${value} leaves out records, which are in no folder` : undefined;
}

/** @param namesType whether the query names a type: whoever does knows that the other kind is left out */
function noteOf({ name, value }: Filter, type: SearchQuery["type"], namesType: boolean): string | undefined {
  const known = VALUES[name];
  const lower = value.toLowerCase();
  if (known && !known.includes(lower)) {
    return `${name}:${value} matches nothing: the values of ${name} are ${known.join(", ")}`;
  }
  const kind = kindOf(name, lower);
  if (kind === undefined || type === kind) return undefined;
  if (type === "all") return namesType ? undefined : leavesOut({ name, value });
  const what = kind === "memories" ? "memory records" : "documents";
  return `${name}:${value} applies to ${what}, which this search does not include: use type=all`;
}

/** The note on a filter of one kind beside a type of the other: such a search finds nothing. */
function noteOnType({ name, value }: Filter, types: readonly Filter[]): string | undefined {
  const kind = name === "type" ? undefined : kindOf(name, value.toLowerCase());
  const other = types.find((type) => kind !== undefined && kindOf("type", type.value.toLowerCase()) !== kind);
  if (!other) return undefined;
  const what = kind === "memories" ? "memory records" : "documents";
  return `${name}:${value} applies to ${what}, which type:${other.value} leaves out: nothing is both`;
}

function notesOf(filters: readonly Filter[], asked: SearchQuery["type"]): string[] {
  const namesType = filters.some(({ name }) => name === "type");
  const types = filters.filter(
    ({ name, value }) => name === "type" && VALUES.type?.includes(value.toLowerCase()),
  );
  const notes = filters.flatMap(
    (filter) => noteOf(filter, asked, namesType) ?? noteOnType(filter, types) ?? [],
  );
  return [...new Set(notes)];
}

function noteOnSimplified(simplified: readonly string[]): string[] {
  const [first] = simplified;
  if (first === undefined) return [];
  const others = simplified.length > 1 ? ` and ${simplified.length - 1} more` : "";
  return [
    `${first}${others} were searched for as plain words, because a query can have at most 32 phrases, beginnings, title words and alternatives, and 4 beginnings, or a single one of one or two letters`,
  ];
}

function noteOnWaiting(waiting: number): string[] {
  if (waiting === 0) return [];
  const texts =
    waiting === 1
      ? "1 long text that was just written is"
      : `${waiting} long texts that were just written are`;
  return [`${texts} not in the index yet, and may be missing here: search again in a moment`];
}

/** The note on phrases that no result has, although in a sentence they are not required. */
function noteOnMissing(phrases: readonly string[]): string[] {
  if (phrases.length === 0) return [];
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(" or ");
  return [`No result has ${quoted} as it is written: the words of it were searched for`];
}

type Noted = {
  missing: readonly string[];
  simplified: readonly string[];
  waiting: number;
  unknown: readonly string[];
  uncounted: readonly string[];
};

/** What an answer says about its query, and about what the query could not find. */
export const notesOn = (
  { filters, misread = [] }: Query,
  asked: SearchQuery["type"],
  { missing, simplified, waiting, unknown, uncounted }: Noted,
): string[] => [
  ...notesOf(filters, asked),
  ...unknown,
  ...new Set(misread.map(noteOnMisread)),
  ...noteOnMissing(missing),
  ...noteOnSimplified(simplified),
  ...noteOnWaiting(waiting),
  ...uncounted,
];
