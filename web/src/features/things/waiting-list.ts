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

// Lists with the changes in them that the service does not have yet.

type States = Map<string, { first: Changeable; changes: WaitingChange[] }>;

/** The changes of each document, in their order, and what it was before the first. */
function statesOf(waiting: readonly WaitingChange[]): States {
  const all: States = new Map();
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
 * The documents of a list as they are going to be: those that leave it are gone, those that come into it are there. The same
 * array if nothing waits.
 */
export function listWith(
  items: DocumentListItem[],
  query: DocumentQuery,
  waiting: readonly WaitingChange[],
): DocumentListItem[] {
  const states = statesOf(waiting);
  if (states.size === 0) return items;
  const stays = (item: DocumentListItem): DocumentListItem[] => {
    const changes = states.get(item.id)?.changes;
    if (!changes) return [item];
    const { item: now, isTrashed } = withChanges(item, changes);
    return isTrashed || !fits(query, now) ? [] : [now];
  };
  const there = new Set(items.map(({ id }) => id));
  const comes = ([id, { first, changes }]: [string, { first: Changeable; changes: WaitingChange[] }]) => {
    const { item, isTrashed } = withChanges(first, changes);
    const wasHere = isTrashed === undefined && fits(query, first);
    return there.has(id) || isTrashed || wasHere || query.tasks || !fits(query, item) ? [] : [item];
  };
  const kept = items.flatMap(stays);
  const come = [...states].flatMap(comes);
  if (come.length === 0) return kept;
  const { sort = "updated_at", order = sort === "title" ? "asc" : "desc" } = query;
  return [...kept, ...come].sort((one, other) =>
    compare(sortedBy(one, sort), sortedBy(other, sort), order === "desc"),
  );
}

/** What waits to go to the trash, and what waits to leave it. */
export function trashWith(waiting: readonly WaitingChange[]): {
  come: (Changeable & { trashed_at: string })[];
  gone: Set<string>;
} {
  const states = [...statesOf(waiting)].map(([id, { first, changes }]) => ({
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
