import { type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./properties.module.css";

type Props = {
  label: string;
  text: string;
  /** Shown until it is pressed. */
  children: ReactNode;
  /** Returns an error message for invalid input. */
  check?: (typed: string) => string | undefined;
  /** `began`: the field's text when editing began. The current value may have changed since. */
  onDone: (typed: string, began: string) => void;
};

/** Returns the focus to the button when the field was closed by a key. */
function useFocusReturn(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const isByKey = useRef(false);
  useEffect(() => {
    if (isOpen || !isByKey.current) return;
    isByKey.current = false;
    button.current?.focus();
  }, [isOpen]);
  return { button, isByKey };
}

/** A text that becomes a field when it is pressed. Enter saves, Escape cancels. */
export function InlineField({ label, text, children, check = () => undefined, onDone }: Props) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { button, isByKey } = useFocusReturn(typed !== undefined);
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
    const error = next === began.current.trim() ? undefined : check(next);
    setProblem(error);
    if (error) isByKey.current = false;
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
          // The window lost the focus, not the field.
          if (document.activeElement === currentTarget) return;
          if (check(next)) close();
          else finish(next);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || !["Enter", "Escape"].includes(event.key)) return;
          // The key would also press the button that gets the focus.
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
