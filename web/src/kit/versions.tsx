import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { createIcon, RotateCcw } from "./icons.tsx";
import { Key } from "./key.tsx";
import { Moment } from "./time.tsx";
import styles from "./versions.module.css";

export type Version = {
  version: number;
  created_at: string;
  /** Who wrote it. */
  writer: string;
  /** What it changed besides the text. */
  filing?: string;
  /** It changed nothing else. */
  isFiled?: boolean | undefined;
};

type RowProps = {
  version: Version;
  isCurrent: boolean;
  one: number;
  other: number;
  setOne: (version: number) => void;
  setOther: (version: number) => void;
};

const Row = ({ version, isCurrent, one, other, setOne, setOther }: RowProps) => (
  <li className={styles.row} data-chosen={version.version === one || version.version === other || undefined}>
    <span className={styles.choices}>
      <input
        type="radio"
        name="from"
        aria-label={`Compare version ${version.version}`}
        checked={version.version === one}
        onChange={() => setOne(version.version)}
      />
      <input
        type="radio"
        name="to"
        aria-label={`with version ${version.version}`}
        checked={version.version === other}
        onChange={() => setOther(version.version)}
      />
    </span>
    <span>
      <strong>
        {version.version}
        {isCurrent && ", current"}
      </strong>
      <span className={styles.quiet}>
        {version.writer}, <Moment at={version.created_at} />
      </span>
      {version.filing && (
        <span className={styles.filing} dir="auto">
          {version.filing}
        </span>
      )}
    </span>
  </li>
);

type Props = {
  /** Newest first. */
  versions: readonly Version[];
  current: number;
  /** Remounted after a restore: focuses the Restore button. */
  isRestored?: boolean;
  onRestore: (version: number) => void;
  onLeave: () => void;
  /** Renders the difference between two versions. */
  compare: (older: number, newer: number) => ReactNode;
};

const ArrowLeft = createIcon("M12 19l-7-7 7-7M19 12H5");

/** On small screens, older versions are shown on request, so that the comparison below is not far away. */
const FIRST_ROWS = 5;

/** Of moves and tags in a row, only the newest are listed at first. */
const MAX_FILED = 3;

function withoutMostFiled(versions: readonly Version[]): readonly Version[] {
  let run = 0;
  return versions.filter(({ isFiled }) => {
    run = isFiled ? run + 1 : 0;
    return run <= MAX_FILED;
  });
}

/** The versions of a document or record, to compare any two of them and restore one. */
export function Versions({ versions: all, current, isRestored = false, onRestore, onLeave, compare }: Props) {
  // An edit session leaves gaps between the numbers.
  const [one, setOne] = useState(() => all.find(({ version }) => version < current)?.version ?? 0);
  const [other, setOther] = useState(current);
  const most = withoutMostFiled(all);
  /** The place of the first row that was shown on request. */
  const [added, setAdded] = useState<number>();
  const isWhole = added !== undefined;
  const versions = isWhole ? all : most;
  const hidden = all.length - versions.length;
  const list = useRef<HTMLOListElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (added !== undefined) list.current?.children[added]?.querySelector("input")?.focus();
  }, [added]);
  const [older, newer] = [Math.min(one, other), Math.max(one, other)];
  return (
    <div className={styles.versions}>
      <div className={styles.chooser}>
        <div className="button-row">
          <Button onPress={onLeave}>
            <ArrowLeft size="1rem" /> Back <Key>Esc</Key>
          </Button>
          {older > 0 && older < current && (
            <Button autoFocus={isRestored} onPress={() => onRestore(older)}>
              <RotateCcw size="1rem" /> Restore version {older}
            </Button>
          )}
        </div>
        <fieldset className={styles.list} data-short={!isWhole || undefined}>
          <legend className="visually-hidden">Choose two versions</legend>
          <p className={styles.heads} aria-hidden="true">
            <span>From</span>
            <span>To</span>
          </p>
          <ol ref={list}>
            {versions.map((version) => (
              <Row
                key={version.version}
                version={version}
                isCurrent={version.version === current}
                one={one}
                other={other}
                setOne={setOne}
                setOther={setOther}
              />
            ))}
          </ol>
          {hidden > 0 && (
            <Button kind="quiet" onPress={() => setAdded(all.findIndex((one) => !most.includes(one)))}>
              Show {hidden} more {hidden === 1 ? "move or tag" : "moves and tags"}
            </Button>
          )}
        </fieldset>
        {!isWhole && all.length > FIRST_ROWS && (
          <div className={styles.more}>
            <Button kind="quiet" onPress={() => setAdded(FIRST_ROWS)}>
              Show all {all.length} versions
            </Button>
          </div>
        )}
      </div>
      <section className={styles.comparison} aria-live="polite" aria-label="What changed">
        {one !== other && older > 0 ? (
          <>
            <h2>
              From version {older} to {newer}
            </h2>
            {compare(older, newer)}
          </>
        ) : (
          <p className={styles.quiet}>
            {current === 1
              ? "This is the only version so far. The next change creates another one."
              : "Choose two versions to see what changed between them."}
          </p>
        )}
      </section>
    </div>
  );
}
