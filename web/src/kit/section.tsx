import { type ReactNode, useId } from "react";
import styles from "./section.module.css";

type Props = {
  title: string;
  /** What the section is for, in a sentence. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A titled part of a screen. */
export function Section({ title, lead, actions, children }: Props) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  );
}
