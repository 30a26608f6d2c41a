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

/** Whether a record no longer belongs to a list, as far as the fields say that steps change. */
const hasLeft = (item: Memory, { status, project, memory_type, due_before, due_after }: RecordQuery) =>
  (status !== undefined && item.status !== status) ||
  (project !== undefined && item.project !== project) ||
  (memory_type !== undefined && !memory_type.includes(item.memory_type)) ||
  (due_before !== undefined && (item.due_date ?? due_before) >= due_before) ||
  (due_after !== undefined && (item.due_date ?? "") < due_after);

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
    if (isDatedList(query) && !hasLeft(record, query)) insertIntoCachedPages(queryKey, record, isDueBefore);
  }
}

/** Applies a step to the loaded pages of all lists, so that they need not be reloaded. */
export function applyToCachedLists(rows: readonly RecordItem[], change: OptimisticChange): void {
  const updated_at = new Date().toISOString();
  const ids = rows.map(({ id }) => id);
  updateCachedPages<Memory, RecordQuery>(["memories", "list"], (item, query) => {
    if (!ids.includes(item.id)) return [item];
    const changed = applyRecordChange({ ...item, updated_at }, change);
    return change.deleted || hasLeft(changed, query) ? [] : [changed];
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
