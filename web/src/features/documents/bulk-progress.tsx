import { formatCount } from "../../kit/text.ts";
import { useBulkProgress } from "../../state/bulk-progress.ts";
import styles from "./documents.module.css";

export const BulkProgress = () => {
  const progress = useBulkProgress();
  if (!progress) return null;
  return (
    <section className={styles.upload} aria-label="Progress">
      {formatCount(progress.done)} of {formatCount(progress.total)} documents
      <progress aria-label="Changing documents" value={progress.done} max={progress.total} />
    </section>
  );
};
