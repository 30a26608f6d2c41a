import { useEffect, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { lazyComponent } from "../../kit/lazy-component.tsx";
import { useOnline } from "../../state/online.ts";
import { type PendingFile, usePendingFiles } from "../../state/pending-files.ts";
import { safeFileName } from "../files/file-facts.ts";
import { useViewerState } from "../files/viewer-state.ts";
import { formatBytes } from "../transfer/format-bytes.ts";
import { cancelFile, useUploadedCount, useUploadProgress } from "./progress.ts";
import styles from "./uploads.module.css";

const Viewer = lazyComponent(() => import("../files/viewer.tsx"));

const MIN_DURATION_MS = 600;
/** Number of files listed until the user shows all. */
const COLLAPSED_COUNT = 3;

const percent = new Intl.NumberFormat("en", { style: "percent" });

type LineProps = { file: PendingFile; share: number | undefined };

const Line = ({ file, share }: LineProps) => {
  const name = safeFileName(file.name);
  const isSending = share !== undefined;
  return (
    <li className={styles.line}>
      <progress aria-label={name} {...(share ? { value: share } : isSending ? {} : { value: 0 })} />
      <span className={styles.name}>
        <bdi>{name}</bdi> <small>{share ? percent.format(share) : isSending ? "" : "waiting"}</small>
      </span>
      <small className={styles.size}>{formatBytes(file.bytes.size)}</small>
      <Button kind="quiet" aria-label={`Cancel ${name}`} onPress={() => void cancelFile(file)}>
        Cancel
      </Button>
    </li>
  );
};

/** Whether the condition has been true for a moment. */
function useLasting(isActive: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!isActive) return setLasting(false);
    const timer = setTimeout(() => setLasting(true), MIN_DURATION_MS);
    return () => clearTimeout(timer);
  }, [isActive]);
  return isActive && isLasting;
}

/** The progress of uploads, on every screen. While offline, the offline bar shows the pending files. */
function Uploads() {
  const shares = useUploadProgress();
  // A file with an id has been uploaded, but is not finished yet.
  const files = usePendingFiles().filter(({ refused, id, key }) => !refused && (!id || shares.has(key)));
  const waiting = files.filter(({ id }) => !id);
  const arrived = useUploadedCount();
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  const isShown = useLasting(shares.size > 0 && files.length > 0 && isOnline);
  if (!isShown) return null;
  const sorted = files.toSorted((one, other) => Number(shares.has(other.key)) - Number(shares.has(one.key)));
  const total = waiting.length + arrived;
  const bytesLeft = waiting.reduce(
    (sum, file) => sum + file.bytes.size * (1 - (shares.get(file.key) ?? 0)),
    0,
  );
  return (
    <aside className={styles.bar} aria-label="Uploads">
      {total > 1 && (
        <p className={styles.head} role="status">
          {arrived} of {total} files uploaded <small>{formatBytes(Math.round(bytesLeft))} left</small>
        </p>
      )}
      <ul className={styles.lines}>
        {sorted.slice(0, isOpen ? undefined : COLLAPSED_COUNT).map((file) => (
          <Line key={file.key} file={file} share={shares.get(file.key)} />
        ))}
      </ul>
      {files.length > COLLAPSED_COUNT && (
        <Button kind="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? "Show fewer" : `Show all ${files.length}`}
        </Button>
      )}
    </aside>
  );
}

/** On every screen: the progress of uploads, and the open file. */
export default function UploadsAndViewer() {
  const viewed = useViewerState();
  return (
    <>
      <Uploads />
      {viewed && <Viewer wait={null} />}
    </>
  );
}
