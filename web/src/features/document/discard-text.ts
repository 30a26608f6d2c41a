import { dropDraft, type Kept, keepDraft } from "../../state/document-drafts.ts";
import { toast } from "../../state/toasts.ts";

/** Discards a draft, and offers to undo that. */
export async function discardText({ place, ...draft }: Kept): Promise<void> {
  await dropDraft(place);
  const fail = () => toast({ kind: "refused", text: "Couldn’t undo: this browser can’t store the text" });
  toast({ text: "Changes discarded", undo: () => void keepDraft(place, draft).catch(fail) });
}
