import type { MouseEvent, ReactNode } from "react";

/** A click that opens another tab is left to the browser and hidden from the row. */
const opensNewTab = ({ button, ctrlKey, metaKey }: MouseEvent) => button !== 0 || ctrlKey || metaKey;

const hideNewTabClick = (event: MouseEvent) => opensNewTab(event) && event.stopPropagation();

const leaveClickToRow = (event: MouseEvent) =>
  opensNewTab(event) ? event.stopPropagation() : event.preventDefault();

type Props = { href: string; className: string | undefined; children: ReactNode };

/** The link of a row, for the context menu and modified clicks. Plain clicks are handled by the row, which opens or selects. */
export const RowLink = ({ href, className, children }: Props) => (
  <a
    href={href}
    tabIndex={-1}
    draggable={false}
    dir="auto"
    className={className}
    onPointerDown={hideNewTabClick}
    onMouseDown={hideNewTabClick}
    onClick={leaveClickToRow}
  >
    {children}
  </a>
);
