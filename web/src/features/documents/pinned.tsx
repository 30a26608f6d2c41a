import { Link, useLocation } from "wouter";
import { Pin } from "../../kit/document-icons.ts";
import { titleText } from "../../kit/title-text.ts";
import { usePinned } from "../things/pinned.ts";
import styles from "./pinned.module.css";

/** Links to the pinned documents; renders nothing if there are none. */
export default function Pinned({ isAbove = false }: { isAbove?: boolean }) {
  const [path] = useLocation();
  const { data } = usePinned();
  if (!data || data.items.length === 0) return null;
  return (
    <ul className={isAbove ? styles.above : styles.list} aria-label="Pinned">
      {data.items.map(({ id, title }) => (
        <li key={id}>
          <Link
            href={`/documents/${id}`}
            className={styles.link}
            aria-current={path === `/documents/${id}` ? "page" : undefined}
          >
            <Pin aria-hidden="true" size="1rem" />
            <span dir="auto">{titleText(title)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
