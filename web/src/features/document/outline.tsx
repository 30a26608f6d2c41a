import { titleText } from "../../kit/title-text.ts";
import styles from "./document.module.css";
import type { HeadingEntry } from "./prose-headings.ts";

/** Fewer headings need no outline. */
const MIN_HEADINGS = 3;
const MAX_LEVEL = 4;

/** The headings of a text as links. */
export function Outline({ headings }: { headings: readonly HeadingEntry[] }) {
  const shown = headings.filter(({ level, isTitle }) => !isTitle && level <= MAX_LEVEL);
  if (shown.length < MIN_HEADINGS) return null;
  return (
    <nav className={styles.outline} aria-label="In this document">
      <ul>
        {shown.map(({ id, text, level }) => (
          <li key={id} data-level={level}>
            <a href={`#${id}`}>{titleText(text) || text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
