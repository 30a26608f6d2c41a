import { type ComponentProps, lazy, Suspense, useState } from "react";
import type { DocumentListItem } from "../../api/documents.ts";
import { currentUrl, saveListPosition } from "../../state/list-positions.ts";
import styles from "./documents.module.css";
import { DocumentRows } from "./list.tsx";

const Peek = lazy(() => import("./peek.tsx"));

type Props = ComponentProps<typeof DocumentRows<DocumentListItem>>;

/** The rows, with the previewed document beside them. */
export function PeekedRows(props: Props) {
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
