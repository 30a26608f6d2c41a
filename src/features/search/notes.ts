import { SourceType, TaskFilter } from "../../contract/document.ts";
import { MemoryStatus, MemoryType, Owed, Priority } from "../../contract/memory.ts";
import type { SearchQuery } from "../../contract/search.ts";
import { misreadNote } from "../../shared/query/misread.ts";
import type { Filter, FilterName, Query } from "../../shared/query/query.ts";

const DOCUMENT_TYPES = ["document", "documents"];
const MEMORY_TYPES = ["memory", "memories", ...MemoryType.options];

const KNOWN_VALUES: Partial<Record<FilterName, readonly string[]>> = {
  type: [...DOCUMENT_TYPES, ...MEMORY_TYPES],
  status: MemoryStatus.options,
  source: SourceType.options,
  task: TaskFilter.options,
  has: ["task", "file"],
  is: ["repeating"],
  priority: Priority.options,
  owed: Owed.options,
};

/** Records have no tasks. */
const isTaskFilter = ({ name, value }: Filter) =>
  name === "task" || (name === "has" && value.toLowerCase() !== "file");

/** Whether a query filters by tasks, which may not be counted yet in older documents. */
export const asksForTasks = ({ filters }: Query): boolean => filters.some(isTaskFilter);

const MEMORY_FILTERS: readonly FilterName[] = ["status", "project", "due", "is", "priority", "owed"];

function filteredKind(name: FilterName, value: string): "documents" | "memories" | undefined {
  if (name === "folder" || isTaskFilter({ name, value })) return "documents";
  if (MEMORY_FILTERS.includes(name)) return "memories";
  if (name !== "type") return undefined;
  return DOCUMENT_TYPES.includes(value) ? "documents" : "memories";
}

/** Why documents do not match a filter. */
const DOCUMENTS_LACK: Partial<Record<FilterName, string>> = {
  status: "have no status",
  due: "have no due date",
  is: "do not repeat",
  priority: "have no priority",
  owed: "are not owed to anyone",
};

/** Says what a filter of one kind excludes; otherwise a search for everything in a project would seem complete. */
function noteOnExcludedKind({ name, value }: Filter): string | undefined {
  if (name === "project") {
    return `Only records are shown, because documents have no project. Search for ${value} as a word to find documents too.`;
  }
  const lack = DOCUMENTS_LACK[name];
  if (lack) return `Only records are shown, because documents ${lack}.`;
  if (isTaskFilter({ name, value })) return "Only documents are shown, because records have no tasks.";
  return name === "folder" ? "Only documents are shown, because records are not in folders." : undefined;
}

/** @param namesType the query names a type, so it is obvious that the other kind is excluded */
function noteOnFilter(
  { name, value }: Filter,
  type: SearchQuery["type"],
  namesType: boolean,
): string | undefined {
  const known = KNOWN_VALUES[name];
  const lower = value.toLowerCase();
  if (known && !known.includes(lower)) {
    return `${name}:${value} matches nothing. Possible values: ${known.join(", ")}`;
  }
  const kind = filteredKind(name, lower);
  if (kind === undefined || type === kind) return undefined;
  if (type === "all") return namesType ? undefined : noteOnExcludedKind({ name, value });
  const what = kind === "memories" ? "memory records" : "documents";
  return `${name}:${value} applies to ${what}, which this search does not include: use type=all`;
}

/** The note on a filter of one kind combined with a type of the other: such a search finds nothing. */
function noteOnType({ name, value }: Filter, types: readonly Filter[]): string | undefined {
  const kind = name === "type" ? undefined : filteredKind(name, value.toLowerCase());
  const other = types.find(
    (type) => kind !== undefined && filteredKind("type", type.value.toLowerCase()) !== kind,
  );
  if (!other) return undefined;
  const what = kind === "memories" ? "memory records" : "documents";
  return `${name}:${value} applies to ${what}, but type:${other.value} excludes them: nothing matches both`;
}

function notesOnFilters(filters: readonly Filter[], searchedType: SearchQuery["type"]): string[] {
  const namesType = filters.some(({ name }) => name === "type");
  const types = filters.filter(
    ({ name, value }) => name === "type" && KNOWN_VALUES.type?.includes(value.toLowerCase()),
  );
  const notes = filters.flatMap(
    (filter) => noteOnFilter(filter, searchedType, namesType) ?? noteOnType(filter, types) ?? [],
  );
  return [...new Set(notes)];
}

function noteOnSimplified(simplified: readonly string[]): string[] {
  const [first] = simplified;
  if (first === undefined) return [];
  const others = simplified.length > 1 ? ` and ${simplified.length - 1} more` : "";
  return [
    `${first}${others} were searched for as plain words: a query can have at most 32 phrases, prefixes, title words and alternatives, with at most 4 prefixes, or a single prefix of one or two letters`,
  ];
}

function noteOnWaiting(waiting: number): string[] {
  if (waiting === 0) return [];
  const texts =
    waiting === 1 ? "1 long text that was just saved is" : `${waiting} long texts that were just saved are`;
  return [`${texts} not indexed yet and may be missing here: search again in a moment`];
}

/** The note on phrases that no result contains. In a sentence phrases are optional. */
function noteOnMissing(phrases: readonly string[]): string[] {
  if (phrases.length === 0) return [];
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(" or ");
  return [`No result contains ${quoted} exactly, so the words in it were searched for`];
}

type NoteSources = {
  missingPhrases: readonly string[];
  simplified: readonly string[];
  waitingCount: number;
  unknown: readonly string[];
  uncounted: readonly string[];
};

/** The notes of a response: about the query, and about what it could not find. */
export const searchNotes = (
  { filters, misread = [] }: Query,
  searchedType: SearchQuery["type"],
  { missingPhrases, simplified, waitingCount, unknown, uncounted }: NoteSources,
): string[] => [
  ...notesOnFilters(filters, searchedType),
  ...unknown,
  ...new Set(misread.map(misreadNote)),
  ...noteOnMissing(missingPhrases),
  ...noteOnSimplified(simplified),
  ...noteOnWaiting(waitingCount),
  ...uncounted,
];
