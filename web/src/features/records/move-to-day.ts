import { deletePendingStep, executeStep, newPendingStep, withdrawStep } from "../../state/pending-steps.ts";
import { refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoChanges, undoOffer } from "../../state/undo.ts";
import { showOptimistically } from "./optimistic-changes.ts";
import type { RecordItem } from "./row.ts";
import { formatShortDay, runInOrder, syncTimeText } from "./steps.ts";

/** Moves a record to another day, which is shown at once and can be undone. Of a series only this record moves. */
export async function moveToDay(row: RecordItem, day: string): Promise<void> {
  if (row.due_date === day) return;
  const progressToast = beginToast();
  const changes: ChangeIds = [];
  const endOptimistic = showOptimistically([row], { due_date: day });
  const message = `Moved “${row.topic}” to ${formatShortDay(day)}`;
  try {
    const waiting = await newPendingStep({
      text: `Move “${row.topic}” to ${formatShortDay(day)}`,
      operations: [{ operation: "update", id: row.id, due_date: day }],
      rows: [row],
      shown: { due_date: day },
      movedFrom: row.due_date,
    });
    const outcome = await runInOrder(() => executeStep(waiting));
    if ("problem" in outcome)
      return progressToast.end({
        text: `${message}. It will sync ${syncTimeText()}.`,
        undo: () => void withdrawStep(waiting.key),
      });
    changes.push(...outcome.changes);
    const undo = () => {
      const endUndo = showOptimistically([row], { due_date: row.due_date });
      void undoChanges(changes).finally(endUndo);
    };
    const [refused] = outcome.refused;
    if (refused) progressToast.end({ kind: "refused", text: `“${row.topic}”: ${refused.detail}` });
    else progressToast.end({ text: message, ...undoOffer(changes, undo) });
    await refreshMemories();
    await deletePendingStep(waiting.key);
  } catch (problem) {
    progressToast.end({
      kind: "refused",
      text: `“${row.topic}”: ${(problem as Error).message}`,
      ...undoOffer(changes),
    });
  } finally {
    endOptimistic();
  }
}
