import { useLayoutEffect } from "react";
import { Link } from "wouter";
import type { DocumentListItem } from "../../api/documents.ts";
import { useMedia } from "../../kit/media.ts";
import { titleText } from "../../kit/title-text.ts";
import { currentUrl, saveListPosition } from "../../state/list-positions.ts";
import { focusedRowId, rememberRow } from "./focused-row.ts";
import styles from "./list.module.css";
import type { RowsProps } from "./list.tsx";
import { listHeight, PAGE_SCROLLS, ROW_HEIGHT } from "./row-height.ts";
import { RowLines } from "./row-look.tsx";

type Props = Pick<RowsProps<DocumentListItem>, "label" | "items" | "total" | "facts" | "href">;

/** The first rows as plain links, as many as fit on screen, until the script of the list is loaded. */
export function FirstRows({ label, items, total, facts, href }: Props) {
  const isPageScrolling = useMedia(PAGE_SCROLLS);
  useLayoutEffect(() => () => rememberRow(focusedRowId()), []);
  return (
    <ul
      className={styles.list}
      aria-label={label}
      style={{ height: listHeight(isPageScrolling ? items.length : total, isPageScrolling) }}
    >
      {items.slice(0, Math.ceil(innerHeight / ROW_HEIGHT)).map((item) => (
        <li key={item.id} className={styles.first} data-key={item.id} style={{ height: ROW_HEIGHT }}>
          <div className={styles.row}>
            <span className={styles.check} />
            <RowLines facts={facts(item)}>
              <Link
                href={href(item)}
                dir="auto"
                className={styles.title}
                onClick={() => saveListPosition(currentUrl(), { opened: item.id })}
              >
                {titleText(item.title)}
              </Link>
            </RowLines>
          </div>
        </li>
      ))}
    </ul>
  );
}
