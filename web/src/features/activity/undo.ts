import { type Activity, activityApi, type UndoResult } from "../../api/activity.ts";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { isOpen } from "./group.ts";
import { inTurn, MOST } from "./in-turn.ts";

/** "one change", "4 changes" */
export const countOf = (count: number): string => (count === 1 ? "one change" : `${count} changes`);

/** Dry run of undoing the changes. Throws ApiError. */
export const tryOut = (ids: readonly number[]): Promise<UndoResult[]> =>
  inTurn(ids, async (some, done) => (await activityApi.tryUndo(some, done)).results);

/** Undoes changes and shows how many, even if interrupted. Returns the results of the attempted ones. */
export async function undo(ids: readonly number[]): Promise<UndoResult[]> {
  const results: UndoResult[] = [];
  const undoSome = async (some: number[]) => {
    const answer = await activityApi.undo(some);
    results.push(...answer.results);
    return answer.results;
  };
  const problem = await inTurn(ids, undoSome).then(
    () => undefined,
    (refused: Error) => refused,
  );
  const back = results.flatMap(({ outcome, undone_by }) =>
    outcome === "undone" && undone_by !== undefined ? [undone_by] : [],
  );
  if (back.length > 0) toast({ text: `Undone: ${countOf(back.length)}`, undo: () => void undo(back) });
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
export type Collected = { ids: number[]; isCut: boolean };

/** The changes of a query that can be undone. Throws ApiError. */
export async function collectOpen(
  query: Query,
  belongs: (change: Activity) => boolean = () => true,
): Promise<Collected> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await activityApi.list({ ...query, cursor, limit: PAGE });
    ids.push(...page.items.filter((change) => isOpen(change) && belongs(change)).map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor && ids.length <= MOST);
  return { ids: ids.slice(0, MOST), isCut: ids.length > MOST };
}
