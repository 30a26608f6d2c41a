import { type Ref, useRef, useState } from "react";
import { titleText } from "../../kit/title-text.ts";
import styles from "./title.module.css";
import { MAX_TITLE } from "./title-lines.ts";

type Props = {
  title: string;
  label?: string;
  /** The button that starts renaming. */
  ref?: Ref<HTMLButtonElement>;
  onRename: (title: string) => void;
};

/** The title of a document or record, which becomes a field when pressed. */
export function Title({ title, label = "Title", ref, onRename }: Props) {
  const [typed, setTyped] = useState<string>();
  /** The title when editing began; it may change while the user types. */
  const began = useRef(title);
  /** Whether the field was closed by a key: then the button gets the focus. */
  const isByKey = useRef(false);
  const finish = (next: string | undefined, byKey = false) => {
    isByKey.current = byKey;
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
          autoFocus={isByKey.current}
          onClick={() => {
            began.current = title;
            isByKey.current = false;
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
        maxLength={MAX_TITLE}
        // biome-ignore lint/a11y/noAutofocus: it takes the place of what was pressed
        autoFocus
        value={typed}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value.replaceAll("\n", " "))}
        onBlur={({ currentTarget }) => {
          // Otherwise only the window lost the focus.
          if (document.activeElement !== currentTarget) finish(typed);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key !== "Enter" && event.key !== "Escape") return;
          // The key would also press the button that gets the focus.
          event.preventDefault();
          finish(event.key === "Enter" ? typed : undefined, true);
        }}
      />
    </h1>
  );
}
