/** Items in groups whose sizes (0 or more) add up to no more than `most`; a larger item is alone. */
export function inGroups<Item>(
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
