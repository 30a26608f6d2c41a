import { useState } from "react";
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
import { Opened } from "./opened.tsx";
import { Written } from "./reading.tsx";

function ExistingDocument({ id, owner }: { id: string; owner: string }) {
  useNews(id);
  const { data, trashedAt, error, refetch } = useDocument(id);
  if (isApiError(error, 404, 422)) return <Missing id={id} />;
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

/** One document: read, written, compared with its earlier versions. */
export default function DocumentScreen({ id }: { id: string }) {
  const me = useMe();
  const state = useHistoryState<{ begun?: string } | null>();
  const [shown, setShown] = useState({ id, begun: randomId() });
  if (shown.id !== id) setShown({ id, begun: id === "new" ? randomId() : shown.begun });
  if (!me) return <Loading />;
  // The address of one that was begun here changes when it is saved, and it is written on.
  if (id === "new" || state?.begun === shown.begun)
    return (
      <NewDocument
        key={shown.begun}
        owner={me.id}
        id={id === "new" ? undefined : id}
        kept={{ opened: "/documents/new", begun: shown.begun }}
      />
    );
  return <ExistingDocument id={id} owner={me.id} />;
}
