import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import styles from "../kit/toasts.module.css";

export type Toast = {
  text: string;
  kind?: "done" | "refused";
  /** Takes back what was done. */
  undo?: () => void;
};

type Shown = Toast & { id: number };

const SHOWN_MS = 8000;
const MAX_SHOWN = 3;

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const dismiss = (id: number) => show(shown.filter((toast) => toast.id !== id));

/** Tells what happened, for eight seconds. Returns its id. */
export function toast(told: Toast): number {
  lastId += 1;
  const id = lastId;
  show([...shown.slice(1 - MAX_SHOWN), { ...told, id }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
  return id;
}

/** Takes back what the newest toast offers to take back. Returns whether there was something. */
export function undoLatest(): boolean {
  const latest = shown.findLast(({ undo }) => undo);
  if (!latest) return false;
  dismiss(latest.id);
  latest.undo?.();
  return true;
}

const Line = ({ id, text, kind = "done", undo }: Shown) => (
  <li className={`${styles.toast} ${styles[kind]}`}>
    <span>{text}</span>
    {undo && (
      <Button
        kind="quiet"
        onPress={() => {
          dismiss(id);
          undo();
        }}
      >
        Undo <kbd>u</kbd>
      </Button>
    )}
    <Button kind="quiet" aria-label="Dismiss" onPress={() => dismiss(id)}>
      ✕
    </Button>
  </li>
);

/** What happened, announced politely. Rendered once, in the layout. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown);
  return (
    <div role="status">
      <ul className={styles.toasts} aria-label="Notifications">
        {toasts.map((one) => (
          <Line key={one.id} {...one} />
        ))}
      </ul>
    </div>
  );
}
