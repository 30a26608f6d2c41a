import { type RefObject, useEffect, useState } from "react";
import styles from "./document.module.css";

type Heading = { id: string; text: string; level: number };

/** With fewer headings than this, an outline does not help. */
const WORTH_IT = 3;

const headingsIn = (article: HTMLElement): Heading[] =>
  [...article.querySelectorAll<HTMLElement>(":is(h2, h3, h4)[id]")].map(({ id, textContent, tagName }) => ({
    id,
    text: textContent ?? "",
    level: Number(tagName[1]),
  }));

/** The headings of a rendered text as links, once it has been rendered. */
export function Outline({ article }: { article: RefObject<HTMLElement | null> }) {
  const [headings, setHeadings] = useState<Heading[]>([]);
  useEffect(() => {
    if (!article.current) return undefined;
    const { current } = article;
    const read = () => setHeadings(headingsIn(current));
    read();
    const watcher = new MutationObserver(read);
    watcher.observe(current, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, [article]);
  if (headings.length < WORTH_IT) return null;
  return (
    <nav className={styles.outline} aria-label="In this document">
      <ul>
        {headings.map(({ id, text, level }) => (
          <li key={id} data-level={level}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
