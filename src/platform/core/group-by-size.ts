/** Splits items into groups whose sizes (0 or more) add up to at most `most`; a larger item gets a group of its own. */
export function groupBySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  most: number,
): Item[][] {
  const groups: Item[][] = [];
  let room = -1;
  for (const item of items) {
    room -= sizeOf(item);
    if (room >= 0) groups.at(-1)?.push(item);
    else {
      groups.push([item]);
      room = most - sizeOf(item);
    }
  }
  return groups;
}
