import { type DocumentOperation, documentsApi } from "../../api/documents.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import type { Changes } from "../../state/undo.ts";
import type { Change, Changeable, WaitingChange } from "../../state/waiting-changes.ts";

// A change of documents as the service takes it.

export type Refused = { document: Changeable; reason: string };

/** The service may answer otherwise later; 409: an earlier attempt is still running. */
export const mayPass = (problem: unknown): boolean => isPassing(problem) || isApiError(problem, 409);

type Sent = Pick<WaitingChange, "key" | "account" | "change" | "documents"> & {
  /** Whether a document that is no longer as it was is left alone. */
  isGuarded: boolean;
};

/** Which version a change is based on. Tags are added and removed one by one: nobody else's are lost. */
function operationOf(change: Change, { id, version }: Changeable, isGuarded: boolean): DocumentOperation {
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

const SIDE_BY_SIDE = 6;

async function restore({ key, account, documents }: Sent, changes: Changes): Promise<Refused[]> {
  const refused: Refused[] = [];
  const one = async (document: Changeable) => {
    try {
      await documentsApi.restore(document.id, { idempotencyKey: `${key}:${document.id}`, account, changes });
    } catch (problem) {
      if (!isApiError(problem) || mayPass(problem)) throw problem;
      const isGone = [404, 410].includes(problem.status);
      refused.push({ document, reason: isGone ? "It was erased for good" : problem.message });
    }
  };
  for (let start = 0; start < documents.length; start += SIDE_BY_SIDE)
    await Promise.all(documents.slice(start, start + SIDE_BY_SIDE).map(one));
  return refused;
}

/**
 * Asks the service for a change of at most a hundred documents, under a key: repeated, it is carried out once. Returns those
 * that were refused. Throws ApiError.
 */
export async function requestChange(sent: Sent, changes: Changes): Promise<Refused[]> {
  const { key, account, change, documents, isGuarded } = sent;
  if (change.kind === "restore") return restore(sent, changes);
  const operations = documents.map((document) => operationOf(change, document, isGuarded));
  try {
    const { results } = await documentsApi.change(operations, { idempotencyKey: key, account, changes });
    return results.flatMap(({ ok, index, detail: reason = "was refused" }) => {
      const document = documents[index];
      return ok || !document ? [] : [{ document, reason }];
    });
  } catch (problem) {
    // Together they are too large: half of them may not be.
    if (!isApiError(problem, 413) || documents.length === 1) throw problem;
    const half = Math.ceil(documents.length / 2);
    const parts = [documents.slice(0, half), documents.slice(half)];
    const refused: Refused[] = [];
    for (const [place, part] of parts.entries())
      refused.push(...(await requestChange({ ...sent, key: `${key}:${place}`, documents: part }, changes)));
    return refused;
  }
}
