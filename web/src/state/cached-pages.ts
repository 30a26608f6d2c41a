import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { queries } from "./queries.ts";

type Page<Item> = { items: Item[]; total: number };

/**
 * Updates the cached pages of infinite lists without refetching them.
 *
 * @param key prefix of the query keys of these lists; the list's query comes next in the key
 * @param mapItem the items that replace an item in the list with this query; none removes it
 */
export function updateCachedPages<Item, Query>(
  key: QueryKey,
  mapItem: (item: Item, query: Query) => Item[],
): void {
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: key })) {
    const query = queryKey[key.length] as Query;
    queries.setQueryData<InfiniteData<Page<Item>>>(queryKey, (list) => {
      if (!list) return list;
      const pages = list.pages.map(({ items }) => items.flatMap((item) => mapItem(item, query)));
      const left = list.pages.flatMap(({ items }) => items).length - pages.flat().length;
      return {
        ...list,
        pages: list.pages.map((page, at) => ({ ...page, items: pages[at] ?? [], total: page.total - left })),
      };
    });
  }
}

/**
 * Adds an item to the cached pages of an infinite list, in its place. One that belongs behind the loaded pages is only
 * counted.
 *
 * @param isBefore whether an item comes before another one
 */
export function insertIntoCachedPages<Item extends { id: unknown }>(
  queryKey: QueryKey,
  added: Item,
  isBefore: (one: Item, other: Item) => boolean,
): void {
  queries.setQueryData<InfiniteData<Page<Item>>>(queryKey, (list) => {
    const loaded = list?.pages.flatMap(({ items }) => items) ?? [];
    if (!list || loaded.some(({ id }) => id === added.id)) return list;
    const isWhole = loaded.length >= (list.pages.at(-1)?.total ?? 0);
    const following = loaded.find((item) => isBefore(added, item));
    const pages = list.pages.map(({ items, total }, at) => {
      const isLast = at === list.pages.length - 1;
      const place = following ? items.indexOf(following) : isWhole && isLast ? items.length : -1;
      return { items: place < 0 ? items : items.toSpliced(place, 0, added), total: total + 1 };
    });
    return { ...list, pages };
  });
}
