import { dismiss, isShown, type Shown, type Toast, undo, useEntries } from "../state/toasts.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Key } from "./key.tsx";
import styles from "./toasts.module.css";

type LineProps = { entry: Shown; isLatest: boolean };

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
      <ButtonLink kind="quiet" href={entry.told.open} onPress={() => dismiss(entry.id)}>
        Show
      </ButtonLink>
    )}
    {entry.told.step && <Step step={entry.told.step} onPress={() => dismiss(entry.id)} />}
    {entry.told.undo && (
      <Button kind="quiet" onPress={() => undo(entry)}>
        Undo {isLatest && <Key>u</Key>}
      </Button>
    )}
    <Button kind="quiet" aria-label="Dismiss" onPress={() => dismiss(entry.id)}>
      ✕
    </Button>
  </li>
);

/** Rendered once, in the layout. */
export function Toasts() {
  const all = useEntries();
  return (
    <div role="status">
      <ul className={styles.toasts} aria-label="Notifications">
        {all.filter(isShown).map((entry) => (
          <Line key={entry.id} entry={entry} isLatest={entry === all.at(-1)} />
        ))}
      </ul>
    </div>
  );
}
