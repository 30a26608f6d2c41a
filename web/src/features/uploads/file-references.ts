import { documentsApi } from "../../api/documents.ts";
import { undefinedIf } from "../../api/request.ts";
import { readDraft, saveDraft, waitingDrafts } from "../../state/document-drafts.ts";
import { changeReferences, changeReferencesInOtherTabs } from "../../state/pending-files.ts";
import { withUnlockedDraft } from "../../state/shown-drafts.ts";
import { publishDocument } from "../document/data.ts";
import { mergeAndSaveText } from "../document/write-text.ts";
import { writingOf } from "../document/writing.ts";
import { applyTextChanges, referenceChanges } from "../files/reference.ts";

// Updates references to a file in texts when it is uploaded, replaced or cancelled.

const renamed = (text: string, name: string, next: string | undefined) =>
  applyTextChanges(text, referenceChanges(text, name, next));

async function renameInDrafts(owner: string, name: string, next: string | undefined): Promise<boolean> {
  let isFound = false;
  for (const { place } of await waitingDrafts(owner)) {
    await withUnlockedDraft(place, async () => {
      const draft = await readDraft(place);
      if (!draft?.text.includes(name)) return;
      isFound = true;
      await saveDraft(place, { ...draft, text: renamed(draft.text, name, next) });
    });
  }
  return isFound;
}

/** Returns whether the stored document now has the new reference, or was deleted. Throws ApiError, and Conflict. */
export async function renameFileInDocument(
  id: string,
  name: string,
  next: string | undefined,
): Promise<boolean> {
  const document = await documentsApi.get(id).catch(undefinedIf(404));
  if (!document) return true;
  const { text } = writingOf(document.content);
  const after = renamed(text, name, next);
  if (after === text) return next !== undefined && text.includes(next);
  publishDocument(await mergeAndSaveText(document, after, { changes: [] }, (write) => write()));
  return true;
}

type TextOwner = { account: string; document: string | undefined };

/**
 * Replaces or removes a reference to a file in open editors, drafts and the stored document. Returns "saved" once the stored
 * document has the new reference, and "written" while an unsaved text may still save the old one. Undefined if no text has it.
 */
export async function renameFileInTexts(
  { account, document }: TextOwner,
  name: string,
  next: string | undefined,
): Promise<"saved" | "written" | undefined> {
  changeReferencesInOtherTabs({ name, next });
  if (changeReferences({ name, next }) || (await renameInDrafts(account, name, next))) return "written";
  return document !== undefined && (await renameFileInDocument(document, name, next)) ? "saved" : undefined;
}
