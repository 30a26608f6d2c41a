import { changeNumbersIn } from "../../../src/contract/change-id.ts";
import { activityApi, type UndoResult } from "../api/activity.ts";
import { trackBulkProgress } from "./bulk-progress.ts";
import { refreshDocuments, refreshMemories } from "./queries.ts";
import { toast } from "./toasts.ts";

// Undoes exactly what an action changed. Not needed before there is something to undo.

const MAX_PER_REQUEST = 100;

/** Undoes the changes, latest first. Throws ApiError. */
async function undoAll(
  changes: readonly string[],
  progress: ReturnType<typeof trackBulkProgress>,
): Promise<UndoResult[]> {
  const parts = changes.flatMap((change) => change.split(","));
  const total = changeNumbersIn(parts, Number.POSITIVE_INFINITY)?.length ?? 0;
  const results: UndoResult[] = [];
  while (parts.length > 0) {
    const change = parts.splice(-MAX_PER_REQUEST).join(",");
    let before: number | undefined;
    do {
      if (total > MAX_PER_REQUEST) progress.show({ text: "Undoing", done: results.length, total });
      const answer = await activityApi.undoChange(change, before);
      results.push(...answer.results);
      before = answer.next_before;
    } while (before !== undefined);
  }
  return results;
}

/** What could not be undone, and why; undefined if everything was undone. */
function describeFailures(results: readonly UndoResult[]): string | undefined {
  const kept = results.filter(({ outcome }) => outcome !== "undone" && outcome !== "already_undone");
  const [first] = kept;
  if (!first) return undefined;
  const name = first.title ? `“${first.title}”` : "a change";
  const others = kept.length > 1 ? ` and ${kept.length - 1} more` : "";
  const why = first.outcome === "changed_since" ? "changed since then, see Activity" : first.detail;
  return `Couldn’t undo ${name}${others}: ${why}`;
}

/** See `undoChanges` in undo.ts, which loads this. */
export async function undoChanges(changes: readonly string[]): Promise<true> {
  const progress = trackBulkProgress();
  const refusal = await undoAll(changes, progress)
    .then(describeFailures, (problem: Error) => `Couldn’t undo: ${problem.message}`)
    .finally(progress.hide);
  if (refusal !== undefined) toast({ kind: "refused", text: refusal });
  await Promise.all([refreshDocuments(), refreshMemories()]);
  return true;
}
