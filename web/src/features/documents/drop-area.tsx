import type { ReactNode } from "react";
import { type DropItem, DropZone, ProgressBar } from "react-aria-components";
import { Button } from "../../kit/button.tsx";
import styles from "./documents.module.css";
import { DRAGGED_DOCUMENT } from "./list.tsx";
import type { Upload } from "./upload.ts";

type Props = { onFiles: (files: File[]) => void; onFolder: () => void; children: ReactNode };

/** Takes files that are dropped onto it. */
export function DropArea({ onFiles, onFolder, children }: Props) {
  const drop = async (items: DropItem[]) => {
    if (items.some(({ kind }) => kind === "directory")) onFolder();
    const files = items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : []));
    onFiles(await Promise.all(files));
  };
  return (
    <DropZone
      aria-label="Files dropped here become documents"
      className={styles.drop ?? ""}
      getDropOperation={(types) => (types.has(DRAGGED_DOCUMENT) ? "cancel" : "copy")}
      onDrop={({ items }) => drop(items)}
    >
      {children}
    </DropZone>
  );
}

type StateProps = { upload: Upload; onRetry: (files: File[]) => void; onDismiss: () => void };

/** How far the files are, and which of them failed. */
export const UploadState = ({ upload, onRetry, onDismiss }: StateProps) => (
  <section className={styles.upload} aria-label="Files">
    {upload.isRunning && (
      <ProgressBar aria-label="Creating documents" value={upload.done} maxValue={upload.total}>
        {({ percentage }) => (
          <>
            <span>
              {upload.done} of {upload.total} files
            </span>
            <div className={styles.track}>
              <div style={{ width: `${percentage}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
    )}
    {upload.failed.length > 0 && (
      <div role="alert">
        <p>{upload.failed.length === 1 ? "One file was" : `${upload.failed.length} files were`} not taken:</p>
        <ul>
          {upload.failed.map(({ file, why }) => (
            <li key={`${file.name}:${file.size}:${file.lastModified}`}>
              <strong>{file.name}</strong>: {why}
            </li>
          ))}
        </ul>
        {!upload.isRunning && (
          <div className={styles.end}>
            <Button onPress={() => onRetry(upload.failed.map(({ file }) => file))}>Try these again</Button>
            <Button onPress={onDismiss}>Dismiss</Button>
          </div>
        )}
      </div>
    )}
  </section>
);
