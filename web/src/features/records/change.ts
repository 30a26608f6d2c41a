import { type Memory, type MemoryChange, memoriesApi } from "../../api.ts";
import { changePages } from "../../state/change-pages.ts";
import { toast } from "../../parts/toasts.tsx";
import { queries, refreshMemories } from "../../state/queries.ts";
import type { Change } from "../../records/pending.ts";

const key = (id: number) => ["memories", "record", id];

/** Shows a record as the service has just returned it. */
export const putMemory = (memory: Memory) => queries.setQueryData(key(memory.id), memory);

type ListQuery = { status?: Memory["status"] | undefined };

/** Applies a step to the loaded pages of all lists, so that they need not be read again. */
export function showTaken(ids: readonly number[], { deleted, ...change }: Change): void {
  const updated_at = new Date().toISOString();
  changePages<Memory, ListQuery>(["memories", "list"], (item, { status }) => {
    if (!ids.includes(item.id)) return [item];
    const isLeaving = deleted || (status && (change.status ?? item.status) !== status);
    return isLeaving ? [] : [{ ...item, ...change, updated_at }];
  });
}

const before = (memory: Memory, change: MemoryChange): MemoryChange =>
  Object.fromEntries(Object.keys(change).map((field) => [field, memory[field as keyof Memory]]));

/** Changes fields of a record. Shown at once, can be undone, and reverted if the service refuses it. */
export async function changeFields(memory: Memory, change: MemoryChange, isUndo = false): Promise<void> {
  await queries.cancelQueries({ queryKey: key(memory.id) });
  putMemory({ ...memory, ...change } as Memory);
  try {
    const changed = await memoriesApi.update(memory.id, change);
    putMemory(changed);
    const undo = () => void changeFields(changed, before(memory, change), true);
    toast(isUndo ? { text: "Changed back" } : { text: "Saved", undo });
  } catch (problem) {
    putMemory(memory);
    toast({ kind: "refused", text: (problem as Error).message });
  }
  void refreshMemories();
}
