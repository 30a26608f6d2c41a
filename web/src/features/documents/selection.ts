import { useState } from "react";

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** The selected rows, without loaded ones that have left the list. `beyond`: selected rows that are not loaded. */
export function useSelection<Item extends { id: string }>(items: readonly Item[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [beyond, setBeyond] = useState<readonly Item[]>([]);
  const loaded = new Set(idsOf(items));
  const chosen = [
    ...items.filter(({ id }) => ids.has(id)),
    ...beyond.filter(({ id }) => ids.has(id) && !loaded.has(id)),
  ];
  return {
    chosen,
    // The list's own set, which also holds the anchor of range selection, unless a row has left.
    selected: chosen.length === ids.size ? ids : new Set(idsOf(chosen)),
    /** "all" means the loaded rows and those selected beyond them. */
    select: (next: ReadonlySet<string> | "all") =>
      setIds(next === "all" ? new Set([...loaded, ...ids]) : next),
    toggle: (id: string | undefined) => {
      if (id !== undefined)
        setIds(ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : new Set([...ids, id]));
    },
    selectEverything: (everything: readonly Item[]) => {
      setBeyond(everything);
      setIds(new Set(idsOf(everything)));
    },
    clear: () => {
      setBeyond([]);
      setIds(new Set());
    },
  };
}
