import type { ReactNode } from "react";
import { ChevronRight } from "../../kit/icons.tsx";
import { formatCount } from "../../kit/text.ts";
import styles from "./transfer.module.css";

const MAX_LINES = 200;

export type CountedLine = string | { where: string; why: string };

const LineText = ({ line }: { line: CountedLine }) =>
  typeof line === "string" ? (
    line
  ) : (
    <>
      <span className={styles.where}>{line.where}:</span> {line.why}
    </>
  );

type CountedProps = {
  text: ReactNode;
  /** The items that are counted, in a disclosure. */
  lines?: readonly CountedLine[];
  /** The number of lines by default. */
  count?: number;
  kind?: "plain" | "refused" | "quiet";
  /** Initially expanded. */
  isOpen?: boolean;
};

/** A count, what it counts, and the list of items. Renders nothing for 0. */
export function CountedList(props: CountedProps) {
  const { text, lines = [], count = lines.length, kind = "plain", isOpen = false } = props;
  if (count === 0) return null;
  const head = (
    <>
      <span className={styles.number}>{formatCount(count)}</span>
      <span>{text}</span>
    </>
  );
  if (lines.length === 0) return <li className={`${styles.counted} ${styles[kind]}`}>{head}</li>;
  const more = lines.length - MAX_LINES;
  return (
    <li className={styles[kind]}>
      <details open={isOpen}>
        <summary className={styles.counted}>
          {head}
          <ChevronRight />
        </summary>
        <ul className={styles.lines}>
          {lines.slice(0, MAX_LINES).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places, and may be equal
            <li key={index}>
              <LineText line={line} />
            </li>
          ))}
          {more > 0 && <li>… and {formatCount(more)} more</li>}
        </ul>
      </details>
    </li>
  );
}

/** "document" for 1, "documents" otherwise. */
export const pluralize = (count: number, one: string, many = `${one}s`) => (count === 1 ? one : many);

/** "1 document", "2 documents". */
export const countText = (count: number, one: string, many?: string) =>
  `${formatCount(count)} ${pluralize(count, one, many)}`;
