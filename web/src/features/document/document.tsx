import { useState } from "react";
import { useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError } from "../../api/request.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { InTrash } from "../trash/in-trash.tsx";
import { useDocument, useNews } from "./data.ts";
import { Missing } from "./missing.tsx";
import { NewDocument } from "./new-document.tsx";
import { Opened, viewOf } from "./opened.tsx";
import { Written } from "./reading.tsx";

function ExistingDocument({ id, owner }: { id: string; owner: string }) {
  useNews(id);
  const { data, trashedAt, error, refetch } = useDocument(id);
  const search = useSearch();
  const isWriting = data !== undefined && viewOf(search) === "edit";
  // The text that is being written stays: it says itself what it cannot be saved for.
  if (isApiError(error, 404, 422) && !isWriting) return <Missing id={id} />;
  // The service does not know of it yet.
  if (data && trashedAt) {
    return (
      <InTrash thing={{ type: "document", ...data }} trashedAt={trashedAt}>
        <Written document={data} />
      </InTrash>
    );
  }
  if (data) return <Opened document={data satisfies Document} owner={owner} />;
  return error ? <Problem problem={error} retry={refetch} /> : <Loading />;
}

/** What the screen shows: `begun` is who writes a new document, and `isNamed` whether the address names that. */
type Shown = { id: string; begun: string; isNamed: boolean };

/** What it shows after it had shown something else. An address that names nobody begins another document. */
function shownAfter(before: Shown, id: string, named: string | undefined): Shown {
  if (id !== "new") return before.id === id ? before : { ...before, id };
  const isAnother = before.id !== id || (named === undefined ? before.isNamed : named !== before.begun);
  if (isAnother) return { id, begun: named ?? randomId(), isNamed: named !== undefined };
  return named && !before.isNamed ? { ...before, isNamed: true } : before;
}

/** One document: read, written, compared with its earlier versions. */
export default function DocumentScreen({ id }: { id: string }) {
  const me = useMe();
  const state = useHistoryState<{ begun?: string } | null>();
  const search = useSearch();
  const named = (id === "new" && new URLSearchParams(search).get("draft")) || undefined;
  const [before, setShown] = useState<Shown>(() => ({
    ...{ id, begun: named ?? randomId(), isNamed: named !== undefined },
  }));
  const shown = shownAfter(before, id, named);
  if (shown !== before) setShown(shown);
  if (!me) return <Loading />;
  // The address of one that was begun here changes when it is saved, and it is written on.
  if (id === "new" || state?.begun === shown.begun)
    return (
      <NewDocument
        key={shown.begun}
        owner={me.id}
        writer={shown.begun}
        id={id === "new" ? undefined : id}
        kept={{ opened: "/documents/new", begun: shown.begun }}
      />
    );
  return <ExistingDocument id={id} owner={me.id} />;
}
