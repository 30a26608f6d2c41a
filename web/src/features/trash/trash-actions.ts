import { documentsApi } from "../../api/documents.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { trashApi } from "../../api/trash.ts";
import { titleText } from "../../kit/title-text.ts";
import { trackJob } from "../../state/jobs.ts";
import type { ChangeableDocument } from "../../state/pending-changes.ts";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoChanges } from "../../state/undo.ts";
import { type ChangeResult, changeDocuments, resultSuffix, undoAction } from "../things/document-actions.ts";

// The actions on documents and records in the trash.

const BATCH_SIZE = 100;

export type TrashedThing =
  | (ChangeableDocument & { type: "document" })
  | { type: "memory"; id: number; topic: string };

export const trashedTitle = (item: TrashedThing): string =>
  item.type === "document" ? titleText(item.title) : item.topic;

/** "“Packing list”", or "3 items" */
export const trashedCountText = (items: readonly TrashedThing[]): string =>
  items.length === 1 && items[0] ? `“${trashedTitle(items[0])}”` : `${items.length} items`;

/** Restores records. Throws the reason of the first one that is refused. */
async function restoreMemories(ids: readonly number[], changes: ChangeIds): Promise<void> {
  const operations: MemoryOperation[] = ids.map((id) => ({ operation: "restore", id }));
  for (let start = 0; start < operations.length; start += BATCH_SIZE) {
    const { results } = await memoriesApi.bulk(operations.slice(start, start + BATCH_SIZE), { changes });
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(refused.detail);
  }
}

const attemptAndRefresh = (action: Parameters<typeof runWithToast>[0]) =>
  runWithToast(action).finally(() => void refreshMemories());

const noDocuments: ChangeResult = {
  done: [],
  refused: [],
  changes: [],
  waiting: 0,
  problem: undefined,
  undo: async () => undefined,
};

/** Restores items from the trash. Documents can also be restored offline. */
export async function restoreTrashed(items: readonly TrashedThing[]): Promise<void> {
  const progressToast = beginToast();
  const documents = items.filter((item) => item.type === "document");
  const memories = items.filter((item) => item.type === "memory");
  const changes: ChangeIds = [];
  const restored = documents.length > 0 ? await changeDocuments({ kind: "restore" }, documents) : noDocuments;
  const ids = memories.map(({ id }) => id);
  const problem = await restoreMemories(ids, changes).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  const undo = async () => {
    if (undoAction(restored).undo) await restored.undo();
    if (changes.length > 0) await undoChanges(changes);
  };
  const hasUndo = changes.length > 0 || undoAction(restored).undo !== undefined;
  const failedCount = restored.refused.length + (problem ? memories.length : 0);
  const reason = problem?.message ?? restored.refused[0]?.reason ?? "";
  const text =
    failedCount === items.length ? reason : `${trashedCountText(items)} restored${resultSuffix(restored)}`;
  progressToast.end({
    text: problem && failedCount < items.length ? `${text}; ${reason}` : text,
    ...(problem || failedCount === items.length ? { kind: "refused" as const } : {}),
    ...(hasUndo && { undo: () => void undo() }),
  });
  void refreshDocuments();
  void refreshMemories();
}

export const eraseTrashed = (items: readonly TrashedThing[]) =>
  attemptAndRefresh(async () => {
    for (const { type, id } of items) if (type === "document") await documentsApi.remove(id, true);
    for (const { type, id } of items) if (type === "memory") await memoriesApi.remove(id, true);
    return `${trashedCountText(items)} permanently deleted`;
  });

export const emptyTrash = () =>
  attemptAndRefresh(async () => {
    const job = await trashApi.empty();
    return job ? trackJob(job) : "The trash is empty";
  });
