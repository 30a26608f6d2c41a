import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { ChevronLeft } from "./icons.tsx";
import styles from "./screen.module.css";
import { Loading } from "./states.tsx";

/** On phones, screens that do not fit in the bar are reached through Settings. */
export const BACK_TO_SETTINGS = { href: "/settings", name: "Settings" };

type Props = {
  title: string;
  /** Replaces the heading, for example with an editable title. */
  heading?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** One line about what the screen shows. */
  lead?: ReactNode;
  /** The parent screen, linked on phones, which have no sidebar. */
  back?: { href: string; name: string };
  children: ReactNode;
};

/** The title of the shown screen, which takes the focus of what has disappeared. */
export const screenTitle = () => document.querySelector<HTMLElement>("#main h1");

/** A screen. Its title is also the title of the tab. */
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
              <ChevronLeft size="1rem" /> {back.name}
            </Link>
          )}
          {heading ?? (
            <h1 tabIndex={-1} dir="auto">
              {title}
            </h1>
          )}
        </div>
        {lead && <p className={styles.lead}>{lead}</p>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A screen whose title is not known yet. */
export const LoadingScreen = () => (
  <div className={styles.screen}>
    <Loading />
  </div>
);
