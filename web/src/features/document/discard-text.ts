import { dropDraft, type Kept, keepDraft } from "../../state/document-drafts.ts";
import { toast } from "../../state/toasts.ts";

/** Forgets what was written and not sent, until somebody takes that back. */
export async function discardText({ place, ...draft }: Kept): Promise<void> {
  await dropDraft(place);
  const refuse = () => toast({ kind: "refused", text: "Not undone: this browser keeps nothing" });
  toast({ text: "Changes discarded", undo: () => void keepDraft(place, draft).catch(refuse) });
}
