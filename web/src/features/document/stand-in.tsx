import type { RefObject } from "react";
import styles from "./editor.module.css";
import { refusePictures } from "./pictures.ts";

/** What the editor begins with: a text, and where the cursor is if it is in there. */
export type Beginning = { text: string; cursor: number | undefined };

export type Handle = {
  /** Puts lines in front of the text, and the cursor behind them. */
  enter: (lines: string) => void;
  /** Shows a text in which somebody else's changes are; the cursor stays at its place. */
  show: (text: string) => void;
};

/** Lines and the text that they are put in front of. */
const inFront = (lines: string, text: string): string => (lines && text ? `${lines}\n${text}` : lines + text);

type Props = {
  /** Is kept up to date. */
  beginning: RefObject<Beginning>;
  onReady: (handle: Handle) => void;
  onChange: (text: string) => void;
  onLeave: () => void;
};

/** A plain field in the place of the editor until that is loaded: whoever goes on writing is not to wait for it. */
export function StandIn({ beginning, onReady, onChange, onLeave }: Props) {
  const follow = ({ value, selectionStart }: HTMLTextAreaElement) => {
    beginning.current = { text: value, cursor: selectionStart };
  };
  const ready = (field: HTMLTextAreaElement | null) => {
    if (!field) return;
    onReady({
      enter: (lines) => {
        field.value = inFront(lines, field.value);
        field.focus();
        field.setSelectionRange(lines.length, lines.length);
        follow(field);
        if (lines) onChange(field.value);
      },
      show: (text) => {
        const { selectionStart, selectionEnd } = field;
        field.value = text;
        field.setSelectionRange(selectionStart, selectionEnd);
        follow(field);
      },
    });
  };
  return (
    <textarea
      ref={ready}
      className={styles.standIn}
      aria-label="Text"
      dir="auto"
      placeholder="Write in Markdown…"
      // biome-ignore lint/a11y/noAutofocus: as the editor, whose place it takes
      autoFocus={beginning.current.cursor !== undefined}
      defaultValue={beginning.current.text}
      onFocus={({ currentTarget }) => follow(currentTarget)}
      onSelect={({ currentTarget }) => follow(currentTarget)}
      onChange={({ currentTarget }) => {
        follow(currentTarget);
        onChange(currentTarget.value);
      }}
      onPaste={(event) => refusePictures(event, event.clipboardData)}
      onBlur={({ relatedTarget }) => {
        // Without a target it is the editor that has come.
        if (relatedTarget) beginning.current = { ...beginning.current, cursor: undefined };
      }}
      onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onLeave()}
    />
  );
}
