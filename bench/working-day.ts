import { random as generator } from "../test/kit/random.ts";
import type { Operation, OperationName } from "./operations.ts";
import type { Person } from "./people.ts";

// What people and assistants do on a working day, in proportion: as many documents go to the trash as are created, so that
// accounts keep their size, and the trash, the versions and the ledger grow.

export const GROUPS = ["read", "search", "write", "tool"] as const;
export type Group = (typeof GROUPS)[number];

/** How many of a hundred requests. */
const DAY: Record<Group, Partial<Record<OperationName, number>>> = {
  read: { read: 34, list: 18, listRecords: 8, commitments: 6, tags: 4 },
  search: { search: 10 },
  write: { create: 3, update: 3, append: 2, trash: 3, createRecord: 2, resolve: 1, trashRecord: 1 },
  tool: { tool: 2, toolInSession: 1, searchTool: 1, remember: 1 },
};

const TICKETS = GROUPS.flatMap((group) =>
  Object.entries(DAY[group]).flatMap(([name, count]) =>
    Array.from({ length: count }, () => ({ group, name: name as OperationName })),
  ),
);

/** One request after the other, each by somebody else; the same in every run. */
export function workingDay(people: Person[], operations: Record<OperationName, Operation>) {
  const random = generator(1);
  const oneOf = <Item>(items: Item[]) => items[Math.floor(random() * items.length)] as Item;
  return (): { group: Group; send: () => Promise<void> } => {
    const { group, name } = oneOf(TICKETS);
    const person = oneOf(people);
    return { group, send: () => operations[name](person) };
  };
}
