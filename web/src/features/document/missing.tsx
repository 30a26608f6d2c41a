import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { documentsApi } from "../../api/documents.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import { useDocumentDraft } from "../../state/document-drafts.ts";
import { usePendingChanges, withPendingChanges } from "../../state/pending-changes.ts";
import { useMe } from "../../state/queries.ts";
import { takeTypedText } from "../../state/typing-ahead.ts";
import { TrashedScreen } from "../trash/in-trash.tsx";
import { DocumentViews } from "./document-views.tsx";
import { DocumentContent } from "./reading.tsx";
import { UnsavedText } from "./unsaved-text.tsx";

/** Shown for a document that is in the trash, deleted or not in this account. */
export function MissingDocument({ id }: { id: string }) {
  const me = useMe();
  // Keys typed while loading have no field to go to.
  useEffect(() => void takeTypedText(), []);
  const changes = usePendingChanges();
  const fetched = useQuery({
    queryKey: ["trash", "document", id],
    queryFn: () => documentsApi.getIncludingTrash(id),
  });
  const owner = me?.id ?? "";
  const { draft } = useDocumentDraft(owner, id);
  const unsavedText = draft && <UnsavedText draft={draft} />;
  if (fetched.isPending) return <Loading />;
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
      <Empty title={`This document is not in the account ${me?.email ?? ""}`}>
        <p>It may belong to another account, or it was deleted.</p>
        <Actions>
          <ButtonLink href={`/sign-in?to=${encodeURIComponent(`/documents/${id}`)}`}>
            Use another account
          </ButtonLink>
          <ButtonLink href="/documents?view=trash">Look in the trash</ButtonLink>
          <ButtonLink href="/documents" kind="primary">
            Show all documents
          </ButtonLink>
        </Actions>
      </Empty>
      {unsavedText}
    </Screen>
  );
}
