import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Loading } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import { type Kept, useDocumentDraft } from "../../state/document-drafts.ts";
import { useDocument, useNews } from "./data.ts";
import styles from "./document.module.css";
import { EditView } from "./editing.tsx";
import type { Start } from "./start.ts";

const draftStart = ({ title, text, at, creation, sent, place }: Kept) => ({
  ...{ title, text, keptAt: at, creation, sent },
  writer: place.writer,
});

type Props = {
  owner: string;
  /** The document that it has become. */
  id: string | undefined;
  /** The state of the address that it gets, with which it stays as it is. */
  kept: Record<string, string>;
};

/**
 * A document that does not exist until it is saved, and then is written on in the same place. `?folder=`, `?title=` and
 * `?text=` give its beginning.
 */
export function NewDocument({ owner, id, kept }: Props) {
  const [, navigate] = useLocation();
  const [from] = useState(useSearch());
  const given = new URLSearchParams(from);
  const { isRead, draft } = useDocumentDraft(owner, "new");
  const { data: latest } = useDocument(id ?? "new");
  useNews(id ?? "new");
  useEffect(() => {
    document.title = `${latest ? titleText(latest.title) : "New document"} – Commonplace`;
  }, [latest]);
  if (!isRead) return <Loading />;
  const beginning = { title: given.get("title") ?? "", text: given.get("text") ?? "" };
  const isGiven = beginning.title !== "" || beginning.text !== "";
  // On what another address has begun is not written on from here.
  const isWrittenOn = draft !== undefined && (!isGiven || draft.from === from);
  const start: Start = {
    base: undefined,
    folder: given.get("folder"),
    kind: "markdown",
    from,
    ...(isWrittenOn ? draftStart(draft) : beginning),
  };
  return (
    <div className={styles.page}>
      <EditView
        owner={owner}
        start={start}
        latest={latest}
        onCreate={(created, then) => {
          const path = `/documents/${created.id}`;
          if (then === "read") navigate(path, { replace: true });
          else navigate(`${path}?edit`, { replace: true, state: kept });
        }}
        onLeave={() => navigate(id ? `/documents/${id}` : "/documents", { replace: id !== undefined })}
      />
    </div>
  );
}
