import { Button } from "../../kit/button.tsx";
import styles from "./documents.module.css";
import type { UploadState } from "./upload.ts";

type StateProps = { upload: UploadState; onRetry: (files: File[]) => void; onDismiss: () => void };

/** Progress of the upload, and the files that failed. */
export default ({ upload, onRetry, onDismiss }: StateProps) => (
  <section className={styles.upload} aria-label="Files">
    {upload.isRunning && (
      <div>
        {upload.done} of {upload.total} files
        <progress aria-label="Creating documents" value={upload.done} max={upload.total} />
      </div>
    )}
    {upload.failed.length > 0 && (
      <div role="alert">
        <p>{upload.failed.length === 1 ? "One file was" : `${upload.failed.length} files were`} not added:</p>
        <ul>
          {upload.failed.map(({ file, why }) => (
            <li key={`${file.name}:${file.size}:${file.lastModified}`}>
              <strong>{file.name}</strong>: {why}
            </li>
          ))}
        </ul>
        {!upload.isRunning && (
          <div className={styles.end}>
            <Button onPress={() => onRetry(upload.failed.map(({ file }) => file))}>Try again</Button>
            <Button onPress={onDismiss}>Dismiss</Button>
          </div>
        )}
      </div>
    )}
  </section>
);
