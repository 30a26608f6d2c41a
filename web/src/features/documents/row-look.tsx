import type { ReactNode } from "react";
import styles from "./list.module.css";

/** What a row says: when on the right of the title, and on a second line the first words and where it is. */
export type Facts = { when: ReactNode; words?: string | undefined; where?: ReactNode };

/** The two lines of a row, of which the title is the child. */
export const RowLines = ({
  facts: { when, words, where },
  children,
}: {
  facts: Facts;
  children: ReactNode;
}) => (
  <span className={styles.lines}>
    <span className={styles.line}>
      {children}
      <span className={styles.when}>{when}</span>
    </span>
    <span className={styles.line}>
      <span className={styles.words} dir="auto">
        {words}
      </span>
      <span className={styles.where}>{where}</span>
    </span>
  </span>
);
