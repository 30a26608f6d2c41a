import { useState } from "react";
import type { Document } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { useDocument, useNews } from "./data.ts";
import { Missing } from "./missing.tsx";
import { NewDocument } from "./new-document.tsx";
import { Opened } from "./opened.tsx";

function ExistingDocument({ id, owner }: { id: string; owner: string }) {
  useNews(id);
  const { data, error, refetch } = useDocument(id);
  if (isApiError(error, 404, 422)) return <Missing id={id} />;
  if (data) return <Opened document={data satisfies Document} owner={owner} />;
  return error ? <Problem problem={error} retry={refetch} /> : <Loading />;
}

/** One document: read, written, compared with its earlier versions. */
export default function DocumentScreen({ id }: { id: string }) {
  const me = useMe();
  const [opened] = useState(id);
  const [last, setLast] = useState({ id, begun: 0 });
  if (last.id !== id) setLast({ id, begun: last.begun + (id === "new" ? 1 : 0) });
  if (!me) return <Loading />;
  // The address of one that was begun here changes when it is saved, and it is written on.
  if (opened !== "new") return <ExistingDocument id={id} owner={me.id} />;
  return <NewDocument key={last.begun} owner={me.id} id={id === "new" ? undefined : id} />;
}
