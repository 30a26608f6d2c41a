import { type InfiniteData, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type DocumentListItem, documentsApi } from "../../api/documents.ts";
import type { DocumentQuery } from "../../state/copied-lists.ts";
import { type Asking, listName, orCopy } from "../../state/copies.ts";
import { queries } from "../../state/queries.ts";
import { changesNow, useChanges, withChanges } from "../../state/waiting-changes.ts";
import { ALL_FOLDERS } from "../folders/folders.ts";
import { PINNED_LIST } from "../things/pinned.ts";
import { listWith } from "../things/waiting-list.ts";
import { PAGE, pageOf } from "./asked.ts";
import { type Place, queryOf } from "./place.ts";

/** Long enough to find the list unchanged after an hour of writing. */
const KEPT_MS = 3_600_000;
/** Longer lists are not refetched; changes made here are applied to them directly. */
const MOST_READ_AGAIN = 5;

type Page<Item> = { items: Item[]; total: number; notes?: string[] | undefined };

type Read<Item> = (
  page: { limit: number; offset: number },
  asking: Asking & { signal: AbortSignal },
) => Promise<Page<Item>>;

const pagesOf = <Item>(key: unknown[], read: Read<Item>) => ({
  queryKey: key,
  queryFn: (asking: Asking & { signal: AbortSignal; pageParam: number }) =>
    read({ limit: PAGE, offset: asking.pageParam }, asking),
  initialPageParam: 0,
  gcTime: KEPT_MS,
});

/** An infinite list, loaded as it is scrolled. */
export function usePages<Item extends { id: string }>(key: unknown[], read: Read<Item>) {
  const query = useInfiniteQuery({
    ...pagesOf(key, read),
    placeholderData: keepPreviousData,
    getNextPageParam: ({ total }, pages, offset) => {
      const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
      return loaded > offset && loaded < total ? loaded : undefined;
    },
    staleTime: ({ state }) =>
      ((state.data as InfiniteData<unknown> | undefined)?.pages.length ?? 0) > MOST_READ_AGAIN
        ? "static"
        : 10_000,
  });
  const items = useMemo(() => {
    // A document that moved between two pages while they were read is in both of them.
    const all = query.data?.pages.flatMap((page) => page.items) ?? [];
    return [...new Map(all.map((item) => [item.id, item])).values()];
  }, [query.data]);
  const last = query.data?.pages.at(-1);
  return { ...query, items, total: last?.total ?? 0, notes: last?.notes ?? [] };
}

/** The documents of a place, with pending changes applied. */
export function useDocuments(place: Place) {
  const changes = useChanges();
  const query = queryOf(place);
  const list = useListed(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is a new object on each render
  const items = useMemo(
    () => listWith(list.items, query, changes),
    [list.items, changes, JSON.stringify(query)],
  );
  return { ...list, items, total: list.total + items.length - list.items.length };
}

const keyOf = (of: DocumentQuery) => ["documents", "list", of];
const readerOf =
  (of: DocumentQuery): Read<DocumentListItem> =>
  (page, asking) => {
    const query = { ...of, ...page };
    const name = listName("/api/documents", query);
    return orCopy(
      name,
      () => documentsApi.list(query, asking.signal),
      asking,
      async () => (await import("../../state/copied-lists.ts")).documentsLike(query),
    );
  };

const useListed = (of: DocumentQuery) => usePages(keyOf(of), readerOf(of));

/** Prefetches the first data of a place. Resolves even if that fails. */
export async function askFor(place: Place): Promise<void> {
  const of = queryOf(place);
  await Promise.all([
    queries.prefetchQuery(ALL_FOLDERS),
    ...(place.view === "trash"
      ? []
      : [
          queries.prefetchInfiniteQuery(pagesOf(keyOf(of), readerOf(of))),
          queries.prefetchQuery(PINNED_LIST),
        ]),
  ]);
}

/** The documents with these ids that are in the query cache, with pending changes applied. */
export function listedDocuments(ids: readonly string[]): DocumentListItem[] {
  const lists = queries.getQueriesData<InfiniteData<Page<DocumentListItem>>>({
    queryKey: ["documents", "list"],
  });
  const items = lists.flatMap(([, data]) => data?.pages.flatMap((page) => page.items) ?? []);
  const changes = changesNow();
  const waiting = changes.flatMap(({ documents }) => documents);
  const known = new Map<string, DocumentListItem>([...waiting, ...items].map((item) => [item.id, item]));
  return ids.flatMap((id) => {
    const item = known.get(id);
    return item ? [withChanges(item, changes).item] : [];
  });
}

/** Pages requested concurrently. */
const SIDE_BY_SIDE = 4;

/**
 * Reads all documents of a place, including those not scrolled to.
 *
 * @param onRead called with the number of documents read so far
 */
export async function readEverything(
  place: Place,
  total: number,
  onRead: (count: number) => void,
): Promise<DocumentListItem[]> {
  const all = new Map<string, DocumentListItem>();
  const offsets = Array.from({ length: Math.ceil(total / PAGE) }, (_, page) => page * PAGE);
  for (let next = 0; next < offsets.length; next += SIDE_BY_SIDE) {
    const some = offsets.slice(next, next + SIDE_BY_SIDE);
    const read = (offset: number) => documentsApi.list(pageOf(place, offset));
    for (const { items } of await Promise.all(some.map(read)))
      for (const item of items) all.set(item.id, item);
    onRead(all.size);
  }
  return [...all.values()];
}
