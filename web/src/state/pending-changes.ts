import type { DocumentListItem } from "../api/documents.ts";
import { Outbox, type OutboxEntry } from "./outbox.ts";
import { hasTag } from "./tags.ts";

// Pending changes of document metadata: folder, title, tags, trash. They are shown as if they were done.

/** One change, applied to each of its documents. */
export type DocumentChange =
  | { kind: "rename"; title: string }
  | { kind: "move"; folder_id: string | null; folder: string }
  | { kind: "tag" | "untag"; tag: string }
  | { kind: "trash" | "restore" };

/** A document as lists return it: the state that a change is based on. */
export type ChangeableDocument = Omit<DocumentListItem, "content">;

/** `at` is strictly increasing. */
export type PendingChange = OutboxEntry & {
  /** Id of the user action, which may consist of several changes. */
  step: string;
  change: DocumentChange;
  /** The documents before the change: at most a hundred, the limit of one request. */
  documents: readonly ChangeableDocument[];
  /** Whether the server rejects it if the same field was changed in the meantime. */
  isGuarded: boolean;
  /** When it was first sent, in milliseconds: the server may have applied it. */
  sent?: number;
  /** Whether the user decided to apply it despite a conflict. */
  isDecided?: boolean;
};

export const pendingChanges = new Outbox<PendingChange>("commonplace-changes", "changes", ({ step }) => step);

export const isStepSending = pendingChanges.isSending;

/** Whether a change is shown as done before the server has confirmed it. */
export const isShownAsDone = ({ refused, isWithdrawn }: PendingChange) => !refused && !isWithdrawn;

export const usePendingChanges = pendingChanges.entries.use;
export const getPendingChanges = pendingChanges.get;

type DocumentFacts = Pick<ChangeableDocument, "title" | "folder_id" | "tags">;

/** Applies a change, except for moving to and from the trash. */
export function applyChange<Item extends DocumentFacts>(item: Item, change: DocumentChange): Item {
  switch (change.kind) {
    case "rename":
      return { ...item, title: change.title };
    case "move":
      return { ...item, folder_id: change.folder_id };
    case "tag":
      return hasTag(item.tags, change.tag) ? item : { ...item, tags: [...item.tags, change.tag] };
    case "untag":
      return { ...item, tags: item.tags.filter((tag) => !hasTag([tag], change.tag)) };
    default:
      return item;
  }
}

/**
 * Applies the pending changes of a document; without any, returns the same object. `isTrashed`: whether they trash or restore
 * it, undefined if neither. `at`: when that was decided, in milliseconds.
 */
export function withPendingChanges<Item extends DocumentFacts & { id: string }>(
  item: Item,
  changes: readonly PendingChange[],
) {
  let now = item;
  let isTrashed: boolean | undefined;
  let at = 0;
  for (const waiting of changes) {
    if (!isShownAsDone(waiting) || !waiting.documents.some(({ id }) => id === item.id)) continue;
    const { change } = waiting;
    if (change.kind === "trash" || change.kind === "restore") {
      isTrashed = change.kind === "trash";
      at = waiting.at;
    }
    now = applyChange(now, change);
  }
  return { item: now, isTrashed, at };
}
