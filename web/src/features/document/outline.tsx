import { type RefObject, useEffect, useState } from "react";
import { titleText } from "../../kit/title-text.ts";
import styles from "./document.module.css";

type Heading = { id: string; text: string; level: number };

/** With fewer headings than this, an outline does not help. */
const WORTH_IT = 3;

/** A heading without its pictures, which are links, and the HTML that is shown in the text. */
function wordsOf(heading: HTMLElement): string {
  const copy = heading.cloneNode(true) as HTMLElement;
  for (const picture of copy.querySelectorAll("[data-picture]")) picture.remove();
  return titleText(copy.textContent ?? "") || (heading.textContent ?? "");
}

const headingsIn = (article: HTMLElement): Heading[] =>
  [...article.querySelectorAll<HTMLElement>(":is(h2, h3, h4)[id]")].map((heading) => ({
    id: heading.id,
    text: wordsOf(heading),
    level: Number(heading.tagName[1]),
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
