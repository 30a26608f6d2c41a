import { documentsApi } from "../../api/documents.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { trashApi } from "../../api/trash.ts";
import { titleText } from "../../kit/title-text.ts";
import { attempt } from "../../state/attempt.ts";
import { inSteps } from "../../state/bulk-progress.ts";
import { goesOn } from "../../state/jobs.ts";
import { refreshMemories } from "../../state/queries.ts";
import type { Changes } from "../../state/undo.ts";

// What can be done with what is in the trash, documents and records together.

const AT_ONCE = 100;
const SIDE_BY_SIDE = 6;

/** What names something in the trash. */
export type Thing =
  | { type: "document"; id: string; title: string }
  | { type: "memory"; id: number; topic: string };

export const titleOf = (item: Thing): string =>
  item.type === "document" ? titleText(item.title) : item.topic;

/** "“Packing list”", or "3 items" */
export const countOf = (items: readonly Thing[]): string =>
  items.length === 1 && items[0] ? `“${titleOf(items[0])}”` : `${items.length} items`;

const idsOf = (items: readonly Thing[]) => ({
  documents: items.flatMap((item) => (item.type === "document" ? [item.id] : [])),
  memories: items.flatMap((item) => (item.type === "memory" ? [item.id] : [])),
});

/** Brings many documents back. */
const restoreDocuments = (ids: readonly string[], changes: Changes): Promise<void> =>
  inSteps(ids, ids.length > AT_ONCE ? SIDE_BY_SIDE : AT_ONCE, async (all) => {
    for (let start = 0; start < all.length; start += SIDE_BY_SIDE) {
      const some = all.slice(start, start + SIDE_BY_SIDE);
      await Promise.all(some.map((id) => documentsApi.restore(id, { changes })));
    }
  });

/** Brings many records back. Throws the reason of the first that was refused. */
async function restoreMemories(ids: readonly number[], changes: Changes): Promise<void> {
  const operations: MemoryOperation[] = ids.map((id) => ({ operation: "restore", id }));
  for (let start = 0; start < operations.length; start += AT_ONCE) {
    const { results } = await memoriesApi.bulk(operations.slice(start, start + AT_ONCE), { changes });
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(refused.detail);
  }
}

const both = (action: Parameters<typeof attempt>[0]) => attempt(action).finally(() => void refreshMemories());

export const restore = (items: readonly Thing[]) =>
  both(async (changes) => {
    const { documents, memories } = idsOf(items);
    await restoreDocuments(documents, changes);
    await restoreMemories(memories, changes);
    return `${countOf(items)} restored`;
  });

export const erase = (items: readonly Thing[]) =>
  both(async () => {
    const { documents, memories } = idsOf(items);
    for (const id of documents) await documentsApi.remove(id, true);
    for (const id of memories) await memoriesApi.remove(id, true);
    return `${countOf(items)} erased`;
  });

export const emptyTrash = () =>
  both(async () => {
    const job = await trashApi.empty();
    return job ? goesOn(job) : "The trash is empty";
  });
