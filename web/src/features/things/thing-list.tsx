import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { Link } from "wouter";
import { KindIcon, type ThingKind } from "./kind.tsx";
import { moveFocus } from "./move-focus.ts";
import styles from "./thing-list.module.css";

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
  /** A button next to the link. */
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
