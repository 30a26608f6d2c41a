import { type InfiniteData, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type DocumentListItem, documentsApi } from "../../api/documents.ts";
import type { DocumentQuery } from "../../state/cached-lists.ts";
import { fetchOrCopy, listCopyName, type QueryContext } from "../../state/copies.ts";
import { getPendingChanges, usePendingChanges, withPendingChanges } from "../../state/pending-changes.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS_QUERY } from "../folders/folders.ts";
import { listWithPendingChanges } from "../things/pending-lists.ts";
import { PINNED_LIST } from "../things/pinned.ts";
import { documentsPageQuery, PAGE_SIZE } from "./list-query.ts";
import { type DocumentsView, documentsQuery } from "./view.ts";

/** Long enough to find the list unchanged after an hour of writing. */
const CACHE_MS = 3_600_000;
/** Longer lists are not refetched; changes made here are applied to them directly. */
const MAX_REFETCHED_PAGES = 5;

type Page<Item> = { items: Item[]; total: number; notes?: string[] | undefined };

type PageReader<Item> = (
  page: { limit: number; offset: number },
  asking: QueryContext & { signal: AbortSignal },
) => Promise<Page<Item>>;

const pagesQuery = <Item>(key: unknown[], read: PageReader<Item>) => ({
  queryKey: key,
  queryFn: (asking: QueryContext & { signal: AbortSignal; pageParam: number }) =>
    read({ limit: PAGE_SIZE, offset: asking.pageParam }, asking),
  initialPageParam: 0,
  gcTime: CACHE_MS,
});

/** An infinite list, loaded as it is scrolled. */
export function usePages<Item extends { id: string }>(key: unknown[], read: PageReader<Item>) {
  const query = useInfiniteQuery({
    ...pagesQuery(key, read),
    placeholderData: keepPreviousData,
    getNextPageParam: ({ total }, pages, offset) => {
      const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
      return loaded > offset && loaded < total ? loaded : undefined;
    },
    staleTime: ({ state }) =>
      ((state.data as InfiniteData<unknown> | undefined)?.pages.length ?? 0) > MAX_REFETCHED_PAGES
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
export function useDocuments(place: DocumentsView) {
  const changes = usePendingChanges();
  const query = documentsQuery(place);
  const list = usePages(listKey(query), listReader(query));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is a new object on each render
  const items = useMemo(
    () => listWithPendingChanges(list.items, query, changes),
    [list.items, changes, JSON.stringify(query)],
  );
  return { ...list, items, total: list.total + items.length - list.items.length };
}

const listKey = (of: DocumentQuery) => ["documents", "list", of];
const listReader =
  (of: DocumentQuery): PageReader<DocumentListItem> =>
  (page, asking) => {
    const query = { ...of, ...page };
    const name = listCopyName("/api/documents", query);
    return fetchOrCopy(
      name,
      () => documentsApi.list(query, asking.signal),
      asking,
      async () => (await import("../../state/cached-lists.ts")).listCachedDocuments(query),
    );
  };

/** Prefetches the first data of a place. Resolves even if that fails. */
export async function prefetchDocuments(place: DocumentsView): Promise<void> {
  const of = documentsQuery(place);
  await Promise.all([
    queries.prefetchQuery(ALL_FOLDERS_QUERY),
    ...(place.view === "trash"
      ? []
      : [
          queries.prefetchInfiniteQuery(pagesQuery(listKey(of), listReader(of))),
          queries.prefetchQuery(PINNED_LIST),
        ]),
  ]);
}

/** The documents with these ids that are in the query cache, with pending changes applied. */
export function cachedListItems(ids: readonly string[]): DocumentListItem[] {
  const lists = queries.getQueriesData<InfiniteData<Page<DocumentListItem>>>({
    queryKey: ["documents", "list"],
  });
  const items = lists.flatMap(([, data]) => data?.pages.flatMap((page) => page.items) ?? []);
  const changes = getPendingChanges();
  const waiting = changes.flatMap(({ documents }) => documents);
  const known = new Map<string, DocumentListItem>([...waiting, ...items].map((item) => [item.id, item]));
  return ids.flatMap((id) => {
    const item = known.get(id);
    return item ? [withPendingChanges(item, changes).item] : [];
  });
}

const CONCURRENCY = 4;

/** Reads all documents of a place, including those not scrolled to. `onRead` gets the number read so far. */
export async function readAllDocuments(
  place: DocumentsView,
  total: number,
  onRead: (count: number) => void,
): Promise<DocumentListItem[]> {
  const all = new Map<string, DocumentListItem>();
  const offsets = Array.from({ length: Math.ceil(total / PAGE_SIZE) }, (_, page) => page * PAGE_SIZE);
  for (let next = 0; next < offsets.length; next += CONCURRENCY) {
    const some = offsets.slice(next, next + CONCURRENCY);
    const read = (offset: number) => documentsApi.list(documentsPageQuery(place, offset));
    for (const { items } of await Promise.all(some.map(read)))
      for (const item of items) all.set(item.id, item);
    onRead(all.size);
  }
  return [...all.values()];
}
