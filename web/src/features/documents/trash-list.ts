import { useMemo } from "react";
import { type TrashItem, trashApi } from "../../api/trash.ts";
import { type Asking, listName, orCopy } from "../../state/copies.ts";
import { changesNow, useChanges } from "../../state/waiting-changes.ts";
import { trashWith } from "../things/waiting-list.ts";
import { titleOf } from "../trash/trash-actions.ts";
import { usePages } from "./data.ts";

/** Ids of documents and records may coincide; rows need unique ones. */
const rowOf = (item: TrashItem) => ({ id: `${item.type}:${item.id}`, title: titleOf(item), item });

type Page = Awaited<ReturnType<typeof trashApi.list>>;

/** Offline without a copy: show at least the documents that pending changes trash. */
const onlyWaiting = async (): Promise<Page | undefined> =>
  changesNow().some(({ change }) => change.kind === "trash") ? { items: [], total: 0 } : undefined;

const readPage = (page: { limit: number; offset: number }, asking: Asking) => {
  const query = { ...page, type: "all" as const };
  return orCopy(listName("/api/trash", query), () => trashApi.list(query), asking, onlyWaiting);
};

/** The trash with pending changes applied. */
export function useTrash() {
  const changes = useChanges();
  const list = usePages(["trash", "list"], async (page, asking) => {
    const { items, total } = await readPage(page, asking);
    return { items: items.map(rowOf), total };
  });
  const items = useMemo(() => {
    const { come, gone } = trashWith(changes);
    const there = new Set(list.items.map(({ id }) => id));
    const added = come
      .map((document) => rowOf({ ...document, type: "document" }))
      .filter(({ id }) => !there.has(id));
    const kept = list.items.filter(({ item }) => item.type === "memory" || !gone.has(item.id));
    return added.length === 0 && kept.length === list.items.length ? list.items : [...added, ...kept];
  }, [list.items, changes]);
  return { ...list, items, total: list.total + items.length - list.items.length };
}
