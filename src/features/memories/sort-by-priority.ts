import type { Memory } from "../../contract/memory.ts";

const RANKS = { high: 0, normal: 1, low: 2 };

const priorityRank = ({ priority }: Pick<Memory, "priority">) => RANKS[priority ?? "normal"];

/** Sorts items by priority, highest first; otherwise keeps their order. */
export const sortByPriority = <Item extends Pick<Memory, "priority">>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => priorityRank(one) - priorityRank(other));
