import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { Link } from "wouter";
import { KindIcon, type ThingKind } from "./kind.tsx";
import styles from "./thing-list.module.css";

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves the focus along a list's links with the arrow keys or j and k, and from the first link to the search field. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const index = links.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || index < 0 || event.metaKey || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  if (index + step < 0) document.querySelector<HTMLElement>("#main input[type=search]")?.focus();
  else links[index + step]?.focus();
}

type ListProps = { id?: string; onClick?: (event: MouseEvent) => void; children: ReactNode };

/** A list of documents and records. The arrow keys, j and k move through it. */
export const ThingList = (props: ListProps) => (
  <ol className={styles.list} onKeyDown={moveFocus} {...props} />
);

type Props = {
  href: string;
  kind: ThingKind;
  title: string;
  /** Text between the title and the facts. */
  children?: ReactNode;
  /** Spans, shown with a dot between them. */
  facts: ReactNode;
  action?: ReactNode;
  onKeyDown?: (event: KeyboardEvent) => void;
};

/** A document or a record, with a link to its screen. */
export const ThingRow = ({ href, kind, title, children, facts, action, onKeyDown }: Props) => (
  <li className={styles.item}>
    <Link href={href} className={styles.row} {...(onKeyDown && { onKeyDown })}>
      <KindIcon kind={kind} />
      <span className={styles.words}>
        <span className={styles.title} dir="auto">
          {title}
        </span>
        {children}
        <span className={styles.facts}>{facts}</span>
      </span>
    </Link>
    {action}
  </li>
);
