import { documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { keepDraft, keptDrafts, readDraft, withDraft } from "../../state/document-drafts.ts";
import { renameInOtherTabs, renameInTexts } from "../../state/waiting-files.ts";
import { showWritten } from "../document/data.ts";
import { writeText } from "../document/write-text.ts";
import { writingOf } from "../document/writing.ts";
import { changed, changesFor } from "../files/reference.ts";

// What texts call a file changes when it has arrived, when another takes its place, and when it is left out.

const renamed = (text: string, name: string, next: string | undefined) =>
  changed(text, changesFor(text, name, next));

async function inDrafts(owner: string, name: string, next: string | undefined): Promise<boolean> {
  let isThere = false;
  for (const { place } of await keptDrafts(owner)) {
    await withDraft(place, async () => {
      const draft = await readDraft(place);
      if (!draft?.text.includes(name)) return;
      isThere = true;
      await keepDraft(place, { ...draft, text: renamed(draft.text, name, next) });
    });
  }
  return isThere;
}

/**
 * Puts another name of a file into a document that the service has; without one, takes it out. Returns whether it is there
 * now, or is gone with its document. Throws ApiError, and Conflict where somebody is changing the same passage.
 */
export async function renameInDocument(id: string, name: string, next: string | undefined): Promise<boolean> {
  const document = await documentsApi.get(id).catch((problem: unknown) => {
    if (isApiError(problem, 404)) return undefined;
    throw problem;
  });
  if (!document) return true;
  const { text } = writingOf(document.content);
  const after = renamed(text, name, next);
  if (after === text) return next !== undefined && text.includes(next);
  showWritten(await writeText(document, after, { changes: [] }, (write) => write()));
  return true;
}

type Where = { account: string; document: string | undefined };

/**
 * Puts another name of a file, or none, wherever it stands: into what is being written, waits, or is a document's text.
 * Returns "saved" once the service has the text with the new name, and "written" while what is being written, or is on its
 * way, may still bring the old one. Undefined if no text has it.
 */
export async function renameFile(
  { account, document }: Where,
  name: string,
  next: string | undefined,
): Promise<"saved" | "written" | undefined> {
  renameInOtherTabs({ name, next });
  if (renameInTexts({ name, next }) || (await inDrafts(account, name, next))) return "written";
  return document !== undefined && (await renameInDocument(document, name, next)) ? "saved" : undefined;
}
