import type { ReactNode } from "react";
import styles from "./rows.module.css";

/** A list of items, each with a line of facts and buttons. */
export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={styles.rows} aria-label={label}>
    {children}
  </ul>
);

type RowProps = { title: ReactNode; facts: ReactNode; actions?: ReactNode };

export const Row = ({ title, facts, actions }: RowProps) => (
  <li className={styles.row}>
    <div>
      <p className={styles.title}>{title}</p>
      <p className={styles.facts}>{facts}</p>
    </div>
    {actions && <div className="button-row">{actions}</div>}
  </li>
);
