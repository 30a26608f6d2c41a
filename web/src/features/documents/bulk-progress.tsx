import { ProgressBar } from "react-aria-components";
import { formatCount } from "../../kit/text.ts";
import { useBulkProgress } from "../../state/bulk-progress.ts";
import styles from "./documents.module.css";

export const BulkProgress = () => {
  const progress = useBulkProgress();
  if (!progress) return null;
  return (
    <section className={styles.upload} aria-label="Progress">
      <ProgressBar aria-label="Changing documents" value={progress.done} maxValue={progress.total}>
        {({ percentage }) => (
          <>
            <span>
              {formatCount(progress.done)} of {formatCount(progress.total)} documents
            </span>
            <div className={styles.track}>
              <div style={{ width: `${percentage}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
    </section>
  );
};
