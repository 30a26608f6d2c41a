import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Put } from "../files/put.ts";
import { type Change, changed } from "../files/reference.ts";
import type { Seen } from "./begin-at.ts";
import styles from "./editor.module.css";
import { enterAt } from "./enter-key.ts";
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
  isMarkdown: boolean;
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

type Changes = { follow: (field: HTMLTextAreaElement) => void; onChange: (text: string) => void };

function handleOf(
  field: HTMLTextAreaElement,
  beginning: RefObject<Beginning>,
  { follow, onChange }: Changes,
): Handle {
  const write = (text: string) => {
    field.value = text;
    follow(field);
    onChange(text);
  };
  return {
    enter: (lines) => {
      field.focus();
      if (lines) write(inFront(lines, field.value));
      field.setSelectionRange(lines.length, lines.length);
      follow(field);
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
    insert: (put, at = field.selectionStart) => {
      const { cursor, ...change } = put(field.value, at);
      write(changed(field.value, [change]));
      field.setSelectionRange(cursor, cursor);
      follow(field);
    },
    edit: (changesOf) => {
      const changes = changesOf(field.value);
      if (changes.length > 0) write(changed(field.value, changes));
      return changes.length > 0;
    },
  };
}

/** Enter, by what it does: phones have no key for it. */
function enterBy(
  event: InputEvent,
  { selectionStart, selectionEnd }: HTMLTextAreaElement,
  way: Handle,
): void {
  if (event.inputType !== "insertLineBreak" || !event.cancelable || selectionStart !== selectionEnd) return;
  event.preventDefault();
  way.insert(enterAt);
}

/** A plain field in the place of the editor until that is loaded: whoever goes on writing is not to wait for it. */
export function StandIn({ isMarkdown, beginning, onReady, onChange, onLeave, onFiles }: Props) {
  const follow = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const isSame = value === beginning.current.text;
    const seen = isSame ? beginning.current.seen : undefined;
    beginning.current = { text: value, cursor: selectionStart, seen };
  };
  const shown = useBeginning(beginning);
  const ready = (field: HTMLTextAreaElement | null) => {
    shown.current = field;
    if (!field) return;
    const handle = handleOf(field, beginning, { follow, onChange });
    // React's own event of this name is another one.
    if (isMarkdown) field.onbeforeinput = (event) => enterBy(event, field, handle);
    onReady(handle);
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
