import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../../kit/button.tsx";
import styles from "./properties.module.css";

type Props = {
  check: (name: string) => string | undefined;
  onAdd: (name: string, typed: string) => void;
  onClose: () => void;
};

/** The fields for a new property. Enter moves from the name to the value, and then adds the property. */
export function NewPropertyRow({ check, onAdd, onClose }: Props) {
  const [name, setName] = useState("");
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const value = useRef<HTMLInputElement>(null);
  const refusal = check(name.trim());
  const add = () => {
    setProblem(refusal);
    if (!refusal) onAdd(name.trim(), typed);
  };
  const onKey = (event: KeyboardEvent, onEnter: () => void) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== "Escape" && event.key !== "Enter") return;
    // The key would also press the button that gets the focus.
    event.preventDefault();
    if (event.key === "Escape") onClose();
    else onEnter();
  };
  const more = { autoComplete: "off", autoCapitalize: "off", dir: "auto", className: styles.field } as const;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend in sight
    <div
      role="group"
      aria-label="New property"
      className={styles.new}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Leaving empty fields cancels.
        const isLeft = !currentTarget.contains(relatedTarget);
        if (isLeft && name.trim() === "" && typed.trim() === "") onClose();
      }}
    >
      <input
        {...more}
        aria-label="Name"
        aria-invalid={problem !== undefined}
        placeholder="Name"
        enterKeyHint="next"
        // biome-ignore lint/a11y/noAutofocus: the user pressed Add property
        autoFocus
        value={name}
        onChange={({ target }) => {
          setName(target.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => onKey(event, () => (refusal ? setProblem(refusal) : value.current?.focus()))}
      />
      <input
        {...more}
        ref={value}
        aria-label="Value"
        placeholder="Text, 12, true or [a, b]"
        enterKeyHint="done"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => onKey(event, add)}
      />
      <span className={styles.ends}>
        <Button onPress={add}>Add</Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </span>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}
