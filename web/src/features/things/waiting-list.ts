import { type DocumentListItem, sortedBy } from "../../api/documents.ts";
import { compare } from "../../state/compare.ts";
import type { DocumentQuery } from "../../state/copied-lists.ts";
import {
  type Changeable,
  isShownAsDone,
  type WaitingChange,
  withChanges,
} from "../../state/waiting-changes.ts";
import { fits } from "./fits.ts";

// Applies pending changes to lists.

type PendingByDocument = Map<string, { first: Changeable; changes: WaitingChange[] }>;

/** The pending changes of each document in order, and its state before the first one. */
function pendingByDocument(waiting: readonly WaitingChange[]): PendingByDocument {
  const all: PendingByDocument = new Map();
  for (const one of waiting.filter(isShownAsDone)) {
    for (const document of one.documents) {
      const known = all.get(document.id);
      if (known) known.changes.push(one);
      else all.set(document.id, { first: document, changes: [one] });
    }
  }
  return all;
}

/**
 * The documents of a list with pending changes applied: documents that leave the list are removed, and those that enter it are
 * added. Returns the same array if no change is pending.
 */
export function listWith(
  items: DocumentListItem[],
  query: DocumentQuery,
  waiting: readonly WaitingChange[],
): DocumentListItem[] {
  const pending = pendingByDocument(waiting);
  if (pending.size === 0) return items;
  const ifKept = (item: DocumentListItem): DocumentListItem[] => {
    const changes = pending.get(item.id)?.changes;
    if (!changes) return [item];
    const { item: now, isTrashed } = withChanges(item, changes);
    return isTrashed || !fits(query, now) ? [] : [now];
  };
  const listedIds = new Set(items.map(({ id }) => id));
  const ifAdded = ([id, { first, changes }]: [string, { first: Changeable; changes: WaitingChange[] }]) => {
    const { item, isTrashed } = withChanges(first, changes);
    const wasListed = isTrashed === undefined && fits(query, first);
    return listedIds.has(id) || isTrashed || wasListed || query.tasks || !fits(query, item) ? [] : [item];
  };
  const kept = items.flatMap(ifKept);
  const added = [...pending].flatMap(ifAdded);
  if (added.length === 0) return kept;
  const { sort = "updated_at", order = sort === "title" ? "asc" : "desc" } = query;
  return [...kept, ...added].sort((one, other) =>
    compare(sortedBy(one, sort), sortedBy(other, sort), order === "desc"),
  );
}

/** Documents that are about to be trashed (`come`), and ids of those about to be restored (`gone`). */
export function trashWith(waiting: readonly WaitingChange[]): {
  come: (Changeable & { trashed_at: string })[];
  gone: Set<string>;
} {
  const states = [...pendingByDocument(waiting)].map(([id, { first, changes }]) => ({
    id,
    ...withChanges(first, changes),
  }));
  return {
    come: states.flatMap(({ item, isTrashed, at }) =>
      isTrashed ? [{ ...item, trashed_at: new Date(at).toISOString() }] : [],
    ),
    gone: new Set(states.flatMap(({ id, isTrashed }) => (isTrashed === false ? [id] : []))),
  };
}
