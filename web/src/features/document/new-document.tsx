import { useEffect, useMemo, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { isApiError } from "../../api/request.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { useTimezone } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { type Kept, useDocumentDraft } from "../../state/document-drafts.ts";
import { beginningOf } from "../templates/beginning.ts";
import { useDocument, useNews } from "./data.ts";
import styles from "./document.module.css";
import { EditView } from "./editing.tsx";
import { Missing } from "./missing.tsx";
import type { Start } from "./start.ts";

const draftStart = ({ title, text, at, creation, sent, like, from, place }: Kept) => ({
  ...{ title, text, keptAt: at, creation, sent, like, from, kind: like?.kind ?? "markdown" },
  writer: place.writer,
});

/** What an address gives for a beginning: the text of a template, or its own words. */
function useBeginning(given: URLSearchParams) {
  const template = given.get("template");
  const timezone = useTimezone();
  const { data, error, refetch } = useDocument(template ?? "new");
  const beginning = useMemo(() => data && beginningOf(data, timezone), [data, timezone]);
  if (template === null) {
    const [title, text] = [given.get("title") ?? "", given.get("text") ?? ""];
    return { template, beginning: { title, text, kind: "markdown" as const } };
  }
  if (!beginning) return { template, error, refetch };
  const { title, text, ...like } = beginning;
  return { template, beginning: { title, text, kind: like.kind, like } };
}

/** The address that names who writes here, by which it is found after a reload; undefined if it does already. */
function addressWith(search: string, writer: string): string | undefined {
  const query = new URLSearchParams(search);
  if (query.get("draft") === writer) return undefined;
  query.set("draft", writer);
  return `/documents/new?${query}`;
}

type Wanting = Pick<ReturnType<typeof useBeginning>, "template" | "error" | "refetch">;

/** The template is not there yet. */
function Waiting({ template, error, refetch }: Wanting) {
  if (template && isApiError(error, 404, 422)) return <Missing id={template} />;
  return error && refetch ? <Problem problem={error} retry={refetch} /> : <Loading />;
}

type Props = {
  owner: string;
  /** Who writes it. */
  writer: string;
  /** The document that it has become. */
  id: string | undefined;
  /** The state of the address that it gets, with which it stays as it is. */
  kept: Record<string, string>;
};

/**
 * A document that does not exist until it is saved, and then is written on in the same place. `?folder=`, `?title=` and
 * `?text=` give its beginning, or `?template=` does.
 */
export function NewDocument({ owner, writer, id, kept }: Props) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [from] = useState(search);
  const given = new URLSearchParams(from);
  const { isRead, draft, isHeld } = useDocumentDraft(owner, "new", writer);
  const address = id ? undefined : addressWith(search, writer);
  useEffect(() => {
    if (address) navigate(address, { replace: true });
  }, [address, navigate]);
  const { data: latest } = useDocument(id ?? "new");
  useNews(id ?? "new");
  useEffect(() => {
    document.title = `${latest ? titleText(latest.title) : "New document"} – Commonplace`;
  }, [latest]);
  const { beginning, template, ...waiting } = useBeginning(given);
  if (!isRead) return <Loading />;
  const written = draft
    ? draftStart(draft)
    : beginning && { ...beginning, from, writer: isHeld ? undefined : writer };
  if (!written) return <Waiting template={template} {...waiting} />;
  const folder = new URLSearchParams(written.from).get("folder");
  const start: Start = { base: undefined, folder, ...written };
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
