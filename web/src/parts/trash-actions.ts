import { documentsApi, type MemoryOperation, memoriesApi, trashApi } from "../api.ts";
import { refreshMemories } from "../state/queries.ts";
import { attempt, restoreAll, sendOperations } from "./document-actions.ts";
import { toast } from "./toasts.tsx";

// What can be done with what is in the trash, documents and records together.

const AT_ONCE = 100;

/** What names something in the trash. */
export type Thing =
  | { type: "document"; id: string; title: string }
  | { type: "memory"; id: number; topic: string };

export const titleOf = (item: Thing): string => (item.type === "document" ? item.title : item.topic);

/** "“Packing list”", or "3 items" */
export const countOf = (items: readonly Thing[]): string =>
  items.length === 1 && items[0] ? `“${titleOf(items[0])}”` : `${items.length} items`;

const idsOf = (items: readonly Thing[]) => ({
  documents: items.flatMap((item) => (item.type === "document" ? [item.id] : [])),
  memories: items.flatMap((item) => (item.type === "memory" ? [item.id] : [])),
});

/** Carries out the same with many records. Throws the reason of the first that was refused. */
async function sendMemories(ids: readonly number[], operation: "restore" | "delete"): Promise<void> {
  const operations: MemoryOperation[] = ids.map((id) => ({ operation, id }));
  for (let start = 0; start < operations.length; start += AT_ONCE) {
    const { results } = await memoriesApi.bulk(operations.slice(start, start + AT_ONCE));
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(refused.detail);
  }
}

const both = (action: () => Promise<unknown>) => attempt(action).finally(() => void refreshMemories());

export const restore = (items: readonly Thing[]) =>
  both(async () => {
    const { documents, memories } = idsOf(items);
    await restoreAll(documents);
    await sendMemories(memories, "restore");
    const undo = async () => {
      await sendOperations(documents.map((id) => ({ operation: "delete", id })));
      await sendMemories(memories, "delete");
    };
    toast({ text: `${countOf(items)} restored`, undo: () => both(undo) });
  });

export const erase = (items: readonly Thing[]) =>
  both(async () => {
    const { documents, memories } = idsOf(items);
    for (const id of documents) await documentsApi.remove(id, true);
    for (const id of memories) await memoriesApi.remove(id, true);
    toast({ text: `${countOf(items)} erased` });
  });

export const emptyTrash = () =>
  both(async () => {
    await trashApi.empty();
    toast({ text: "The trash is empty" });
  });
