import { type Memory, type MemoryChange, memoriesApi } from "../../api/memories.ts";
import { updateCachedPages } from "../../state/cached-pages.ts";
import { queries, refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import type { OptimisticChange } from "./optimistic-changes.ts";

const recordKey = (id: number) => ["memories", "record", id];

/** Stores a record that the server has just returned. */
export const cacheMemory = (memory: Memory) => queries.setQueryData(recordKey(memory.id), memory);

type ListQuery = { status?: Memory["status"] | undefined };

/** Applies a step to the loaded pages of all lists, so that they need not be reloaded. */
export function applyToCachedLists(ids: readonly number[], { deleted, ...change }: OptimisticChange): void {
  const updated_at = new Date().toISOString();
  updateCachedPages<Memory, ListQuery>(["memories", "list"], (item, { status }) => {
    if (!ids.includes(item.id)) return [item];
    const isLeaving = deleted || (status && (change.status ?? item.status) !== status);
    return isLeaving ? [] : [{ ...item, ...change, updated_at }];
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
