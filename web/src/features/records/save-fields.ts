import { isSameName } from "../../../../src/contract/name-key.ts";
import { type Memory, type MemoryChange, memoriesApi } from "../../api/memories.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { insertIntoCachedPages, updateCachedPages } from "../../state/cached-pages.ts";
import { queries, refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import { dueSortKey } from "./due.ts";
import { applyRecordChange, type OptimisticChange } from "./optimistic-changes.ts";

import type { RecordItem } from "./row.ts";

const recordKey = (id: number) => ["memories", "record", id];

/** Stores a record that the server has just returned. */
export const cacheMemory = (memory: Memory) => queries.setQueryData(recordKey(memory.id), memory);

/** Whether a record belongs to a list, as far as one of its fields says. */
const FITS = {
  status: (item, { status }) => status === undefined || item.status === status,
  project: (item, { project }) => project === undefined || isSameName(item.project ?? "", project),
  memory_type: (item, { memory_type: types }) => types === undefined || types.includes(item.memory_type),
  due_date: ({ due_date: day }, { due_after, due_before }) =>
    (due_after === undefined || (day !== null && day >= due_after)) &&
    (due_before === undefined || (day !== null && day < due_before)),
} satisfies Record<string, (item: Memory, query: RecordQuery) => boolean>;

const isIn = (item: Memory, query: RecordQuery, fields: readonly string[]) =>
  Object.entries(FITS).every(([field, fits]) => !fields.includes(field) || fits(item, query));

const DATED_LIST = ["status", "due_before", "due_after", "sort", "content_length"];
/** Whether a list has everything that is due in a time, earliest first, so that a record's place in it is known. */
const isDatedList = (query: RecordQuery) =>
  query.sort === "due_date" &&
  Object.entries(query).every(([name, value]) => value === undefined || DATED_LIST.includes(name));

const isDueBefore = (one: Memory, other: Memory) => dueSortKey(one) < dueSortKey(other);

/** Adds a record that was given another day to the loaded lists that it now belongs to. */
function addToLists(record: Memory): void {
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: ["memories", "list"] })) {
    const query = queryKey[2] as RecordQuery;
    if (isDatedList(query) && isIn(record, query, ["status", "due_date"]))
      insertIntoCachedPages(queryKey, record, isDueBefore);
  }
}

/** Applies a step to the loaded pages of all lists, so that they need not be reloaded. */
export function applyToCachedLists(rows: readonly RecordItem[], change: OptimisticChange): void {
  const updated_at = new Date().toISOString();
  const ids = rows.map(({ id }) => id);
  updateCachedPages<Memory, RecordQuery>(["memories", "list"], (item, query) => {
    if (!ids.includes(item.id)) return [item];
    const changed = applyRecordChange({ ...item, updated_at }, change);
    // Only what was changed: the service compares the other fields in ways of its own.
    return !change.deleted && isIn(changed, query, Object.keys(change)) ? [changed] : [];
  });
  if (!change.due_date) return;
  for (const row of rows) addToLists(applyRecordChange(row as Memory, change));
}

/** Changes fields of a record. The change is shown before the server answers, and reverted if it is refused. */
export async function saveMemoryFields(memory: Memory, change: MemoryChange): Promise<void> {
  const step = beginToast();
  const changes: ChangeIds = [];
  await queries.cancelQueries({ queryKey: recordKey(memory.id) });
  const { apply_to: _, ...fields } = change;
  cacheMemory({ ...memory, ...fields } as Memory);
  try {
    cacheMemory(await memoriesApi.update(memory.id, change, { changes }));
    step.end({ text: "Saved", ...undoOffer(changes) });
  } catch (problem) {
    cacheMemory(memory);
    step.end({ kind: "refused", text: (problem as Error).message });
  }
  void refreshMemories();
}
