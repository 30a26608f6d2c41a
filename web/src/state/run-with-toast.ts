import { refreshDocuments } from "./queries.ts";
import { beginToast } from "./toasts.ts";
import { type ChangeIds, undoOffer } from "./undo.ts";

type Action = (changes: ChangeIds) => Promise<string | undefined>;

/** Runs an action and shows its result, or its error, in a toast that offers Undo. Returns whether it succeeded. */
export async function runWithToast(action: Action): Promise<boolean> {
  const step = beginToast();
  const changes: ChangeIds = [];
  try {
    const text = await action(changes);
    step.end(text === undefined ? undefined : { text, ...undoOffer(changes) });
    return true;
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message, ...undoOffer(changes) });
    return false;
  } finally {
    refreshDocuments();
  }
}
