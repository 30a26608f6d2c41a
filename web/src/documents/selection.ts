import { useState } from "react";

/** Which rows are selected; a row that has left the list is not. */
export function useSelection<Item extends { id: string }>(items: readonly Item[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter(({ id }) => ids.has(id));
  return {
    chosen,
    selected: new Set(chosen.map(({ id }) => id)),
    select: (next: Set<string>) => setIds(next),
    clear: () => setIds(new Set()),
  };
}
