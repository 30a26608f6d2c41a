import type { ReactNode } from "react";
import { type DropItem, DropZone } from "react-aria-components";
import styles from "./documents.module.css";
import { DRAGGED_DOCUMENT } from "./dragged.ts";

type Props = { onFiles: (files: File[]) => void; onFolder: () => void; children: ReactNode };

export function DropArea({ onFiles, onFolder, children }: Props) {
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
      {children}
    </DropZone>
  );
}
