import { useEffect, useMemo, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { isApiError } from "../../api/request.ts";
import { LoadingScreen, Screen } from "../../kit/screen.tsx";
import { Problem } from "../../kit/states.tsx";
import { useTimezone } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { useDocumentDraft } from "../../state/shown-drafts.ts";
import { fillTemplate } from "../templates/beginning.ts";
import { useDocument, useOtherTabUpdates } from "./data.ts";
import styles from "./document.module.css";
import { EditView } from "./editing.tsx";
import { MissingDocument } from "./missing.tsx";
import { type EditStart, editStartOfDraft } from "./start.ts";

/** The initial text that the URL gives: of a template, or its own title and text. */
function useInitialText(query: URLSearchParams) {
  const template = query.get("template");
  const timezone = useTimezone();
  const { data, error, refetch } = useDocument(template ?? "new");
  const beginning = useMemo(() => data && fillTemplate(data, timezone), [data, timezone]);
  if (template === null) {
    const [title, text] = [query.get("title") ?? "", query.get("text") ?? ""];
    return { template, beginning: { title, text, kind: "markdown" as const } };
  }
  if (!beginning) return { template, error, refetch };
  const { title, text, ...like } = beginning;
  return { template, beginning: { title, text, kind: like.kind, like } };
}

/** The URL with the draft's id, by which the draft is found after a reload; undefined if the URL has it already. */
function urlWithDraft(search: string, writer: string): string | undefined {
  const query = new URLSearchParams(search);
  if (query.get("draft") === writer) return undefined;
  query.set("draft", writer);
  return `/documents/new?${query}`;
}

type LoadingProps = Pick<ReturnType<typeof useInitialText>, "template" | "error" | "refetch">;

function LoadingTemplate({ template, error, refetch }: LoadingProps) {
  if (template && isApiError(error, 404, 422)) return <MissingDocument id={template} />;
  if (!error || !refetch) return <LoadingScreen />;
  return (
    <Screen title="New document">
      <Problem problem={error} retry={refetch} />
    </Screen>
  );
}

type Props = {
  owner: string;
  /** The draft's id. */
  writer: string;
  /** The document, once it is saved. */
  id: string | undefined;
};

/** A new document, also once it is saved. `?folder=` sets its folder, `?title=` and `?text=`, or `?template=`, its text. */
export function NewDocument({ owner, writer, id }: Props) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [from] = useState(search);
  const query = new URLSearchParams(from);
  const { isRead, draft, isHeld } = useDocumentDraft(owner, "new", writer);
  const url = id ? undefined : urlWithDraft(search, writer);
  useEffect(() => {
    if (url) navigate(url, { replace: true });
  }, [url, navigate]);
  const { data: latest } = useDocument(id ?? "new");
  useOtherTabUpdates(id ?? "new");
  useEffect(() => {
    document.title = `${latest ? titleText(latest.title) : "New document"} – Commonplace`;
  }, [latest]);
  const { beginning, template, ...waiting } = useInitialText(query);
  if (!isRead) return <LoadingScreen />;
  const given: EditStart | undefined = beginning && {
    ...beginning,
    base: undefined,
    from,
    folder: query.get("folder"),
    writer: isHeld ? undefined : writer,
  };
  const start = draft ? editStartOfDraft(draft) : given;
  if (!start) return <LoadingTemplate template={template} {...waiting} />;
  return (
    <div className={styles.page}>
      <EditView
        owner={owner}
        start={start}
        latest={latest}
        onCreate={(created, then) => {
          const path = `/documents/${created.id}`;
          if (then === "read") return navigate(path, { replace: true });
          // Keeps this editor open.
          const state = { opened: "/documents/new", begun: writer };
          navigate(`${path}?edit`, { replace: true, state });
        }}
        onLeave={() => navigate(id ? `/documents/${id}` : "/documents", { replace: id !== undefined })}
      />
    </div>
  );
}
