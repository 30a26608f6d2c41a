import { useMemo } from "react";
import { type PendingStep, type StepPreview, usePendingSteps } from "../../state/pending-steps.ts";
import { createSharedState } from "../../state/shared-state.ts";
import { hasTag } from "../../state/tags.ts";
import type { RecordItem } from "./row.ts";

// Changes that wait or were sent, and are not yet confirmed. They are shown on top of what the server last returned. A
// rejected change is dropped, and the record is shown as it was.

export type OptimisticChange = Omit<StepPreview, "days_stale"> & Pick<RecordItem, "days_stale">;
type PendingChange = { row: RecordItem; change: OptimisticChange };
/** The changes of each record, in the order in which they were made. */
type PendingChanges = ReadonlyMap<number, readonly PendingChange[]>;

const pending = createSharedState<readonly PendingChange[]>([]);

/** Shows a change of some records. Returns a function that removes it. */
export function showOptimistically(
  rows: readonly RecordItem[],
  change: OptimisticChange,
): (ids?: readonly number[]) => void {
  pending.set([...pending.get(), ...rows.map((row) => ({ row, change }))]);
  return (ids = rows.map(({ id }) => id)) => {
    const ended = new Set(ids);
    pending.set(pending.get().filter((one) => one.change !== change || !ended.has(one.row.id)));
  };
}

/** The changes that wait to be sent, followed by those that are being sent. */
function mergeChanges(steps: readonly PendingStep[], changes: readonly PendingChange[]): PendingChanges {
  const shown = steps.filter(({ refused, isWithdrawn }) => !refused && !isWithdrawn);
  const waiting = shown.flatMap(({ rows, shown: change }) =>
    (rows as readonly RecordItem[]).map((row) => ({ row, change })),
  );
  return Map.groupBy([...waiting, ...changes], ({ row }) => row.id);
}

/** A record with the fields of a change. */
export const applyRecordChange = <Known extends RecordItem>(
  row: Known,
  { added_tag: tag, deleted: _, ...fields }: OptimisticChange,
): Known => ({
  ...row,
  ...fields,
  ...(tag !== undefined && !hasTag(row.tags ?? [], tag) && { tags: [...(row.tags ?? []), tag] }),
});

function usePendingChanges(): PendingChanges {
  const steps = usePendingSteps();
  const changes = pending.use();
  return useMemo(() => mergeChanges(steps, changes), [steps, changes]);
}

/** Applies the pending changes to records, without those that are being deleted. */
export function useWithOptimisticChanges(): <Known extends RecordItem>(rows: readonly Known[]) => Known[] {
  const changes = usePendingChanges();
  return (rows) =>
    rows.flatMap((row) => {
      const own = changes.get(row.id) ?? [];
      const changed = own.reduce((before, { change }) => applyRecordChange(before, change), row);
      return own.at(-1)?.change.deleted ? [] : [changed];
    });
}

/** The unchanged rows of pending changes: while lists are reloaded, a row may be in none of them. */
export const useRecordsBeingChanged = (): RecordItem[] =>
  [...usePendingChanges().values()].flatMap(([first]) => (first ? [first.row] : []));
