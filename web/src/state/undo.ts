import { activityApi, type UndoResult } from "../api/activity.ts";
import { refreshDocuments, refreshMemories } from "./queries.ts";
import { type Toast, toast } from "./toasts.ts";

// Taking back what a step changed: exactly that, by the names that the answers to its requests gave to it.

/** The names of the changes of a step, in their order. */
export type Changes = string[];

/** How many names one request has at most. */
const AT_ONCE = 100;

/** Undoes the changes, the last ones first. Throws ApiError. */
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

/** What stays as it is, and why; undefined if all was taken back. */
function refusalOf(results: readonly UndoResult[]): string | undefined {
  const kept = results.filter(({ outcome }) => outcome !== "undone" && outcome !== "already_undone");
  const [first] = kept;
  if (!first) return undefined;
  const name = first.title ? `“${first.title}”` : "what was changed";
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : "";
  const why = first.outcome === "changed_since" ? "changed again since, see Activity" : first.detail;
  return `Not undone: ${name}${others} (${why})`;
}

/** Takes back what a step changed, and says what stays because it was changed since. */
export async function takeBack(changes: Changes): Promise<void> {
  const refusal = await undoAll(changes).then(
    refusalOf,
    (problem: Error) => `Not undone: ${problem.message}`,
  );
  if (refusal !== undefined) toast({ kind: "refused", text: refusal });
  await Promise.all([refreshDocuments(), refreshMemories()]);
}

/** What a message offers after these changes; nothing if there are none. */
export const undoOf = (
  changes: Changes,
  undo: () => void = () => void takeBack(changes),
): Pick<Toast, "undo"> => (changes.length > 0 ? { undo } : {});
