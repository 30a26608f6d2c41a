import { type RefObject, useEffect, useState } from "react";
import { titleText } from "../../kit/text.ts";
import styles from "./document.module.css";

type Heading = { id: string; text: string; level: number };

/** Fewer headings need no outline. */
const MIN_HEADINGS = 3;

/** A heading's text without its picture links and Markdown markup. */
function headingText(heading: HTMLElement): string {
  const copy = heading.cloneNode(true) as HTMLElement;
  for (const picture of copy.querySelectorAll("[data-picture]")) picture.remove();
  return titleText(copy.textContent ?? "") || (heading.textContent ?? "");
}

const headingsIn = (article: HTMLElement): Heading[] =>
  [...article.querySelectorAll<HTMLElement>(":is(h2, h3, h4)[id]")].map((heading) => ({
    id: heading.id,
    text: headingText(heading),
    level: Number(heading.tagName[1]),
  }));

/** The headings of a rendered text as links. */
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
  if (headings.length < MIN_HEADINGS) return null;
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
