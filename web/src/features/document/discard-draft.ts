import { deleteDraft, type StoredDraft, saveDraft } from "../../state/document-drafts.ts";
import { toast } from "../../state/toasts.ts";

/** Discards a draft, and offers to undo that. */
export async function discardDraft({ place, ...draft }: StoredDraft): Promise<void> {
  await deleteDraft(place);
  const fail = () => toast({ kind: "refused", text: "Couldn’t undo: this browser can’t store the text" });
  toast({ text: "Changes discarded", undo: () => void saveDraft(place, draft).catch(fail) });
}
