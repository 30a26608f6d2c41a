import { useMemo } from "react";
import { type PendingStep, type StepPreview, usePendingSteps } from "../../state/pending-steps.ts";
import { createSharedState } from "../../state/shared-state.ts";
import { hasTag } from "../../state/tags.ts";
import type { RecordItem } from "./row.ts";

// Changes that wait or were sent, and are not yet confirmed. They are shown on top of what the server last returned. A
// rejected change is dropped, and the record is shown as it was.

export type OptimisticChange = Omit<StepPreview, "days_stale"> & Pick<RecordItem, "days_stale">;
type PendingChanges = ReadonlyMap<number, { row: RecordItem; change: OptimisticChange }>;

const pending = createSharedState<PendingChanges>(new Map());

/** Shows a change of some records. Returns a function that removes it, unless a later change has replaced it. */
export function showOptimistically(
  rows: readonly RecordItem[],
  change: OptimisticChange,
): (ids?: readonly number[]) => void {
  pending.set(new Map([...pending.get(), ...rows.map((row) => [row.id, { row, change }] as const)]));
  return (ids = rows.map(({ id }) => id)) =>
    pending.set(
      new Map([...pending.get()].filter(([id, one]) => one.change !== change || !ids.includes(id))),
    );
}

/** The changes that wait to be sent, overridden by those that are being sent. */
function mergeChanges(steps: readonly PendingStep[], changes: PendingChanges): PendingChanges {
  const shown = steps.filter(({ refused, isWithdrawn }) => !refused && !isWithdrawn);
  const waiting = shown.flatMap(({ rows, shown: change }) =>
    (rows as readonly RecordItem[]).map((row) => [row.id, { row, change }] as const),
  );
  return new Map([...waiting, ...changes]);
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
      const change = changes.get(row.id)?.change;
      return change?.deleted ? [] : [change ? applyRecordChange(row, change) : row];
    });
}

/** The unchanged rows of pending changes: while lists are reloaded, a row may be in none of them. */
export const useRecordsBeingChanged = (): RecordItem[] =>
  [...usePendingChanges().values()].map(({ row }) => row);
