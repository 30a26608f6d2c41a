import { useState } from "react";
import { useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { LoadingScreen, Screen } from "../../kit/screen.tsx";
import { Problem } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { TrashedScreen } from "../trash/in-trash.tsx";
import { useDocument, useOtherTabUpdates } from "./data.ts";
import { DocumentViews, documentView } from "./document-views.tsx";
import { MissingDocument } from "./missing.tsx";
import { NewDocument } from "./new-document.tsx";
import { DocumentContent } from "./reading.tsx";

function ExistingDocument({ id, owner }: { id: string; owner: string }) {
  useOtherTabUpdates(id);
  const { data, trashedAt, error, refetch } = useDocument(id);
  const search = useSearch();
  const isWriting = data !== undefined && documentView(search) === "edit";
  // An open editor stays: it shows itself why it cannot save.
  if (isApiError(error, 404, 422) && !isWriting) return <MissingDocument id={id} />;
  // Moved to the trash by a change that is still pending.
  if (data && trashedAt) {
    return (
      <TrashedScreen thing={{ type: "document", ...data }} trashedAt={trashedAt}>
        <DocumentContent document={data} />
      </TrashedScreen>
    );
  }
  if (data) return <DocumentViews document={data} owner={owner} />;
  if (!error) return <LoadingScreen />;
  return (
    <Screen title="Document">
      <Problem problem={error} retry={refetch} />
    </Screen>
  );
}

/** What the screen shows. `writer`: the draft id of a new document; `isNamed`: whether the URL has this id. */
type ShownDocument = { id: string; writer: string; isNamed: boolean };

/** What the screen shows after a change of the URL. A URL of a new document without a draft id starts another one. */
function nextShown(before: ShownDocument, id: string, draftId: string | undefined): ShownDocument {
  if (id !== "new") return before.id === id ? before : { ...before, id };
  const isAnother = before.id !== id || (draftId === undefined ? before.isNamed : draftId !== before.writer);
  if (isAnother) return { id, writer: draftId ?? randomId(), isNamed: draftId !== undefined };
  return draftId && !before.isNamed ? { ...before, isNamed: true } : before;
}

/** One document: reading, editing or comparing versions. */
export default function DocumentScreen({ id }: { id: string }) {
  const me = useMe();
  const state = useHistoryState<{ begun?: string } | null>();
  const search = useSearch();
  const draftId = (id === "new" && new URLSearchParams(search).get("draft")) || undefined;
  const [before, setShown] = useState<ShownDocument>(() => ({
    id,
    writer: draftId ?? randomId(),
    isNamed: draftId !== undefined,
  }));
  const shown = nextShown(before, id, draftId);
  if (shown !== before) setShown(shown);
  if (!me) return <LoadingScreen />;
  // Saving a new document changes the URL; the same editor stays open.
  if (id === "new" || state?.begun === shown.writer)
    return (
      <NewDocument
        key={shown.writer}
        owner={me.id}
        writer={shown.writer}
        id={id === "new" ? undefined : id}
      />
    );
  return <ExistingDocument id={id} owner={me.id} />;
}
