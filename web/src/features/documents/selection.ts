import { useState } from "react";

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** Which rows are selected; a loaded row that has left the list is not. `beyond` are those that are not loaded. */
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
    // The list's own set, which also knows from where it is extended, unless one of its rows has left.
    selected: chosen.length === ids.size ? ids : new Set(idsOf(chosen)),
    /** "all": what is loaded, and what was selected beyond it. */
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
