import { type DocumentOperation, documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { isUnanswered } from "../../state/outbox.ts";
import type { ChangeableDocument, DocumentChange, PendingChange } from "../../state/pending-changes.ts";
import type { ChangeIds } from "../../state/undo.ts";

export type RejectedDocument = { document: ChangeableDocument; reason: string };

type ChangeRequest = Pick<PendingChange, "key" | "account" | "change" | "documents"> & {
  /** Whether a document that has changed in the meantime is left alone. */
  isGuarded: boolean;
};

/** Tags need no version check: they are added and removed one by one, so none of another writer is lost. */
function toOperation(
  change: DocumentChange,
  { id, version }: ChangeableDocument,
  isGuarded: boolean,
): DocumentOperation {
  const based = isGuarded ? { expected_version: version } : {};
  switch (change.kind) {
    case "rename":
      return { operation: "update", id, title: change.title, ...based };
    case "move":
      return { operation: "move", id, folder_id: change.folder_id, ...based };
    case "tag":
      return { operation: "add_tags", id, tags: [change.tag] };
    case "untag":
      return { operation: "remove_tags", id, tags: [change.tag] };
    default:
      return { operation: "delete", id, ...based };
  }
}

const MAX_PARALLEL = 6;

async function restore(
  { key, account, documents }: ChangeRequest,
  changes: ChangeIds,
): Promise<RejectedDocument[]> {
  const refused: RejectedDocument[] = [];
  const restoreOne = async (document: ChangeableDocument) => {
    try {
      await documentsApi.restore(document.id, { idempotencyKey: `${key}:${document.id}`, account, changes });
    } catch (problem) {
      if (!isApiError(problem) || isUnanswered(problem)) throw problem;
      const isGone = [404, 410].includes(problem.status);
      refused.push({ document, reason: isGone ? "It was permanently deleted" : problem.message });
    }
  };
  for (let start = 0; start < documents.length; start += MAX_PARALLEL)
    await Promise.all(documents.slice(start, start + MAX_PARALLEL).map(restoreOne));
  return refused;
}

/** Requests a change of at most 100 documents, carried out once per key. Returns the rejected documents. Throws ApiError. */
export async function requestChange(request: ChangeRequest, changes: ChangeIds): Promise<RejectedDocument[]> {
  const { key, account, change, documents, isGuarded } = request;
  if (change.kind === "restore") return restore(request, changes);
  const operations = documents.map((document) => toOperation(change, document, isGuarded));
  try {
    const { results } = await documentsApi.bulkWithoutRetry(operations, {
      idempotencyKey: key,
      account,
      changes,
    });
    return results.flatMap(({ ok, index, detail: reason = "It was rejected" }) => {
      const document = documents[index];
      return ok || !document ? [] : [{ document, reason }];
    });
  } catch (problem) {
    // The request is too large: send it in two halves.
    if (!isApiError(problem, 413) || documents.length === 1) throw problem;
    const half = Math.ceil(documents.length / 2);
    const parts = [documents.slice(0, half), documents.slice(half)];
    const refused: RejectedDocument[] = [];
    for (const [place, part] of parts.entries())
      refused.push(
        ...(await requestChange({ ...request, key: `${key}:${place}`, documents: part }, changes)),
      );
    return refused;
  }
}
