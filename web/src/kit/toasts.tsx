import {
  dismissToast,
  hasToast,
  type Toast,
  undoToast,
  useToastEntries,
  type VisibleToast,
} from "../state/toasts.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Key } from "./key.tsx";
import styles from "./toasts.module.css";

type LineProps = { entry: VisibleToast; isLatest: boolean };

type StepProps = { step: NonNullable<Toast["step"]>; onPress: () => void };

const Step = ({ step, onPress }: StepProps) => (
  <Button
    kind="quiet"
    onPress={() => {
      onPress();
      step.run();
    }}
  >
    {step.name}
  </Button>
);

const Line = ({ entry, isLatest }: LineProps) => (
  <li className={`${styles.toast} ${styles[entry.told.kind ?? "done"]}`}>
    <span>{entry.told.text}</span>
    {entry.told.open && (
      <ButtonLink kind="quiet" href={entry.told.open} onPress={() => dismissToast(entry.id)}>
        Show
      </ButtonLink>
    )}
    {entry.told.step && <Step step={entry.told.step} onPress={() => dismissToast(entry.id)} />}
    {entry.told.undo && (
      <Button kind="quiet" onPress={() => undoToast(entry)}>
        Undo {isLatest && <Key>u</Key>}
      </Button>
    )}
    <Button kind="quiet" aria-label="Dismiss" onPress={() => dismissToast(entry.id)}>
      ✕
    </Button>
  </li>
);

/** Rendered once, in the layout. */
export function Toasts() {
  const all = useToastEntries();
  return (
    <div role="status">
      <ul className={styles.toasts} data-toasts aria-label="Notifications">
        {all.filter(hasToast).map((entry) => (
          <Line key={entry.id} entry={entry} isLatest={entry === all.at(-1)} />
        ))}
      </ul>
    </div>
  );
}
