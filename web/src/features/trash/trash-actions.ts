import { documentsApi } from "../../api/documents.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { trashApi } from "../../api/trash.ts";
import { titleText } from "../../kit/title-text.ts";
import { attempt } from "../../state/attempt.ts";
import { goesOn } from "../../state/jobs.ts";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, takeBack } from "../../state/undo.ts";
import type { Changeable } from "../../state/waiting-changes.ts";
import { butOf, type CarriedOut, carryOut, undoOfStep } from "../things/document-actions.ts";

// The actions on documents and records in the trash.

const BATCH_SIZE = 100;

/** An item in the trash. */
export type Thing = (Changeable & { type: "document" }) | { type: "memory"; id: number; topic: string };

export const titleOf = (item: Thing): string =>
  item.type === "document" ? titleText(item.title) : item.topic;

/** "“Packing list”", or "3 items" */
export const countOf = (items: readonly Thing[]): string =>
  items.length === 1 && items[0] ? `“${titleOf(items[0])}”` : `${items.length} items`;

const idsOf = (items: readonly Thing[]) => ({
  documents: items.flatMap((item) => (item.type === "document" ? [item.id] : [])),
  memories: items.flatMap((item) => (item.type === "memory" ? [item.id] : [])),
});

/** Restores records. Throws the reason of the first one that is refused. */
async function restoreMemories(ids: readonly number[], changes: Changes): Promise<void> {
  const operations: MemoryOperation[] = ids.map((id) => ({ operation: "restore", id }));
  for (let start = 0; start < operations.length; start += BATCH_SIZE) {
    const { results } = await memoriesApi.bulk(operations.slice(start, start + BATCH_SIZE), { changes });
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(refused.detail);
  }
}

const attemptAndRefresh = (action: Parameters<typeof attempt>[0]) =>
  attempt(action).finally(() => void refreshMemories());

const noDocuments: CarriedOut = {
  done: [],
  refused: [],
  changes: [],
  waiting: 0,
  problem: undefined,
  undo: async () => undefined,
};

/** Restores items from the trash. Documents can also be restored offline. */
export async function restore(items: readonly Thing[]): Promise<void> {
  const progressToast = begin();
  const documents = items.filter((item) => item.type === "document");
  const memories = items.filter((item) => item.type === "memory");
  const changes: Changes = [];
  const restored = documents.length > 0 ? await carryOut({ kind: "restore" }, documents) : noDocuments;
  const problem = await restoreMemories(
    memories.map(({ id }) => id),
    changes,
  ).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  const undo = async () => {
    if (undoOfStep(restored).undo) await restored.undo();
    if (changes.length > 0) await takeBack(changes);
  };
  const hasUndo = changes.length > 0 || undoOfStep(restored).undo !== undefined;
  const failedCount = restored.refused.length + (problem ? memories.length : 0);
  const reason = problem?.message ?? restored.refused[0]?.reason ?? "";
  const text = failedCount === items.length ? reason : `${countOf(items)} restored${butOf(restored)}`;
  progressToast.end({
    text: problem && failedCount < items.length ? `${text}; ${reason}` : text,
    ...(problem || failedCount === items.length ? { kind: "refused" as const } : {}),
    ...(hasUndo && { undo: () => void undo() }),
  });
  void refreshDocuments();
  void refreshMemories();
}

export const erase = (items: readonly Thing[]) =>
  attemptAndRefresh(async () => {
    const { documents, memories } = idsOf(items);
    for (const id of documents) await documentsApi.remove(id, true);
    for (const id of memories) await memoriesApi.remove(id, true);
    return `${countOf(items)} permanently deleted`;
  });

export const emptyTrash = () =>
  attemptAndRefresh(async () => {
    const job = await trashApi.empty();
    return job ? goesOn(job) : "The trash is empty";
  });
