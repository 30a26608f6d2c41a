import { useMemo } from "react";
import { Link } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import { Pencil } from "../../kit/icons.tsx";
import { titleText } from "../../kit/title-text.ts";
import { addressOfDraft, type Kept, useKeptDrafts, useTextsWait } from "../../state/document-drafts.ts";
import { useMe } from "../../state/queries.ts";
import styles from "./unsent.module.css";

/** What was written in this browser and waits for the service or for a decision, the newest first; not what is sent in a moment. */
export function useUnsent(): readonly Kept[] {
  const me = useMe();
  const waits = useTextsWait();
  const drafts = useKeptDrafts(me?.id);
  return useMemo(
    () => drafts.filter(({ title, text, refused }) => (waits || refused) && `${title}${text}`.trim() !== ""),
    [waits, drafts],
  );
}

/** A document of a list, and the text of it that waits. */
export type Shown = DocumentListItem & { unsent?: Kept };

const firstWords = (text: string) => titleText(text.trim().slice(0, 200));

/** Documents with the titles and first words that wait. What was refused is not shown as if it were there. */
export function withUnsent(items: DocumentListItem[], unsent: readonly Kept[]): Shown[] {
  const drafts = new Map(unsent.toReversed().map((draft) => [draft.place.id, draft]));
  return items.map((item) => {
    const draft = drafts.get(item.id);
    if (!draft) return item;
    if (draft.refused) return { ...item, unsent: draft };
    const title = draft.title.trim() || item.title;
    return { ...item, title, excerpt: firstWords(draft.text), unsent: draft };
  });
}

export const NotSent = ({ unsent: { refused } }: { unsent: Kept }) => (
  <span className={styles.state}>{refused ? "needs you" : "not sent yet"}</span>
);

/** Those texts that wait and have no row of their own, each a link; nothing if there are none. */
export function Unsent({ unsent }: { unsent: readonly Kept[] }) {
  if (unsent.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Not sent yet">
      {unsent.map((one) => (
        <li key={`${one.place.id}:${one.place.writer}`}>
          <Link href={addressOfDraft(one.place)} className={styles.link}>
            <Pencil aria-hidden="true" size="1rem" />
            <span dir="auto">{titleText(one.title.trim()) || firstWords(one.text)}</span>
          </Link>
          <NotSent unsent={one} />
        </li>
      ))}
    </ul>
  );
}
