import { useMemo } from "react";
import { type TrashItem, trashApi } from "../../api/trash.ts";
import { fetchOrCopy, listCopyName } from "../../state/copies.ts";
import { getPendingChanges, usePendingChanges } from "../../state/pending-changes.ts";
import { pendingTrashChanges } from "../things/pending-lists.ts";
import { trashedTitle } from "../trash/trash-actions.ts";
import { usePages } from "./data.ts";

/** Ids of documents and records may coincide; rows need unique ones. */
const trashRow = (item: TrashItem) => ({ id: `${item.type}:${item.id}`, title: trashedTitle(item), item });

type Page = Awaited<ReturnType<typeof trashApi.list>>;

/** Offline without a copy: show at least the documents that pending changes trash. */
const pendingTrash = async (): Promise<Page | undefined> =>
  getPendingChanges().some(({ change }) => change.kind === "trash") ? { items: [], total: 0 } : undefined;

/** The trash with pending changes applied. */
export function useTrash() {
  const changes = usePendingChanges();
  const list = usePages(["trash", "list"], async (page, asking) => {
    const query = { ...page, type: "all" as const };
    const name = listCopyName("/api/trash", query);
    const { items, total } = await fetchOrCopy(name, () => trashApi.list(query), asking, pendingTrash);
    return { items: items.map(trashRow), total };
  });
  const items = useMemo(() => {
    const { come, gone } = pendingTrashChanges(changes);
    const there = new Set(list.items.map(({ id }) => id));
    const added = come
      .map((document) => trashRow({ ...document, type: "document" }))
      .filter(({ id }) => !there.has(id));
    const kept = list.items.filter(({ item }) => item.type === "memory" || !gone.has(item.id));
    return added.length === 0 && kept.length === list.items.length ? list.items : [...added, ...kept];
  }, [list.items, changes]);
  return { ...list, items, total: list.total + items.length - list.items.length };
}
