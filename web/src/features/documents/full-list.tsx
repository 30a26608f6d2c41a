import type { ComponentProps, ReactNode } from "react";
import type { DocumentListItem } from "../../api/documents.ts";
import { DropArea } from "./drop-area.tsx";
import type { DocumentRows } from "./list.tsx";
import { PeekedRows } from "./peeked-rows.tsx";

type Props = Omit<ComponentProps<typeof DropArea>, "children"> & {
  rows: ComponentProps<typeof DocumentRows<DocumentListItem>>;
  /** A new place gets a new list. */
  place: string;
  /** Shown when there are no rows. */
  empty: ReactNode;
};

/** The documents of a place. Dropped files become documents. */
export default function FullList({ rows, place, empty, ...drop }: Props) {
  return (
    <DropArea {...drop}>{rows.items.length > 0 ? <PeekedRows key={place} {...rows} /> : empty}</DropArea>
  );
}
