import type { ComponentProps, ReactNode } from "react";
import type { DocumentListItem } from "../../api/documents.ts";
import { DropArea } from "./drop-area.tsx";
import type { DocumentRows } from "./list.tsx";
import { PeekedRows } from "./peeked-rows.tsx";

type Props = Omit<ComponentProps<typeof DropArea>, "children"> & {
  rows: ComponentProps<typeof DocumentRows<DocumentListItem>>;
  /** Another place has a list of its own. */
  place: string;
  /** What is said when there are no rows. */
  empty: ReactNode;
};

/** The documents of a place, onto which files can be dropped. */
export default function Rows({ rows, place, empty, ...drop }: Props) {
  return (
    <DropArea {...drop}>{rows.items.length > 0 ? <PeekedRows key={place} {...rows} /> : empty}</DropArea>
  );
}
