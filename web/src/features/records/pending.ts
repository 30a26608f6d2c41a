import { useMemo } from "react";
import { storeOf } from "../../state/store.ts";
import { useSteps, type WaitingStep } from "../../state/waiting-steps.ts";
import type { Row } from "./row.ts";

// Changes that wait or were sent, and are not yet confirmed. They are shown on top of what the service last returned; when one is
// refused it is dropped, and the record is shown as it was.

export type Change = Partial<Pick<Row, "status" | "deferred_until" | "days_stale" | "due_date">> & {
  deleted?: true;
};
type Pending = ReadonlyMap<number, { row: Row; change: Change }>;

const pending = storeOf<Pending>(new Map());

/** Shows a change of some records. Returns how to take it away, where no later one has taken its place. */
export function expect(rows: readonly Row[], change: Change): (settled?: readonly number[]) => void {
  pending.set(new Map([...pending.get(), ...rows.map((row) => [row.id, { row, change }] as const)]));
  return (settled = rows.map(({ id }) => id)) =>
    pending.set(
      new Map([...pending.get()].filter(([id, one]) => one.change !== change || !settled.includes(id))),
    );
}

/** What waits for the service, and on top of it what is under way. */
function together(steps: readonly WaitingStep[], changes: Pending): Pending {
  const shown = steps.filter(({ refused, isWithdrawn }) => !refused && !isWithdrawn);
  const waiting = shown.flatMap(({ rows, shown: change }) =>
    (rows as readonly Row[]).map((row) => [row.id, { row, change }] as const),
  );
  return new Map([...waiting, ...changes]);
}

function useAll(): Pending {
  const steps = useSteps();
  const changes = pending.use();
  return useMemo(() => together(steps, changes), [steps, changes]);
}

/** Records as they will be. */
export function useExpected(): <Known extends Row>(rows: readonly Known[]) => Known[] {
  const changes = useAll();
  return (rows) =>
    rows.flatMap((row) => {
      const change = changes.get(row.id)?.change;
      return change?.deleted ? [] : [change ? { ...row, ...change } : row];
    });
}

/** Those that are about to change, as they were: while lists are read again, one may be in none of them. */
export const useChanging = (): Row[] => [...useAll().values()].map(({ row }) => row);
