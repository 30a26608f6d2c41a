import { type Memory, type MemoryChange, memoriesApi } from "../../api/memories.ts";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { updateCachedPages } from "../../state/cached-pages.ts";
import { queries, refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import { applyRecordChange, type OptimisticChange } from "./optimistic-changes.ts";

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

/** Applies a step to the loaded pages of all lists, so that they need not be reloaded. */
export function applyToCachedLists(ids: readonly number[], change: OptimisticChange): void {
  const updated_at = new Date().toISOString();
  updateCachedPages<Memory, RecordQuery>(["memories", "list"], (item, query) => {
    if (!ids.includes(item.id)) return [item];
    const changed = applyRecordChange({ ...item, updated_at }, change);
    return change.deleted || hasLeft(changed, query) ? [] : [changed];
  });
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
