import { type Ref, useRef, useState } from "react";
import { titleText } from "../../kit/title-text.ts";
import styles from "./title.module.css";

type Props = {
  title: string;
  /** What it is called: "Title" by default. */
  label?: string;
  /** What is pressed to rename it. */
  ref?: Ref<HTMLButtonElement>;
  onRename: (title: string) => void;
};

/** The title of a document or record, which becomes a field when it is pressed. */
export function Title({ title, label = "Title", ref, onRename }: Props) {
  const [typed, setTyped] = useState<string>();
  /** What is there may be another by the time that it is typed. */
  const began = useRef(title);
  /** Whoever ends it by a key stays here. */
  const isKeyed = useRef(false);
  const finish = (next: string | undefined, byKey = false) => {
    isKeyed.current = byKey;
    setTyped(undefined);
    const name = next?.trim();
    if (name && name !== began.current) onRename(name);
  };
  if (typed === undefined) {
    return (
      <h1 className={styles.title} tabIndex={-1}>
        <button
          ref={ref}
          type="button"
          dir="auto"
          title="Rename"
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the field
          autoFocus={isKeyed.current}
          onClick={() => {
            began.current = title;
            isKeyed.current = false;
            setTyped(title);
          }}
        >
          {titleText(title)}
        </button>
      </h1>
    );
  }
  return (
    <h1 className={styles.title}>
      <textarea
        className={styles.titleField}
        dir="auto"
        aria-label={label}
        rows={1}
        maxLength={500}
        // biome-ignore lint/a11y/noAutofocus: it takes the place of what was pressed
        autoFocus
        value={typed}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value.replaceAll("\n", " "))}
        onBlur={({ currentTarget }) => {
          // Or else only the window was left.
          if (document.activeElement !== currentTarget) finish(typed);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key !== "Enter" && event.key !== "Escape") return;
          // It would press what gets the focus.
          event.preventDefault();
          finish(event.key === "Enter" ? typed : undefined, true);
        }}
      />
    </h1>
  );
}
