import { type Activity, activityApi, type UndoResult } from "../api.ts";
import { randomId } from "../parts/random-id.ts";
import { toast } from "../parts/toasts.tsx";
import { refreshDocuments, refreshMemories } from "../queries.ts";
import { isOpen } from "./group.ts";

const AT_ONCE = 100;
/** How many changes are undone at once; for more, the action is repeated. */
const MOST = 1000;

/** "one change", "4 changes" */
export const countOf = (count: number): string => (count === 1 ? "one change" : `${count} changes`);

/** Undoes changes, or tries it out. Throws ApiError. */
export async function send(ids: readonly number[], dry_run = false): Promise<UndoResult[]> {
  const results: UndoResult[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const more = dry_run ? { dry_run } : { idempotencyKey: randomId() };
    results.push(...(await activityApi.undo(some, more)).results);
  }
  return results;
}

export const isUndone = ({ outcome }: UndoResult): boolean => outcome === "undone";

/** Undoes changes and tells how many. Returns what became of each; undefined if nothing was carried out. */
export async function undo(ids: readonly number[]): Promise<UndoResult[] | undefined> {
  try {
    const results = await send(ids);
    const back = results.flatMap(({ outcome, undone_by }) =>
      outcome === "undone" && undone_by !== undefined ? [undone_by] : [],
    );
    if (back.length > 0) toast({ text: `Undone: ${countOf(back.length)}`, undo: () => void undo(back) });
    return results;
  } catch (problem) {
    toast({ kind: "refused", text: `Not undone: ${(problem as Error).message}` });
    return undefined;
  } finally {
    await Promise.all([refreshDocuments(), refreshMemories()]);
  }
}

type Query = NonNullable<Parameters<typeof activityApi.list>[0]>;

/** The ids of the changes that a query lists and whose undoing is offered, newest first. Throws ApiError. */
export async function openIds(query: Query, belongs: (change: Activity) => boolean): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await activityApi.list({ ...query, cursor, limit: AT_ONCE });
    ids.push(...page.items.filter((change) => isOpen(change) && belongs(change)).map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor && ids.length < MOST);
  return ids.slice(0, MOST);
}
