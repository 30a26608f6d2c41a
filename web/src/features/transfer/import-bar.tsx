import { useEffect } from "react";
import { useLocation } from "wouter";
import { useMe } from "../../state/queries.ts";
import styles from "./import-bar.module.css";
import { resumeImport, shareText, useImportStatus } from "./import-status.ts";

const TRANSFER_PATH = "/settings/transfer";

/** Resumes a stored import, and shows its progress on every screen. */
export default function ImportBar() {
  const me = useMe();
  const [path, navigate] = useLocation();
  const { job, waiting } = useImportStatus();
  useEffect(() => {
    if (me) void resumeImport();
  }, [me]);
  if (!job || job.state === "done" || path === TRANSFER_PATH) return null;
  const text = `${job.state === "stopped" ? "Import stopped" : "Importing"}: ${shareText(job)}`;
  return (
    <aside className={styles.bar} aria-label="Import">
      <progress max={job.total} value={job.done} aria-label="Import" />
      <span>{waiting ? `${text} – ${waiting}` : text}</span>
      <a
        href={TRANSFER_PATH}
        onClick={(event) => {
          event.preventDefault();
          navigate(TRANSFER_PATH);
        }}
      >
        Show
      </a>
    </aside>
  );
}
