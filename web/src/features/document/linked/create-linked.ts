import { localAccount } from "../../../api/current-account.ts";
import { documentsApi } from "../../../api/documents.ts";
import { randomId } from "../../../api/random-id.ts";
import { isTransientError } from "../../../api/request.ts";
import { type CreateRequest, saveDraft } from "../../../state/document-drafts.ts";
import { runWithToast } from "../../../state/run-with-toast.ts";

/** Creates an empty document for a link while its author writes on. Without a network it is created later. */
export const createLinkedDocument = (title: string, folderId: string | null): Promise<boolean> =>
  runWithToast(async (changes) => {
    const at = new Date().toISOString();
    const body = { title, content: { format: "markdown", text: "" }, folder_id: folderId };
    const creation: CreateRequest = { key: randomId(), sent: at, body };
    try {
      await documentsApi.create(body, creation.key, { changes });
      return `“${title}” created`;
    } catch (problem) {
      const owner = localAccount();
      if (!isTransientError(problem) || owner === undefined) throw problem;
      const from = folderId === null ? undefined : `folder=${folderId}`;
      const place = { owner, id: "new", writer: randomId() };
      await saveDraft(place, { title, text: "", base: undefined, at, from, creation });
      return `“${title}” will be created when you’re back online`;
    }
  });
