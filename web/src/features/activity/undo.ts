import { MAX_NAMED_CHANGES } from "../../../../src/contract/change-id.ts";
import { type Activity, activityApi, type UndoResult } from "../../api/activity.ts";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { isUndoable } from "./group.ts";
import { MAX_UNDONE, undoInBatches } from "./undo-batches.ts";

/** "one change", "4 changes" */
export const changeCountText = (count: number): string => (count === 1 ? "one change" : `${count} changes`);

/** Dry run of undoing the changes. Throws ApiError. */
export const previewUndo = (ids: readonly number[]): Promise<UndoResult[]> =>
  undoInBatches(ids, async (some, done) => {
    // With those that are undone together with them, they can be more than a request may name.
    const answer = await activityApi.tryUndo(some, done.slice(-MAX_NAMED_CHANGES));
    return answer.results;
  });

/** Undoes changes and shows how many, even if interrupted. Returns the results of the attempted ones. */
export async function undoByIds(ids: readonly number[]): Promise<UndoResult[]> {
  const results: UndoResult[] = [];
  const undoSome = async (some: number[]) => {
    // Those that follow are named too, so that no text is changed that a later request restores.
    const newest = Math.max(...some);
    const left = ids.filter((id) => id <= newest).sort((a, b) => b - a);
    const answer = await activityApi.undo(left.slice(0, MAX_NAMED_CHANGES), newest + 1);
    results.push(...answer.results);
    return answer.results;
  };
  const problem = await undoInBatches(ids, undoSome).then(
    () => undefined,
    (refused: Error) => refused,
  );
  const back = results.flatMap(({ outcome, undone_by }) =>
    outcome === "undone" && undone_by !== undefined ? [undone_by] : [],
  );
  if (back.length > 0)
    toast({ text: `Undone: ${changeCountText(back.length)}`, undo: () => void undoByIds(back) });
  if (problem) {
    const left = back.length > 0 ? "Couldn’t undo the others" : "Couldn’t undo";
    toast({ kind: "refused", text: `${left}: ${problem.message}` });
  }
  await Promise.all([refreshDocuments(), refreshMemories()]);
  return results;
}

type Query = NonNullable<Parameters<typeof activityApi.list>[0]>;

const PAGE = 100;

/** Ids of changes to undo, newest first. `isCut`: there are more than one action undoes. */
export type ChangesToUndo = { ids: number[]; isCut: boolean };

/** The changes of a query that can be undone. Throws ApiError. */
export async function collectUndoable(
  query: Query,
  matches: (change: Activity) => boolean = () => true,
): Promise<ChangesToUndo> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await activityApi.list({ ...query, cursor, limit: PAGE });
    ids.push(...page.items.filter((change) => isUndoable(change) && matches(change)).map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor && ids.length <= MAX_UNDONE);
  return { ids: ids.slice(0, MAX_UNDONE), isCut: ids.length > MAX_UNDONE };
}
