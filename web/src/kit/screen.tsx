import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { ChevronLeft } from "./icons.tsx";
import styles from "./screen.module.css";

/** What the bar of a phone has no room for is behind Settings. */
export const TO_SETTINGS = { href: "/settings", name: "Settings" };

type Props = {
  title: string;
  /** Instead of the title, what shows it and lets it be changed. */
  heading?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** Says in a line what the screen shows now. */
  lead?: ReactNode;
  /** Where it is one step further in, on a phone, which has no room for a sidebar. */
  back?: { href: string; name: string };
  children: ReactNode;
};

/** A screen: its title names the tab too. */
export function Screen({ title, heading, actions, lead, back, children }: Props) {
  useEffect(() => {
    document.title = `${title} – Commonplace`;
  }, [title]);
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <div>
          {back && (
            <Link href={back.href} className={styles.back}>
              <ChevronLeft aria-hidden="true" size="1rem" /> {back.name}
            </Link>
          )}
          {heading ?? (
            <h1 tabIndex={-1} dir="auto">
              {title}
            </h1>
          )}
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
