import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { Document } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { type Draft, useDocumentDraft } from "../../state/document-drafts.ts";
import { useMe } from "../../state/queries.ts";
import { useDocument, useNews } from "./data.ts";
import styles from "./document.module.css";
import { EditView } from "./editing.tsx";
import { Missing } from "./missing.tsx";
import { Opened } from "./opened.tsx";
import type { Start } from "./use-editing.ts";

const draftStart = ({ title, text, at, creation }: Draft) => ({ title, text, keptAt: at, creation });

/** A document that does not exist until it is saved. `?folder=`, `?title=` and `?text=` give its beginning. */
function NewDocument({ owner }: { owner: string }) {
  const [, navigate] = useLocation();
  const [given] = useState(new URLSearchParams(useSearch()));
  const { isRead, draft } = useDocumentDraft(owner, "new");
  useEffect(() => {
    document.title = "New document – Commonplace";
  }, []);
  if (!isRead) return <Loading />;
  const beginning = { title: given.get("title") ?? "", text: given.get("text") ?? "" };
  const isGiven = beginning.title !== "" || beginning.text !== "";
  const start: Start = {
    base: undefined,
    folder: given.get("folder"),
    kind: "markdown",
    ...(draft && !isGiven ? draftStart(draft) : beginning),
  };
  return (
    <div className={styles.page}>
      <EditView
        owner={owner}
        start={start}
        latest={undefined}
        onCreate={({ id }, then) =>
          navigate(`/documents/${id}${then === "write" ? "?edit" : ""}`, { replace: true })
        }
        onLeave={() => navigate("/documents")}
      />
    </div>
  );
}

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
  if (!me) return <Loading />;
  return id === "new" ? <NewDocument owner={me.id} /> : <ExistingDocument id={id} owner={me.id} />;
}
