import { useLocation } from "wouter";
import { Button } from "../../kit/button.tsx";
import { draftUrl, moveDraftToNewDocument, type StoredDraft } from "../../state/document-drafts.ts";
import { copyWithTitle } from "./copying.ts";
import { discardDraft } from "./discard-draft.ts";
import styles from "./document.module.css";
import { DocumentContent } from "./reading.tsx";
import { TimeOfDay } from "./time-of-day.tsx";
import { documentWithText } from "./with-draft.ts";
import { writingOf } from "./writing.ts";

/** The unsaved text of a deleted document, which can be discarded, copied or saved as a new document. */
export function UnsavedText({ draft }: { draft: StoredDraft }) {
  const [, navigate] = useLocation();
  if (!draft.base) return null;
  const { base } = draft;
  const { kind } = writingOf(base.content);
  const saveAsNew = async () => navigate(draftUrl(await moveDraftToNewDocument(draft, kind)));
  return (
    <section aria-label="Your unsaved text">
      <div className={styles.notice} role="status">
        <p>
          You have unsaved changes from <TimeOfDay at={draft.at} />, but the document was deleted.
        </p>
        <Button onPress={() => void discardDraft(draft)}>Discard</Button>
        <Button onPress={() => void copyWithTitle(draft.title, { kind, text: draft.text })}>Copy</Button>
        <Button kind="primary" onPress={() => void saveAsNew()}>
          Save as a new document
        </Button>
      </div>
      <DocumentContent document={documentWithText(base, draft)} />
    </section>
  );
}
