import { sortValue } from "../../api/document-times.ts";
import type { DocumentListItem } from "../../api/documents.ts";
import type { DocumentQuery } from "../../state/cached-lists.ts";
import { compareValues } from "../../state/compare.ts";
import {
  type ChangeableDocument,
  isShownAsDone,
  type PendingChange,
  withPendingChanges,
} from "../../state/pending-changes.ts";
import { matchesFilter } from "./list-filter.ts";

/** The pending changes of a document in order, and its state before the first one. */
type PendingDocument = { first: ChangeableDocument; changes: PendingChange[] };

function pendingByDocument(waiting: readonly PendingChange[]) {
  const all = new Map<string, PendingDocument>();
  for (const one of waiting.filter(isShownAsDone)) {
    for (const document of one.documents) {
      const known = all.get(document.id);
      if (known) known.changes.push(one);
      else all.set(document.id, { first: document, changes: [one] });
    }
  }
  return all;
}

/** A list with pending changes applied, which documents may leave or enter. The same array if no change is pending. */
export function listWithPendingChanges(
  items: DocumentListItem[],
  query: DocumentQuery,
  waiting: readonly PendingChange[],
): DocumentListItem[] {
  const pending = pendingByDocument(waiting);
  if (pending.size === 0) return items;
  const ifKept = (item: DocumentListItem): DocumentListItem[] => {
    const changes = pending.get(item.id)?.changes;
    if (!changes) return [item];
    const { item: now, isTrashed } = withPendingChanges(item, changes);
    return isTrashed || !matchesFilter(query, now) ? [] : [now];
  };
  const listedIds = new Set(items.map(({ id }) => id));
  const ifAdded = ([id, { first, changes }]: [string, PendingDocument]) => {
    const { item, isTrashed } = withPendingChanges(first, changes);
    const wasListed = isTrashed === undefined && matchesFilter(query, first);
    return listedIds.has(id) || isTrashed || wasListed || query.tasks || !matchesFilter(query, item)
      ? []
      : [item];
  };
  const kept = items.flatMap(ifKept);
  const added = [...pending].flatMap(ifAdded);
  if (added.length === 0) return kept;
  const { sort = "updated_at", order = sort === "title" ? "asc" : "desc" } = query;
  return [...kept, ...added].sort((one, other) =>
    compareValues(sortValue(one, sort), sortValue(other, sort), order === "desc"),
  );
}

/** Documents that are about to be trashed (`come`), and ids of those about to be restored (`gone`). */
export function pendingTrashChanges(waiting: readonly PendingChange[]) {
  const states = [...pendingByDocument(waiting)].map(([id, { first, changes }]) => ({
    id,
    ...withPendingChanges(first, changes),
  }));
  return {
    come: states.flatMap(({ item, isTrashed, at }) =>
      isTrashed ? [{ ...item, trashed_at: new Date(at).toISOString() }] : [],
    ),
    gone: new Set(states.flatMap(({ id, isTrashed }) => (isTrashed === false ? [id] : []))),
  };
}
