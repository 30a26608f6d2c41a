import { useSyncExternalStore } from "react";
import type { Row } from "../features/records/row.ts";

// Changes that were sent and not yet confirmed. They are shown on top of what the service last returned; when one is
// refused it is dropped, and the record is shown as it was.

export type Change = Partial<Pick<Row, "status" | "deferred_until" | "days_stale">> & { deleted?: true };
type Pending = ReadonlyMap<number, Change>;

let pending: Pending = new Map();
const listeners = new Set<() => void>();

function set(next: Pending): void {
  pending = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Shows a change of some records. Returns how to take it away, where no later one has taken its place. */
export function expect(ids: readonly number[], change: Change): (settled?: readonly number[]) => void {
  set(new Map([...pending, ...ids.map((id) => [id, change] as const)]));
  return (settled = ids) =>
    set(new Map([...pending].filter(([id, one]) => one !== change || !settled.includes(id))));
}

/** Records as they will be. */
export function useExpected(): <Known extends Row>(rows: readonly Known[]) => Known[] {
  const changes = useSyncExternalStore(subscribe, () => pending);
  return (rows) =>
    rows.flatMap((row) => {
      const change = changes.get(row.id);
      return change?.deleted ? [] : [change ? { ...row, ...change } : row];
    });
}
