import { type Memory, type MemoryChange, memoriesApi } from "../../api/memories.ts";
import { changePages } from "../../state/change-pages.ts";
import { queries, refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, undoOf } from "../../state/undo.ts";
import type { Change } from "./pending.ts";

const recordKey = (id: number) => ["memories", "record", id];

/** Stores a record that the server has just returned. */
export const putMemory = (memory: Memory) => queries.setQueryData(recordKey(memory.id), memory);

type ListQuery = { status?: Memory["status"] | undefined };

/** Applies a step to the loaded pages of all lists, so that they need not be reloaded. */
export function showTaken(ids: readonly number[], { deleted, ...change }: Change): void {
  const updated_at = new Date().toISOString();
  changePages<Memory, ListQuery>(["memories", "list"], (item, { status }) => {
    if (!ids.includes(item.id)) return [item];
    const isLeaving = deleted || (status && (change.status ?? item.status) !== status);
    return isLeaving ? [] : [{ ...item, ...change, updated_at }];
  });
}

/** Changes fields of a record. The change is shown before the server answers, and reverted if it is refused. */
export async function changeFields(memory: Memory, change: MemoryChange): Promise<void> {
  const step = begin();
  const changes: Changes = [];
  await queries.cancelQueries({ queryKey: recordKey(memory.id) });
  const { apply_to: _, ...fields } = change;
  putMemory({ ...memory, ...fields } as Memory);
  try {
    putMemory(await memoriesApi.update(memory.id, change, { changes }));
    step.end({ text: "Saved", ...undoOf(changes) });
  } catch (problem) {
    putMemory(memory);
    step.end({ kind: "refused", text: (problem as Error).message });
  }
  void refreshMemories();
}
