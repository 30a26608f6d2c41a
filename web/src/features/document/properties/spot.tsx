import { type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./properties.module.css";

type Props = {
  /** What it is called aloud. */
  label: string;
  /** What the field begins with. */
  text: string;
  /** What is shown until it is pressed. */
  children: ReactNode;
  /** Why it cannot be what was typed. */
  check?: (typed: string) => string | undefined;
  /** Gets what the field began with as well: what is there may be another by then. */
  onDone: (typed: string, began: string) => void;
};

/** The button gets the focus when the field is gone that stood in its place, if a key has ended that. */
function useWayBack(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const isByKey = useRef(false);
  useEffect(() => {
    if (isOpen || !isByKey.current) return;
    isByKey.current = false;
    button.current?.focus();
  }, [isOpen]);
  return { button, isByKey };
}

/** A text that becomes a field when it is pressed. Enter keeps what is typed, Escape what was there. */
export function Spot({ label, text, children, check = () => undefined, onDone }: Props) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { button, isByKey } = useWayBack(typed !== undefined);
  const began = useRef(text);
  const close = () => {
    setTyped(undefined);
    setProblem(undefined);
  };
  const finish = (next: string) => {
    close();
    if (next !== began.current.trim()) onDone(next, began.current);
  };
  const enter = (next: string) => {
    const refused = next === began.current.trim() ? undefined : check(next);
    setProblem(refused);
    if (refused) isByKey.current = false;
    else finish(next);
  };
  if (typed === undefined) {
    return (
      <button
        ref={button}
        type="button"
        className={styles.spot}
        title="Change"
        onClick={() => {
          began.current = text;
          setTyped(text);
        }}
      >
        <span className="visually-hidden">{label}: </span>
        {children}
      </button>
    );
  }
  const next = typed.trim();
  return (
    <>
      <input
        className={styles.field}
        dir="auto"
        aria-label={label}
        aria-invalid={problem !== undefined}
        autoComplete="off"
        autoCapitalize="off"
        enterKeyHint="done"
        // biome-ignore lint/a11y/noAutofocus: it takes the place of what was pressed
        autoFocus
        value={typed}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => {
          setTyped(target.value);
          setProblem(undefined);
        }}
        onBlur={({ currentTarget }) => {
          // Only the window was left.
          if (document.activeElement === currentTarget) return;
          if (check(next)) close();
          else finish(next);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || !["Enter", "Escape"].includes(event.key)) return;
          // It would press what gets the focus.
          event.preventDefault();
          isByKey.current = true;
          if (event.key === "Escape") close();
          else enter(next);
        }}
      />
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </>
  );
}
