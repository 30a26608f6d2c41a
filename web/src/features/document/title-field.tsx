import type { ChangeEvent, KeyboardEvent } from "react";
import styles from "./title.module.css";
import { MAX_TITLE, splitTitle } from "./title-lines.ts";

type Props = {
  title: string;
  autoFocus: boolean;
  onChange: (title: string) => void;
  /** Moves the cursor into the text and inserts these lines before it. */
  onText: (lines: string) => void;
  onLeave: () => void;
};

/** Whether the cursor is on the last line of a title, which may be wrapped. */
const isOnLastLine = (field: HTMLTextAreaElement): boolean =>
  field.selectionEnd === field.value.length ||
  field.clientHeight < 2 * Number.parseFloat(getComputedStyle(field).lineHeight);

/** Detects Enter by its input event, because phones send no key event for it. */
const isEnter = ({ nativeEvent }: ChangeEvent) =>
  ["insertLineBreak", "insertParagraph"].includes((nativeEvent as InputEvent).inputType);

/** The title in the editor. Enter and the down arrow move into the text. */
export function TitleField({ title, autoFocus, onChange: write, onText, onLeave }: Props) {
  const change = (event: ChangeEvent<HTMLTextAreaElement>) => {
    const { value } = event.target;
    if ((event.nativeEvent as InputEvent).isComposing) return write(value);
    if (isEnter(event)) {
      write(value.replaceAll("\n", ""));
      return onText("");
    }
    if (!value.includes("\n") && value.length <= MAX_TITLE) return write(value);
    const { title: line, rest } = splitTitle(value);
    write(line);
    if (rest) onText(rest);
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const isDown = event.key === "ArrowDown" && !event.shiftKey && isOnLastLine(event.currentTarget);
    if (event.key === "Escape") onLeave();
    if (event.key !== "Enter" && !isDown) return;
    event.preventDefault();
    onText("");
  };
  return (
    <textarea
      className={`${styles.titleField} ${styles.first}`}
      dir="auto"
      aria-label="Title"
      rows={1}
      enterKeyHint="next"
      // biome-ignore lint/a11y/noAutofocus: a new document begins with its title
      autoFocus={autoFocus}
      placeholder="Title"
      value={title}
      onChange={change}
      onKeyDown={press}
    />
  );
}
