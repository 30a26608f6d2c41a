import { refreshDocuments } from "./queries.ts";
import { begin } from "./toasts.ts";
import { type Changes, undoOf } from "./undo.ts";

/**
 * Runs an action and shows its result, or its error, in a toast that offers Undo. Returns whether it succeeded.
 */
export async function attempt(action: (changes: Changes) => Promise<string | undefined>): Promise<boolean> {
  const step = begin();
  const changes: Changes = [];
  try {
    const text = await action(changes);
    step.end(text === undefined ? undefined : { text, ...undoOf(changes) });
    return true;
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message, ...undoOf(changes) });
    return false;
  } finally {
    refreshDocuments();
  }
}
