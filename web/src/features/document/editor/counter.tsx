import type { EditorView } from "@codemirror/view";
import { useEffect, useState } from "react";
import styles from "../editor.module.css";
import { countDocument, countText, readingMinutes, type TextCounts } from "./count.ts";
import type { ObservedEditor } from "./editor-observer.ts";

/** Pause in typing before counting, because a long text takes some milliseconds to count. */
const PAUSE_MS = 300;

type CounterState = TextCounts & { isSelection: boolean };

function countIn({ state }: EditorView): CounterState {
  const selected = state.selection.ranges.filter(({ empty }) => !empty);
  const isSelection = selected.length > 0;
  if (!isSelection) return { ...countDocument(state.doc), isSelection };
  const text = selected.map(({ from, to }) => state.sliceDoc(from, to)).join("\n");
  return { ...countText(text), isSelection };
}

const number = (count: number) => count.toLocaleString("en");
const plural = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/** The length of the text or the selection. */
export function Counter({ view, watched }: ObservedEditor) {
  const [counted, setCounted] = useState(() => countIn(view));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = watched.listen(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setCounted(countIn(view)), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [view, watched]);
  const { words, characters, isSelection } = counted;
  const minutes = readingMinutes(counted);
  return (
    <p className={styles.counter}>
      {plural(words, "word")}, {plural(characters, "character")}
      {isSelection ? " selected" : minutes > 1 && `, ${minutes} minutes to read`}
    </p>
  );
}
