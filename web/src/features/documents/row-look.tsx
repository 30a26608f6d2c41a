import type { ReactNode } from "react";
import styles from "./list.module.css";

/** The content of a row: `when` next to the title, a line of text, and a line of facts if there are any. */
export type RowFacts = { when: ReactNode; words: string | undefined; where?: ReactNode; action?: ReactNode };

type Props = { facts: RowFacts; children: ReactNode };

/** The lines of a row; the child is the title. */
export const RowLines = ({ facts: { when, words, where }, children }: Props) => (
  <span className={styles.lines}>
    <span className={styles.line}>
      {children}
      <span className={styles.when}>{when}</span>
    </span>
    <span className={styles.words} dir="auto">
      {words}
    </span>
    {where && <span className={styles.where}>{where}</span>}
  </span>
);
