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
        pages: list.pages.map(({ total }, at) => ({ items: pages[at] ?? [], total: total - left })),
      };
    });
  }
}
