import type { UndoResult } from "../../../../src/contract/activity.ts";

// Undoes more changes than fit in one request.

const MAX_PER_REQUEST = 100;
/** Maximum of changes undone by one action. */
export const MAX_UNDONE = 1000;

export const isUndone = ({ outcome }: UndoResult): boolean => outcome === "undone";

/**
 * Undoes changes in several requests, newest first, because a change can be undone only after those that followed it.
 *
 * @param undo sends one request; `done`: the changes undone by previous requests
 */
export async function undoInBatches(
  ids: readonly number[],
  undo: (some: number[], done: number[]) => Promise<UndoResult[]>,
): Promise<UndoResult[]> {
  const newestFirst = [...ids].sort((a, b) => b - a);
  const results: UndoResult[] = [];
  for (let start = 0; start < newestFirst.length; start += MAX_PER_REQUEST) {
    const done = results.filter(isUndone).map(({ id }) => id);
    // An earlier request may have undone one together with its counterpart.
    const some = newestFirst
      .slice(start, start + MAX_PER_REQUEST)
      .filter((one) => !results.some(({ id }) => id === one));
    if (some.length > 0) results.push(...(await undo(some, done)));
  }
  return results;
}
