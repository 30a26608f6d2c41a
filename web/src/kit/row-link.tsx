import type { MouseEvent, ReactNode } from "react";

/** A click that means another tab: the browser follows the link itself, and the row does not hear of it. */
const isForTheBrowser = ({ button, ctrlKey, metaKey }: MouseEvent) => button !== 0 || ctrlKey || metaKey;

const keepFromRow = (event: MouseEvent) => isForTheBrowser(event) && event.stopPropagation();

const leaveToRow = (event: MouseEvent) =>
  isForTheBrowser(event) ? event.stopPropagation() : event.preventDefault();

type Props = { href: string; className: string | undefined; children: ReactNode };

/** The link of a row, for the mouse and its menu. A plain click, like Enter, is the row's: it opens, or selects. */
export const RowLink = ({ href, className, children }: Props) => (
  <a
    href={href}
    tabIndex={-1}
    draggable={false}
    dir="auto"
    className={className}
    onPointerDown={keepFromRow}
    onMouseDown={keepFromRow}
    onClick={leaveToRow}
  >
    {children}
  </a>
);
