import { isApiError, isTransientError } from "../../api/request.ts";
import { type DraftPlace, readDraft, saveDraft, waitingDrafts } from "../../state/document-drafts.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { withUnlockedDraft } from "../../state/shown-drafts.ts";
import { rebaseChanges } from "../things/send-changes.ts";
import { pendingChange } from "./change-queue.ts";
import { Conflict } from "./data.ts";
import { DocumentEditor } from "./document-editor.ts";
import { explainError } from "./saving.ts";
import { editStartOfDraft } from "./start.ts";

// Sends drafts that were written offline once the service answers, whatever screen is open.

/** Keeps a rejected draft for the user to decide. */
async function keepRejected(place: DraftPlace, problem: Error): Promise<void> {
  const draft = await readDraft(place);
  if (!draft) return;
  const isConflict = problem instanceof Conflict;
  const refused = isConflict ? "The same passage was changed elsewhere" : explainError(problem).message;
  await saveDraft(place, { ...draft, refused });
  if (isApiError(problem, 404)) refreshDocuments();
}

/** Returns false if the draft has to wait for the user: it is empty or was rejected. Throws ApiError without an answer. */
async function sendOne(place: DraftPlace): Promise<boolean> {
  const draft = await readDraft(place);
  if (!draft) return true;
  const { base, title, text, refused } = draft;
  if (refused || `${title}${text}`.trim() === "") return false;
  const editor = new DocumentEditor(place, editStartOfDraft({ ...draft, place }));
  try {
    const sent = await editor.sendDraft();
    // There was no other change in between.
    if (base && sent.version === base.version + 1) await rebaseChanges(base.version, sent);
    return true;
  } catch (problem) {
    if (isTransientError(problem)) throw problem;
    await keepRejected(editor.place, problem as Error).catch(() => undefined);
    return false;
  }
}

/** Sends drafts that no editor has open. Returns ids of documents whose draft waits for the user. Throws ApiError. */
export async function sendDrafts(owner: string): Promise<Set<string>> {
  const left = new Set<string>();
  for (const { place } of (await waitingDrafts(owner)).reverse()) {
    // An editor that was just closed may still be sending it.
    await Promise.all([pendingChange(place.id), pendingChange(place.writer)]);
    await withUnlockedDraft(place, async () => {
      if (!(await sendOne(place))) left.add(place.id);
    });
  }
  return left;
}
