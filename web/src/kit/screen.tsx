import { type ReactNode, useEffect } from "react";
import styles from "./screen.module.css";

type Props = {
  title: string;
  /** Beside the title. */
  actions?: ReactNode;
  /** Says in a line what the screen shows now. */
  lead?: ReactNode;
  children: ReactNode;
};

/** A screen: its title names the tab too. */
export function Screen({ title, actions, lead, children }: Props) {
  useEffect(() => {
    document.title = `${title} – Commonplace`;
  }, [title]);
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1} dir="auto">
            {title}
          </h1>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
