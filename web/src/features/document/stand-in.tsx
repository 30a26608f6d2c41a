import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Put } from "../files/put.ts";
import { type Change, changed } from "../files/reference.ts";
import type { Seen } from "./begin-at.ts";
import styles from "./editor.module.css";
import { takeFiles } from "./files-in.ts";

/** What the editor begins with: a text, where the cursor is if it is in there, and what is to be seen of it. */
export type Beginning = { text: string; cursor: number | undefined; seen: Seen | undefined };

export type Handle = {
  /** Puts lines in front of the text, and the cursor behind them. */
  enter: (lines: string) => void;
  /** Shows a text in which somebody else's changes are; the cursor stays at its place. */
  show: (text: string) => void;
  /** What somebody sees of the text. */
  seen: () => Seen | undefined;
  cursor: () => number;
  /** Goes back into the text, where the cursor was. */
  focus: () => void;
  /** Puts something in where the cursor is, or at a place. */
  insert: (put: (text: string, at: number) => Put, at?: number) => void;
  /** Changes what changes are found for. Returns whether there are any. */
  edit: (changesOf: (text: string) => Change[]) => boolean;
};

/** Lines and the text that they are put in front of. */
const inFront = (lines: string, text: string): string => (lines && text ? `${lines}\n${text}` : lines + text);

type Props = {
  /** Is kept up to date. */
  beginning: RefObject<Beginning>;
  onReady: (handle: Handle) => void;
  onChange: (text: string) => void;
  onLeave: () => void;
  onFiles: (files: File[]) => void;
};

/** Puts the cursor where it begins: a field that gets the focus has it at its beginning, and says so. */
function useBeginning(beginning: RefObject<Beginning>): RefObject<HTMLTextAreaElement | null> {
  const first = useRef(beginning.current);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { cursor } = first.current;
    if (cursor === undefined) return;
    field.current?.setSelectionRange(cursor, cursor);
    beginning.current = first.current;
  }, [beginning]);
  return field;
}

/** A plain field in the place of the editor until that is loaded: whoever goes on writing is not to wait for it. */
export function StandIn({ beginning, onReady, onChange, onLeave, onFiles }: Props) {
  const follow = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const isSame = value === beginning.current.text;
    const seen = isSame ? beginning.current.seen : undefined;
    beginning.current = { text: value, cursor: selectionStart, seen };
  };
  const shown = useBeginning(beginning);
  const ready = (field: HTMLTextAreaElement | null) => {
    shown.current = field;
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
      seen: () => beginning.current.seen,
      cursor: () => field.selectionStart,
      focus: () => field.focus(),
      insert: (put) => {
        const { cursor, ...change } = put(field.value, field.selectionStart);
        field.value = changed(field.value, [change]);
        field.setSelectionRange(cursor, cursor);
        follow(field);
        onChange(field.value);
      },
      edit: (changesOf) => {
        const changes = changesOf(field.value);
        if (changes.length === 0) return false;
        field.value = changed(field.value, changes);
        follow(field);
        onChange(field.value);
        return true;
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
      onPaste={(event) => takeFiles(event, event.clipboardData, onFiles)}
      onBlur={({ relatedTarget }) => {
        // Without a target it is the editor that has come.
        if (relatedTarget) beginning.current = { ...beginning.current, cursor: undefined };
      }}
      onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onLeave()}
    />
  );
}
