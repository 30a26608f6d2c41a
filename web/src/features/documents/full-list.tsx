import { lazy, type ReactNode, Suspense, useState } from "react";
import { type DropItem, DropZone } from "react-aria-components";
import type { DocumentListItem } from "../../api/documents.ts";
import { currentUrl, saveListPosition } from "../../state/list-positions.ts";
import styles from "./documents.module.css";
import { DRAGGED_DOCUMENT } from "./dragged.ts";
import { DocumentRows, type RowsProps } from "./list.tsx";

const Peek = lazy(() => import("./peek.tsx"));

/** The rows, with the previewed document beside them. */
function PeekedRows(props: RowsProps<DocumentListItem>) {
  const [peeked, setPeeked] = useState<string>();
  const item = props.items.find(({ id }) => id === peeked);
  const close = () => {
    setPeeked(undefined);
    document.querySelector<HTMLElement>(`[role=row][data-key="${peeked}"]`)?.focus();
  };
  return (
    <div className={item ? styles.beside : undefined}>
      <DocumentRows {...props} peeked={item?.id} onPeek={setPeeked} />
      {item && (
        <Suspense>
          <Peek
            id={item.id}
            title={item.title}
            href={props.href(item)}
            onOpen={() => saveListPosition(currentUrl(), { opened: item.id })}
            onClose={close}
          />
        </Suspense>
      )}
    </div>
  );
}

type Props = {
  rows: RowsProps<DocumentListItem>;
  /** A new place gets a new list. */
  place: string;
  /** Shown when there are no rows. */
  empty: ReactNode;
  onFiles: (files: File[]) => void;
  onFolder: () => void;
};

/** The documents of a place. Dropped files become documents. */
export default function FullList({ rows, place, empty, onFiles, onFolder }: Props) {
  const drop = async (items: DropItem[]) => {
    if (items.some(({ kind }) => kind === "directory")) onFolder();
    const files = items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : []));
    onFiles(await Promise.all(files));
  };
  return (
    <DropZone
      aria-label="Drop files here to create documents"
      className={styles.drop ?? ""}
      getDropOperation={(types) => (types.has(DRAGGED_DOCUMENT) ? "cancel" : "copy")}
      onDrop={({ items }) => drop(items)}
    >
      {rows.items.length > 0 ? <PeekedRows key={place} {...rows} /> : empty}
    </DropZone>
  );
}
