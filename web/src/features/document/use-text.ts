import { useLayoutEffect, useRef, useState } from "react";
import { takeTypedKeys } from "../../state/typing-ahead.ts";
import type { Insertion } from "../files/reference.ts";
import type { DocumentEditor } from "./document-editor.ts";
import { typedChange } from "./enter-key.ts";
import type { InitialPosition, TextHandle } from "./plain-editor.tsx";
import { resumePointOf } from "./resume-point.ts";
import type { EditStart } from "./start.ts";
import { splitTypedTitle } from "./title-lines.ts";

/** In a shorter text, which fits on the screen, the cursor starts at the end; in a longer one the page would jump. */
const FITS_ON_SCREEN = 1000;

/** The end of a line, or that of the last cell of a row of a table: what is typed behind its bar would be outside. */
function endOfLine(text: string, at: number): number {
  const start = text.slice(0, at).lastIndexOf("\n") + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  return start + (/^\s*\|/.test(line) ? line.trimEnd().replace(/\|$/, "").trimEnd() : line).length;
}

/** Where the user clicked, typed or read, or the end of a short text. Undefined for a new one, whose title gets the focus. */
function initialCursor({ base, title, text, writer }: EditStart): number | undefined {
  const { place, seen } = resumePointOf(base?.id ?? writer);
  if (place !== undefined) return Math.min(place, text.length);
  if (base === undefined && title === "") return undefined;
  if (seen) return endOfLine(text, seen.at);
  return text.length > FITS_ON_SCREEN ? 0 : text.length;
}

/** Access to the text, which is in the plain field until the editor is loaded, and then in the editor. */
export function useTextHandle(start: EditStart) {
  const [cursor] = useState(() => initialCursor(start));
  const { seen, start: selectionStart } = resumePointOf(start.base?.id ?? start.writer);
  const beginning = useRef<InitialPosition>({ cursor, selectionStart, scrollPosition: seen });
  const handle = useRef<TextHandle>(null);
  return {
    beginning,
    enter: (lines: string) => handle.current?.enter(lines),
    insert: (put: (text: string, at: number) => Insertion) => handle.current?.insert(put),
    seen: () => handle.current?.scrollPosition(),
    show: (newText: string) => handle.current?.show(newText),
    handle,
    /** Opens the editor at the start of the text the next time. */
    reset: () => {
      beginning.current = { cursor: 0, scrollPosition: undefined };
    },
    setHandle: (ready: TextHandle) => {
      handle.current = ready;
    },
  };
}

/** Inserts the keys that were typed before the editor was ready. After an Escape, the editor is left. */
export function useTypedAhead(
  { kind }: EditStart,
  editor: DocumentEditor,
  text: ReturnType<typeof useTextHandle>,
  leave: () => unknown,
): void {
  const insert = (keys: string) => {
    if (keys === "") return;
    const put = (whole: string, at: number, typed: string) =>
      kind === "markdown"
        ? typedChange(whole, at, typed)
        : { from: at, to: at, insert: typed, cursor: at + typed.length };
    if (text.beginning.current.cursor !== undefined) return text.insert((whole, at) => put(whole, at, keys));
    const { title, rest } = splitTypedTitle(keys);
    editor.edit({ title });
    if (rest !== undefined) text.enter(put("", 0, rest).insert);
  };
  const insertTyped = useRef(() => {});
  insertTyped.current = () => {
    const typed = takeTypedKeys();
    insert(typed.text);
    if (typed.hasEscaped) leave();
  };
  // A layout effect runs before the next key is handled.
  useLayoutEffect(() => insertTyped.current(), []);
}
