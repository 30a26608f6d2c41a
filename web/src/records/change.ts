import { type Memory, type MemoryChange, memoriesApi } from "../api.ts";
import { changePages } from "../parts/change-pages.ts";
import { toast } from "../parts/toasts.tsx";
import { queries, refreshMemories } from "../queries.ts";
import type { Change } from "./pending.ts";

const key = (id: number) => ["memories", "record", id];

/** Puts the record that the service answered into the place where the screen looks. */
export const putMemory = (memory: Memory) => queries.setQueryData(key(memory.id), memory);

type ListQuery = { status?: Memory["status"] | undefined };

/** Shows in the lists that are read page by page what steps have made of records. */
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

/** Changes fields of a record. It shows at once, can be undone, and returns as it was if it is refused. */
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
