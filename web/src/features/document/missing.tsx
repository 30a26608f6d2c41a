import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { documentsApi } from "../../api/documents.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { LoadingScreen, Screen } from "../../kit/screen.tsx";
import { Empty } from "../../kit/states.tsx";
import { draftUrl, type StoredDraft } from "../../state/document-drafts.ts";
import { usePendingChanges, withPendingChanges } from "../../state/pending-changes.ts";
import { useMe } from "../../state/queries.ts";
import { moveDraftToNewDocument, useDocumentDraft } from "../../state/shown-drafts.ts";
import { takeTypedKeys } from "../../state/typing-ahead.ts";
import { TrashedScreen } from "../trash/in-trash.tsx";
import { copyWithTitle } from "./copying.ts";
import { discardDraft } from "./discard-draft.ts";
import styles from "./document.module.css";
import { DocumentViews } from "./document-views.tsx";
import { DocumentContent } from "./reading.tsx";
import { TimeOfDay } from "./time-of-day.tsx";
import { documentWithText } from "./with-draft.ts";
import { writingOf } from "./writing.ts";

/** The unsaved text of a deleted document, which can be discarded, copied or saved as a new document. */
function UnsavedText({ draft }: { draft: StoredDraft }) {
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

/** Shown for a document that is in the trash, deleted or not in this account. */
export function MissingDocument({ id }: { id: string }) {
  const me = useMe();
  // Keys typed while loading have no field to go to.
  useEffect(() => void takeTypedKeys(), []);
  const changes = usePendingChanges();
  const fetched = useQuery({
    queryKey: ["trash", "document", id],
    queryFn: () => documentsApi.getIncludingTrash(id),
  });
  const owner = me?.id ?? "";
  const { draft } = useDocumentDraft(owner, id);
  const unsavedText = draft && <UnsavedText draft={draft} />;
  if (fetched.isPending) return <LoadingScreen />;
  if (fetched.data?.trashed_at) {
    const { item, isTrashed = true } = withPendingChanges(fetched.data, changes);
    if (!isTrashed) return <DocumentViews document={item} owner={owner} />;
    return (
      <TrashedScreen thing={{ type: "document", ...item }} trashedAt={fetched.data.trashed_at}>
        {unsavedText ?? <DocumentContent document={item} />}
      </TrashedScreen>
    );
  }
  return (
    <Screen title="Document not found">
      <Empty title={`This document isn’t in the account ${me?.email ?? ""}`}>
        <p>It may belong to another account, or it was deleted.</p>
        <div className="button-row">
          <ButtonLink href={`/sign-in?to=${encodeURIComponent(`/documents/${id}`)}`}>
            Use another account
          </ButtonLink>
          <ButtonLink href="/documents?view=trash">Look in the trash</ButtonLink>
          <ButtonLink href="/documents" kind="primary">
            Show all documents
          </ButtonLink>
        </div>
      </Empty>
      {unsavedText}
    </Screen>
  );
}
