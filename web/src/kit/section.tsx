import { createContext, type ReactNode, useContext, useId } from "react";
import styles from "./section.module.css";

const Level = createContext<"h2" | "h3">("h2");

/** Nested sections get headings one level lower. */
export const SectionsBelow = ({ children }: { children: ReactNode }) => <Level value="h3">{children}</Level>;

type Props = {
  /** The hash in the URL. */
  id?: string;
  title: string;
  /** What the section is for, in a sentence. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

export function Section({ id: anchor, title, lead, actions, children }: Props) {
  const id = useId();
  const Heading = useContext(Level);
  return (
    <section id={anchor} className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <Heading id={id}>{title}</Heading>
        {actions}
      </header>
      {lead && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  );
}
