import { activityApi, type UndoResult } from "../api/activity.ts";
import { refreshDocuments, refreshMemories } from "./queries.ts";
import { type Toast, toast } from "./toasts.ts";

// Undoes exactly what an action changed, by the change ids in the responses to its requests.

/** Change ids of an action, in order. */
export type Changes = string[];

/** Maximum of change ids per request. */
const AT_ONCE = 100;

/** Undoes the changes, latest first. Throws ApiError. */
async function undoAll(changes: Changes): Promise<UndoResult[]> {
  const parts = changes.flatMap((change) => change.split(","));
  const results: UndoResult[] = [];
  while (parts.length > 0) {
    const change = parts.splice(-AT_ONCE).join(",");
    let before: number | undefined;
    do {
      const answer = await activityApi.undoChange(change, before);
      results.push(...answer.results);
      before = answer.next_before;
    } while (before !== undefined);
  }
  return results;
}

/** What could not be undone, and why; undefined if everything was undone. */
function refusalOf(results: readonly UndoResult[]): string | undefined {
  const kept = results.filter(({ outcome }) => outcome !== "undone" && outcome !== "already_undone");
  const [first] = kept;
  if (!first) return undefined;
  const name = first.title ? `“${first.title}”` : "a change";
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : "";
  const why = first.outcome === "changed_since" ? "changed since then, see Activity" : first.detail;
  return `Couldn’t undo ${name}${others}: ${why}`;
}

/** Undoes what an action changed, and shows what could not be undone. */
export async function takeBack(changes: Changes): Promise<void> {
  const refusal = await undoAll(changes).then(
    refusalOf,
    (problem: Error) => `Couldn’t undo: ${problem.message}`,
  );
  if (refusal !== undefined) toast({ kind: "refused", text: refusal });
  await Promise.all([refreshDocuments(), refreshMemories()]);
}

/** The `undo` of a toast about these changes; nothing if there are none. */
export const undoOf = (
  changes: Changes,
  undo: () => void = () => void takeBack(changes),
): Pick<Toast, "undo"> => (changes.length > 0 ? { undo } : {});
