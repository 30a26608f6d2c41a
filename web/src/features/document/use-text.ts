import { useLayoutEffect, useRef, useState } from "react";
import { takeTyped } from "../../state/typing-ahead.ts";
import type { Put } from "../files/put.ts";
import { begunIn } from "./begin-at.ts";
import { keysAt } from "./enter-key.ts";
import type { Beginning, Handle } from "./stand-in.tsx";
import type { Start } from "./start.ts";
import { firstLine } from "./title-lines.ts";
import type { Editing } from "./use-editing.ts";

/** One goes on at the end of a text that is seen as a whole; a longer one would jump there. */
const SEEN_WHOLE = 1000;

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Where the cursor is at first: where somebody clicked, wrote or read, or at the end of what is short; in the title of what is new. */
function cursorAt({ base, title, text, writer }: Start): number | undefined {
  const { place, seen } = begunIn(base?.id ?? writer);
  if (place !== undefined) return Math.min(place, text.length);
  if (base === undefined && title === "") return undefined;
  if (seen) return endOfLine(text, seen.at);
  return text.length > SEEN_WHOLE ? 0 : text.length;
}

/** The text, which the editor has or what stands in its place until it is loaded, and the way into it. */
export function useText(start: Start) {
  const [cursor] = useState(() => cursorAt(start));
  const { seen } = begunIn(start.base?.id ?? start.writer);
  const beginning = useRef<Beginning>({ text: start.text, cursor, seen });
  const way = useRef<Handle>(null);
  return {
    beginning,
    enter: (lines: string) => way.current?.enter(lines),
    insert: (put: (text: string, at: number) => Put) => way.current?.insert(put),
    seen: () => way.current?.seen(),
    show: (written: string) => {
      beginning.current = { ...beginning.current, text: written };
      way.current?.show(written);
    },
    way,
    /** What the editor begins with when it is opened again. */
    beginWith: (written: string) => {
      beginning.current = { text: written, cursor: 0, seen: undefined };
    },
    setWay: (handle: Handle) => {
      way.current = handle;
    },
  };
}

/** What was typed before there was a place for it is the first that is written. */
export function useTypedAhead({ kind }: Start, editing: Editing, text: ReturnType<typeof useText>): void {
  const take = useRef(() => {});
  take.current = () => {
    const keys = takeTyped();
    if (keys === "") return;
    const put = (whole: string, at: number, typed: string) =>
      kind === "markdown"
        ? keysAt(whole, at, typed)
        : { from: at, to: at, insert: typed, cursor: at + typed.length };
    if (text.beginning.current.cursor !== undefined) return text.insert((whole, at) => put(whole, at, keys));
    const { title, rest } = firstLine(keys);
    editing.change({ title });
    if (rest !== undefined) text.enter(put("", 0, rest).insert);
  };
  // Before the next key is pressed.
  useLayoutEffect(() => take.current(), []);
}
