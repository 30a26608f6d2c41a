import { type Document, documentsApi, type ReadDocument } from "../../api/documents.ts";
import { undefinedIf } from "../../api/request.ts";
import { titleText } from "../../kit/title-text.ts";
import type { ChangeableDocument, DocumentChange } from "../../state/pending-changes.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS_QUERY, folderPathName } from "../folders/folders.ts";
import type { RejectedDocument } from "./change-request.ts";

// Decides about a change that was rejected because its document has changed. The user decides if the same field was changed.

/** Already done, to be retried on a newer state, or left to the user: `now` is the document's current state. */
export type ChangeVerdict =
  | { isDone: true }
  | { again: ChangeableDocument }
  | { reason: string; now: ChangeableDocument };

const IN_TRASH = "It was moved to the trash in the meantime. Restore it first";

function isDone(change: DocumentChange, now: ReadDocument): boolean {
  if (change.kind === "trash" || change.kind === "restore")
    return Boolean(now.trashed_at) === (change.kind === "trash");
  if (now.trashed_at) return false;
  if (change.kind === "rename") return now.title === change.title;
  return change.kind === "move" && now.folder_id === change.folder_id;
}

/** Whether the content differs from the version that the change is based on. */
async function isRewritten({ id, version }: ChangeableDocument, now: Document): Promise<boolean> {
  const before = await documentsApi.version(id, version).catch(undefinedIf(404));
  return JSON.stringify(before?.content ?? null) !== JSON.stringify(now.content ?? null);
}

/** Why the change conflicts with the current state; undefined if it does not. */
async function conflictReason(
  change: DocumentChange,
  before: ChangeableDocument,
  now: Document,
): Promise<string | undefined> {
  if (change.kind === "rename" && now.title !== before.title)
    return `It was renamed to “${titleText(now.title)}” in the meantime`;
  if (change.kind === "move" && now.folder_id !== before.folder_id) {
    const name = folderPathName(await queries.fetchQuery(ALL_FOLDERS_QUERY), now.folder_id);
    return `It was moved to ${name ? `“${name}”` : "no folder"} in the meantime`;
  }
  if (change.kind === "trash" && (await isRewritten(before, now))) return "It was edited in the meantime";
  return undefined;
}

async function isFolderGone(change: DocumentChange): Promise<boolean> {
  if (change.kind !== "move" || change.folder_id === null) return false;
  const folders = await queries.fetchQuery({ ...ALL_FOLDERS_QUERY, staleTime: 0 });
  return !folders.some(({ id }) => id === change.folder_id);
}

/** Decides about one rejected document of a change. Throws ApiError. */
export async function judgeRejected(
  change: DocumentChange,
  { document: before, reason }: RejectedDocument,
): Promise<ChangeVerdict> {
  const current = await documentsApi.getIncludingTrash(before.id).catch(undefinedIf(404));
  if (!current) return { reason: "It was permanently deleted", now: before };
  const { content: _, trashed_at, ...now } = current;
  if (isDone(change, current)) return { isDone: true };
  if (trashed_at) return { reason: change.kind === "restore" ? reason : IN_TRASH, now };
  if (change.kind === "move" && (await isFolderGone(change)))
    return {
      reason: `The folder “${change.folder}” was deleted in the meantime. Choose another folder`,
      now,
    };
  if (current.version === before.version || change.kind === "tag" || change.kind === "untag")
    return { reason, now };
  const conflict = await conflictReason(change, before, current);
  return conflict ? { reason: conflict, now } : { again: now };
}
