import { useMemo } from "react";
import { Link } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import { Pencil } from "../../kit/icons.tsx";
import { LINE_MARKS, lineText, titleText } from "../../kit/title-text.ts";
import { draftUrl, type StoredDraft, useDraftsWait, useStoredDrafts } from "../../state/document-drafts.ts";
import { useMe } from "../../state/queries.ts";
import styles from "./unsent.module.css";

/** Drafts in this browser that wait for the server or were rejected, newest first; not those about to be sent. */
export function useUnsentDrafts(): readonly StoredDraft[] {
  const me = useMe();
  const waits = useDraftsWait();
  const drafts = useStoredDrafts(me?.id);
  return useMemo(
    () => drafts.filter(({ title, text, refused }) => (waits || refused) && `${title}${text}`.trim() !== ""),
    [waits, drafts],
  );
}

/** A document of a list, with its unsent draft. */
export type DocumentRow = DocumentListItem & { unsent?: StoredDraft };

const WIKI_LINK = /!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g;

/** The beginning of a text in one line, without marks, until the service has made its excerpt. */
const firstWords = (text: string) =>
  text
    .trim()
    .slice(0, 200)
    .split("\n")
    .map((line) => lineText(line.replace(LINE_MARKS, "").replace(WIKI_LINK, "$1")))
    .join(" ");

/** Shows the titles and excerpts of unsent drafts in their rows. A rejected draft does not replace them. */
export function withUnsentDrafts(items: DocumentListItem[], unsent: readonly StoredDraft[]): DocumentRow[] {
  const drafts = new Map(unsent.toReversed().map((draft) => [draft.place.id, draft]));
  return items.map((item) => {
    const draft = drafts.get(item.id);
    if (!draft) return item;
    if (draft.refused) return { ...item, unsent: draft };
    const title = draft.title.trim() || item.title;
    return { ...item, title, excerpt: firstWords(draft.text), unsent: draft };
  });
}

export const UnsentState = ({ unsent: { refused } }: { unsent: StoredDraft }) => (
  <span className={styles.state}>{refused ? "Needs attention" : "Not synced yet"}</span>
);

/** Links to unsent drafts without a row; renders nothing if there are none. */
export function UnsentDrafts({ unsent }: { unsent: readonly StoredDraft[] }) {
  if (unsent.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Not synced yet">
      {unsent.map((one) => (
        <li key={`${one.place.id}:${one.place.writer}`}>
          <Link href={draftUrl(one.place)} className={styles.link}>
            <Pencil aria-hidden="true" size="1rem" />
            <span dir="auto">{titleText(one.title.trim()) || firstWords(one.text)}</span>
          </Link>
          <UnsentState unsent={one} />
        </li>
      ))}
    </ul>
  );
}
