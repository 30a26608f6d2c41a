import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Insertion } from "../files/reference.ts";
import { applyTextChanges, type TextChange } from "../files/reference.ts";
import styles from "./editor.module.css";
import { enterChange } from "./enter-key.ts";
import type { ScrollPosition } from "./resume-point.ts";
import { takeTransferredFiles } from "./transferred-files.ts";

/** Where an editor opens: its cursor (undefined without focus) and its scroll position. */
export type InitialPosition = {
  cursor: number | undefined;
  /** Where the text that is selected before the cursor begins. */
  selectionStart?: number | undefined;
  scrollPosition: ScrollPosition | undefined;
};

/** Access to the text of an editor or of the plain field. */
export type TextHandle = {
  /** Inserts lines before the text and puts the cursor behind them. */
  enter: (lines: string) => void;
  /** Shows a text with merged changes; the cursor keeps its place. */
  show: (text: string) => void;
  scrollPosition: () => ScrollPosition | undefined;
  cursor: () => number;
  /** Focuses the text at the previous cursor. */
  focus: () => void;
  /** Inserts at an offset, by default at the cursor. */
  insert: (put: (text: string, at: number) => Insertion, at?: number) => void;
  /** Applies changes that are computed from the text. Returns whether there are any. */
  edit: (changesOf: (text: string) => TextChange[]) => boolean;
};

const prependLines = (lines: string, text: string): string =>
  lines && text ? `${lines}\n${text}` : lines + text;

type Props = {
  isMarkdown: boolean;
  text: () => string;
  /** Updated on every change, for the editor that takes over. */
  beginning: RefObject<InitialPosition>;
  onReady: (handle: TextHandle) => void;
  onChange: (text: string) => void;
  onLeave: () => void;
  onFiles: (files: File[]) => void;
};

/** Sets the initial cursor. A field that gets the focus puts its cursor at the start and fires an event. */
function useBeginning(beginning: RefObject<InitialPosition>): RefObject<HTMLTextAreaElement | null> {
  const first = useRef(beginning.current);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { cursor, selectionStart } = first.current;
    if (cursor === undefined) return;
    field.current?.setSelectionRange(selectionStart ?? cursor, cursor);
    beginning.current = first.current;
  }, [beginning]);
  return field;
}

type Callbacks = { follow: (field: HTMLTextAreaElement) => void; onChange: (text: string) => void };

function handleOf(
  field: HTMLTextAreaElement,
  beginning: RefObject<InitialPosition>,
  { follow, onChange }: Callbacks,
): TextHandle {
  const write = (text: string) => {
    field.value = text;
    follow(field);
    onChange(text);
  };
  return {
    enter: (lines) => {
      field.focus();
      if (lines) write(prependLines(lines, field.value));
      field.setSelectionRange(lines.length, lines.length);
      follow(field);
    },
    show: (text) => {
      const { selectionStart, selectionEnd } = field;
      field.value = text;
      field.setSelectionRange(selectionStart, selectionEnd);
      follow(field);
    },
    scrollPosition: () => beginning.current.scrollPosition,
    cursor: () => field.selectionStart,
    focus: () => field.focus(),
    insert: (put, at = field.selectionStart) => {
      const { cursor, ...change } = put(field.value, at);
      write(applyTextChanges(field.value, [change]));
      field.setSelectionRange(cursor, cursor);
      follow(field);
    },
    edit: (changesOf) => {
      const changes = changesOf(field.value);
      if (changes.length > 0) write(applyTextChanges(field.value, changes));
      return changes.length > 0;
    },
  };
}

/** Handles Enter by its input event, because phones send no key event for it. */
function handleEnter(
  event: InputEvent,
  { selectionStart, selectionEnd }: HTMLTextAreaElement,
  handle: TextHandle,
): void {
  if (event.inputType !== "insertLineBreak" || !event.cancelable || selectionStart !== selectionEnd) return;
  event.preventDefault();
  handle.insert(enterChange);
}

/** A plain field until the editor is loaded, so that the user can type immediately. */
export function PlainEditor({ isMarkdown, text, beginning, onReady, onChange, onLeave, onFiles }: Props) {
  const follow = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const seen = value === text() ? beginning.current.scrollPosition : undefined;
    beginning.current = { cursor: selectionStart, scrollPosition: seen };
  };
  const fieldRef = useBeginning(beginning);
  const ready = (field: HTMLTextAreaElement | null) => {
    fieldRef.current = field;
    if (!field) return;
    const handle = handleOf(field, beginning, { follow, onChange });
    // React's onBeforeInput is a different event.
    if (isMarkdown) field.onbeforeinput = (event) => handleEnter(event, field, handle);
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
      defaultValue={text()}
      onFocus={({ currentTarget }) => follow(currentTarget)}
      onSelect={({ currentTarget }) => follow(currentTarget)}
      onChange={({ currentTarget }) => {
        follow(currentTarget);
        onChange(currentTarget.value);
      }}
      onPaste={(event) => takeTransferredFiles(event, event.clipboardData, onFiles)}
      onBlur={({ relatedTarget }) => {
        // Without a target, the editor has replaced the field.
        if (relatedTarget) beginning.current = { ...beginning.current, cursor: undefined };
      }}
      onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onLeave()}
    />
  );
}
