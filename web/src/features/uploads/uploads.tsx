import { useEffect, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { useOnline } from "../../state/online.ts";
import { useFilesHere, type WaitingFile } from "../../state/waiting-files.ts";
import { shownName } from "../files/words.ts";
import { bytes } from "../transfer/bytes.ts";
import { cancelFile, useArrived, useShares } from "./progress.ts";
import styles from "./uploads.module.css";

/** What is done sooner is not worth a line. */
const SOON_MS = 600;
/** More are behind a button. */
const SHOWN = 3;

const percent = new Intl.NumberFormat("en", { style: "percent" });

type LineProps = { file: WaitingFile; share: number | undefined };

const Line = ({ file, share }: LineProps) => {
  const name = shownName(file.name);
  const isSending = share !== undefined;
  return (
    <li className={styles.line}>
      <progress aria-label={name} {...(share ? { value: share } : isSending ? {} : { value: 0 })} />
      <span className={styles.name}>
        <bdi>{name}</bdi> <small>{share ? percent.format(share) : isSending ? "" : "waits"}</small>
      </span>
      <small className={styles.size}>{bytes(file.bytes.size)}</small>
      <Button kind="quiet" aria-label={`Cancel ${name}`} onPress={() => void cancelFile(file)}>
        Cancel
      </Button>
    </li>
  );
};

/** Whether something has lasted for longer than a moment. */
function useLasting(isThere: boolean): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!isThere) return setLasting(false);
    const timer = setTimeout(() => setLasting(true), SOON_MS);
    return () => clearTimeout(timer);
  }, [isThere]);
  return isThere && isLasting;
}

/** How far the files are that go up, on every screen. What waits for the network is told by the bar of that. */
export function Uploads() {
  const shares = useShares();
  // With an id, one is still being finished.
  const files = useFilesHere().filter(({ refused, id, key }) => !refused && (!id || shares.has(key)));
  const waiting = files.filter(({ id }) => !id);
  const arrived = useArrived();
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  const isShown = useLasting(shares.size > 0 && files.length > 0 && isOnline);
  if (!isShown) return null;
  // Those that go up now are in front.
  const sorted = files.toSorted((one, other) => Number(shares.has(other.key)) - Number(shares.has(one.key)));
  const total = waiting.length + arrived;
  const left = waiting.reduce((sum, file) => sum + file.bytes.size * (1 - (shares.get(file.key) ?? 0)), 0);
  return (
    <aside className={styles.bar} aria-label="Uploads">
      {total > 1 && (
        <p className={styles.head} role="status">
          {arrived} of {total} files uploaded <small>{bytes(Math.round(left))} left</small>
        </p>
      )}
      <ul className={styles.lines}>
        {sorted.slice(0, isOpen ? undefined : SHOWN).map((file) => (
          <Line key={file.key} file={file} share={shares.get(file.key)} />
        ))}
      </ul>
      {files.length > SHOWN && (
        <Button kind="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? "Show fewer" : `Show all ${files.length}`}
        </Button>
      )}
    </aside>
  );
}
