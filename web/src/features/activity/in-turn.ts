import type { UndoResult } from "../../../../src/contract/activity.ts";

// Undoing more changes than the service undoes in one request.

/** How many changes one request undoes. */
const AT_ONCE = 100;
/** How many changes are undone by one action; for more, it is repeated. */
export const MOST = 1000;

export const isUndone = ({ outcome }: UndoResult): boolean => outcome === "undone";

/**
 * Undoes changes in several requests, the newest change first: one can be undone only after those that followed it.
 *
 * @param undo undoes some; `done` are those that the requests before have undone
 */
export async function inTurn(
  ids: readonly number[],
  undo: (some: number[], done: number[]) => Promise<UndoResult[]>,
): Promise<UndoResult[]> {
  const newestFirst = [...ids].sort((a, b) => b - a);
  const results: UndoResult[] = [];
  for (let start = 0; start < newestFirst.length; start += AT_ONCE) {
    const done = results.filter(isUndone).map(({ id }) => id);
    results.push(...(await undo(newestFirst.slice(start, start + AT_ONCE), done)));
  }
  return results;
}
